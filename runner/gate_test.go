package runner_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"strandline/manifests"
	"strandline/runner"
)

// gated is a gate whose claimants ask in goroutines of a bubble, in which all that can go
// on has gone on after each step.
type gated struct {
	*runner.Gate
	mu      sync.Mutex
	running map[string]int
	done    map[string][]func() // of those that run
}

func newGated(slots, share int) *gated {
	return &gated{Gate: runner.NewGate(slots, share, time.Now), running: map[string]int{}, done: map[string][]func(){}}
}

func (g *gated) slots(who string) runner.Slots {
	if who == "stream" {
		return g.Stream()
	}
	return g.Backfill()
}

// ask has somebody ask for a slot until ctx ends.
func (g *gated) ask(ctx context.Context, who string) {
	go func() {
		done, err := g.slots(who).Take(ctx)
		if err != nil {
			return
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.running[who]++
		g.done[who] = append(g.done[who], done)
	}()
	synctest.Wait()
}

// end ends the partition of somebody that began first.
func (g *gated) end(who string) {
	g.mu.Lock()
	done := g.done[who][0]
	g.done[who] = g.done[who][1:]
	g.running[who]--
	g.mu.Unlock()
	done()
	synctest.Wait()
}

func (g *gated) want(t *testing.T, when string, stream, backfill int) {
	t.Helper()
	if g.running["stream"] != stream || g.running["backfill"] != backfill {
		t.Fatalf("%s: %d of the stream and %d of backfills run, want %d and %d", when, g.running["stream"], g.running["backfill"], stream, backfill)
	}
}

func (g *gated) askTimes(ctx context.Context, who string, times int) {
	for range times {
		g.ask(ctx, who)
	}
}

// bubble runs a test in which every goroutine that still waits at the end is told to go.
func bubble(t *testing.T, test func(t *testing.T, ctx context.Context)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		test(t, ctx)
	})
}

func TestTheStreamGoesBeforeBackfills(t *testing.T) {
	bubble(t, func(t *testing.T, ctx context.Context) {
		g := newGated(2, 1)
		g.askTimes(ctx, "stream", 2)
		g.ask(ctx, "backfill")
		g.ask(ctx, "stream") // after the backfill
		g.want(t, "all slots are the stream's", 2, 0)
		g.end("stream")
		g.want(t, "the stream waited", 2, 0)
		g.end("stream")
		g.want(t, "the stream waits no more", 1, 1)
	})
}

func TestABackfillHasItsShareOfTheSlotsUntilTheStreamRests(t *testing.T) {
	bubble(t, func(t *testing.T, ctx context.Context) {
		g := newGated(4, 2)
		g.askTimes(ctx, "backfill", 5)
		g.want(t, "the stream may just begin", 0, 2)
		g.ask(ctx, "stream")
		g.want(t, "a slot was left for the stream", 1, 2)
		g.end("stream")
		time.Sleep(time.Minute - time.Nanosecond)
		g.end("backfill")
		g.want(t, "the stream has rested less than a minute", 0, 2)
		time.Sleep(time.Nanosecond)
		g.end("backfill")
		g.want(t, "the stream has rested a minute", 0, 3)
		g.ask(ctx, "stream")
		g.want(t, "the stream is back", 1, 3)
		g.end("backfill")
		g.end("backfill")
		g.ask(ctx, "backfill")
		g.want(t, "no more than the share", 1, 2)
	})
}

func TestAStreamThatNeverRestsLeavesABackfillATurnInNine(t *testing.T) {
	for _, slots := range []int{1, 3} {
		bubble(t, func(t *testing.T, ctx context.Context) {
			g := newGated(slots, slots)
			g.askTimes(ctx, "stream", 100)
			g.askTimes(ctx, "backfill", 4)
			begun := 0 // of the stream, while the backfill waits
			for range 3 {
				for g.end("stream"); g.running["backfill"] == 0; begun++ {
					g.end("stream")
				}
				g.want(t, "the backfill's turn", slots-1, 1)
				if begun != 8 {
					t.Fatalf("%d of the stream went before", begun)
				}
				g.end("backfill")
				g.want(t, "its turn is over", slots, 0)
				begun = 1
			}
		})
	}
}

