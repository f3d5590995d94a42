package runner

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// claim has a claimant ask for a slot; ended is closed when it got one and gave it back.
func claim(ctx context.Context, slots Slots) (ended <-chan struct{}) {
	got := make(chan struct{})
	go func() {
		if done, err := slots.Take(ctx); err == nil {
			done()
			close(got)
		}
	}()
	synctest.Wait()
	return got
}

func has(ended <-chan struct{}) bool {
	synctest.Wait()
	select {
	case <-ended:
		return true
	default:
		return false
	}
}

func TestNoBackfillBeginsBetweenTwoPartitionsOfATrigger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := NewGate(1, 1, time.Now)
		stream := worker{Slots: gate.Stream()}
		if err := stream.next(t.Context()); err != nil {
			t.Fatal(err)
		}
		backfill := claim(t.Context(), gate.Backfill())
		for range 5 {
			stream.did()
			if err := stream.next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		stream.did()
		if has(backfill) {
			t.Fatal("it began while the trigger was not over")
		}
		stream.end()
		stream.end() // which changes nothing
		if !has(backfill) {
			t.Fatal("the slot was not given back")
		}
	})
}

// Its result may wait for those of others, which need slots to come about.
func TestABackfillHasItsSlotUntilAPartitionIsComputed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := NewGate(1, 1, time.Now)
		backfill := worker{Slots: gate.Backfill()}
		if err := backfill.next(t.Context()); err != nil {
			t.Fatal(err)
		}
		stream := claim(t.Context(), gate.Stream())
		if has(stream) {
			t.Fatal("two run in one slot")
		}
		if backfill.did(); !has(stream) {
			t.Fatal("the stream still waits")
		}
		if backfill.end(); gate.running[forBackfill] != 0 {
			t.Fatal("it was given back twice")
		}
	})
}

func TestAWorkerThatIsCancelledHoldsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := NewGate(1, 1, time.Now)
		stream := worker{Slots: gate.Stream()}
		if err := stream.next(t.Context()); err != nil {
			t.Fatal(err)
		}
		cancelled, cancel := context.WithCancel(t.Context())
		other := claim(t.Context(), gate.Stream()) // waits longer, so it is next
		cancel()
		if err := stream.next(cancelled); err == nil {
			stream.end() // the slot came before the end was seen
		}
		if stream.held || !has(other) {
			t.Fatal("the slot is still held")
		}
	})
}
