package kafka_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/landing"
)

// TestAKillAtAnyCallOfTheLakeLosesAndDoublesNothing kills a process at each of its calls
// of the store in turn: before it takes effect, and after.
func TestAKillAtAnyCallOfTheLakeLosesAndDoublesNothing(t *testing.T) {
	for _, last := range []objstore.Action{objstore.Fail, objstore.LoseAnswer} {
		for at, killed := int64(1), true; killed; at++ {
			w := newWorld(t, kfake.SeedTopics(2, "events"))
			w.send(numbered(0, 0, 3)...)
			if err := w.drain(); err != nil {
				t.Fatal(err)
			}
			w.send(append(numbered(0, 3, 6), numbered(1, 0, 3)...)...)
			killed = w.killed(at, last)
			if err := w.drain(); err != nil {
				t.Fatalf("after a kill at call %d (%d): %v", at, last, err)
			}
			if w.check(); t.Failed() {
				t.Fatalf("after a kill at call %d (%d)", at, last)
			}
		}
	}
}

// killed drains until a call of the store, and tells whether it got there.
func (w *world) killed(at int64, last objstore.Action) bool {
	ctx, kill := context.WithCancel(w.context())
	defer kill()
	var calls atomic.Int64
	dying := objstore.NewFault(w.store, func(objstore.Op, string) objstore.Action {
		switch n := calls.Add(1); {
		case n < at:
			return objstore.Pass
		case n == at:
			kill()
			return last
		default:
			return objstore.Fail
		}
	})
	stream := landing.Open(dying, spec, landing.Options{Scratch: w.t.TempDir(), Log: log.Options{
		Pause: func(context.Context, time.Duration) error { return ctx.Err() }, // who is dead tries nothing again
	}})
	err := w.sourceOf(stream, nil).Once(ctx)
	if calls.Load() < at && err != nil {
		w.t.Fatal(fmt.Errorf("without a kill: %w", err))
	}
	return calls.Load() >= at
}