// Slices of backfills have room where partitions of theirs would begin at once; and where none
// ever would, after the stream's turn.
func TestBackfillsHaveRoomForWhatFindsASlot(t *testing.T) {
	bubble(t, func(t *testing.T, ctx context.Context) {
		g := newGated(3, 2)
		room := func(when string, want int) {
			t.Helper()
			if got := g.Backfill().Room(); got != want {
				t.Errorf("%s: there is room for %d, want %d", when, got, want)
			}
		}
		room("the share is free", 2)
		g.ask(ctx, "backfill")
		room("one of the share is taken by a slice, which counts", 2)
		g.askTimes(ctx, "stream", 2)
		room("the stream has the rest", 1)
		g.end("backfill")
		g.askTimes(ctx, "stream", 20)
		for range 8 {
			room("the stream has all, and wants more", 0)
			g.end("stream")
		}
		room("the stream has gone before eight times", 1)
		g.ask(ctx, "backfill")
		g.end("stream")
		g.want(t, "the backfill's turn", 2, 1)
		g.end("backfill")
		room("its turn is over", 0)
		for g.running["stream"] > 0 {
			g.end("stream")
		}
		time.Sleep(time.Minute)
		room("the stream rests", 3)
	})
	if n := (runner.Slots{}).Room(); n < 1000 {
		t.Errorf("where there is no gate there is room for %d", n)
	}
}

func TestWhoGivesUpWaitingLeavesNoSlotTaken(t *testing.T) {
	bubble(t, func(t *testing.T, ctx context.Context) {
		g := newGated(1, 1)
		g.ask(ctx, "stream")
		waiting, giveUp := context.WithCancel(ctx)
		g.ask(waiting, "stream")
		g.ask(ctx, "backfill")
		giveUp()
		synctest.Wait()
		g.end("stream")
		g.want(t, "who gave up is passed over", 0, 1)
		if _, err := g.Stream().Take(waiting); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v of a context that has ended", err)
		}
		g.end("backfill")
		g.askTimes(ctx, "backfill", 2)
		g.want(t, "there is one slot, and it is free", 0, 1)
	})
}

func TestPartitionsAreComputedInSlots(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1})
	task := l.task(salesJob())
	plan, err := task.Plan(t.Context(), runner.Request{Driver: manifests.DriverStream})
	if err != nil {
		t.Fatal(err)
	}
	generation, err := task.Register(t.Context(), manifests.DriverStream)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	asked := false
	gate := runner.NewGate(1, 1, func() time.Time { // the gate looks at its clock when the stream asks
		if asked {
			stop()
		}
		return time.Now()
	})
	done, err := gate.Stream().Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asked = true
	report, err := task.Execute(ctx, plan, runner.Options{
		Driver: manifests.DriverStream, Generation: generation, Parallel: 1, Together: true, Slots: gate.Stream(),
	})
	if !errors.Is(err, context.Canceled) || len(report.Outcomes) > 0 {
		t.Fatalf("got %v and %d outcomes, though the only slot was taken until the run was cancelled", err, len(report.Outcomes))
	}
	done()
	if _, err := gate.Stream().Take(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Whatever happens, at most all slots are taken, backfills have their share at most while
// the stream is active, a slot is free only if nobody may have it, and the stream waits
// while a backfill begins only for its ninth turn.
func TestTheGateKeepsItsRules(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		slots := rapid.IntRange(1, 4).Draw(r, "slots")
		share := rapid.IntRange(1, slots).Draw(r, "share")
		bubble(t, func(_ *testing.T, ctx context.Context) {
			g := newGated(slots, share)
			asked := map[string]int{}
			before := 0 // partitions of the stream since one of a backfill began or ran
			for range rapid.IntRange(1, 60).Draw(r, "steps") {
				was := map[string]int{"stream": g.running["stream"], "backfill": g.running["backfill"]}
				who := rapid.SampledFrom([]string{"stream", "backfill"}).Draw(r, "who")
				if ends := rapid.Bool().Draw(r, "ends"); ends && g.running[who] > 0 {
					was[who]--
					asked[who]--
					g.end(who)
				} else {
					asked[who]++
					g.ask(ctx, who)
				}
				stream, backfill := g.running["stream"], g.running["backfill"]
				streamWaits, backfillWaits := asked["stream"] > stream, asked["backfill"] > backfill
				began := backfill > was["backfill"]
				switch {
				case stream+backfill > slots:
					r.Fatalf("%d slots are taken of %d", stream+backfill, slots)
				case backfill > share:
					r.Fatalf("backfills have %d slots, their share is %d", backfill, share)
				case stream+backfill < slots && (streamWaits || backfillWaits && backfill < share):
					r.Fatalf("a slot is free, though somebody waits who may have it")
				case began && streamWaits && before < 8:
					r.Fatalf("a backfill began after %d of the stream, which waits", before)
				case backfill == 0 && backfillWaits && before > 8:
					r.Fatalf("a backfill waits since %d of the stream", before)
				}
				if began || backfill > 0 || !backfillWaits {
					before = 0
				} else {
					before += stream - was["stream"]
				}
			}
		})
	})
}
