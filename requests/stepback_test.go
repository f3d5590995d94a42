package requests

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strandline/internal/log"
)

// full is trouble of a machine, in other words each time.
func full() error {
	return fmt.Errorf("write /tmp/strandline-%s/engine/x: no space left on device", rand.Text()[:13])
}

func onFull(context.Context, int) Result { return Result{Err: full(), Machine: true} }

// A machine that can do no slices uses up no try of any, beside one that can.
func TestAWorkerWhoseDiskStaysFullLeavesSlicesToOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 20, 8))
		bad := c.start(WorkerOptions{Name: "bad", Slots: 2, Probe: full}, onFull)
		time.Sleep(time.Second)
		good := c.start(WorkerOptions{Name: "good"}, takes(time.Minute))
		time.Sleep(time.Hour)
		r := c.is(Done)
		if n := len(c.by("bad")); n != 2 || len(c.by("good")) != 20 {
			t.Errorf("the bad worker has begun %d slices, the good one %d; want 2, in its two slots, and 20", n, len(c.by("good")))
		}
		if len(r.Troubles) != 1 || r.Troubles[0].Times != 2 || r.Troubles[0].Reason != "write /tmp/strandline-*: no space left on device" || r.Troubles[0].By != "bad" {
			t.Errorf("the request remembers %+v", r.Troubles)
		}
		if told := c.said(); len(told) != 1 || !strings.Contains(told[0], "no space left") {
			t.Errorf("it is told\n%s", strings.Join(told, "\n"))
		}
		bad()
		good()
	})
}

// Once there is room again it goes on, and says so.
func TestAWorkerGoesOnOnceItsMachineCan(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 3, 1))
		var room atomic.Bool
		stop := c.start(WorkerOptions{Name: "one", Probe: func() error {
			if room.Load() {
				return nil
			}
			return full()
		}}, func(ctx context.Context, slice int) Result {
			if room.Load() {
				return Result{}
			}
			return onFull(ctx, slice)
		})
		time.Sleep(time.Hour)
		if r := c.is(Waiting); len(c.by("one")) != 1 || len(r.Tries) > 0 || len(r.Claims) > 0 {
			t.Errorf("in an hour it has begun %v, tries are %v, and it holds %v", c.by("one"), r.Tries, r.Claims)
		}
		room.Store(true)
		time.Sleep(3 * time.Minute)
		c.is(Done)
		if told := c.said(); len(told) != 2 || told[1] != "this machine can do slices again" {
			t.Errorf("it is told\n%s", strings.Join(told, "\n"))
		}
		stop()
	})
}

// Where the probe finds nothing, but slices need more than there is, it tries at most one a minute, in turn.
func TestAWorkerWithTooLittleRoomTriesSeldom(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 3, 3))
		stop := c.start(WorkerOptions{Name: "one"}, func(ctx context.Context, slice int) Result {
			if slice == 2 {
				return Result{}
			}
			return onFull(ctx, slice)
		})
		time.Sleep(time.Hour)
		r := c.is(Running)
		if n := len(c.by("one")); n < 50 || n > 75 || r.SlicesRun() != 1 || len(r.Tries) > 0 {
			t.Errorf("in an hour %d slices were begun, %d run, and tries are %v; want one a minute, the one that fits, and none", n, r.SlicesRun(), r.Tries)
		}
		if r := c.request(); len(r.Troubles) != 1 {
			t.Errorf("the request remembers %+v", r.Troubles)
		}
		stop()
	})
}

// Who is to do what there is, and end, does not wait for ever.
func TestAWorkerThatEndsDoesSoWhereItsMachineCantDoSlices(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 3, 1))
		begun := time.Now()
		o := WorkerOptions{
			Name: "once", Slots: 1, Once: true, Probe: full, Tell: func(string, ...any) {},
			Judge: func(context.Context, *Request) (Verdict, error) { return Verdict{Accepts: true}, nil },
			Run:   func(ctx context.Context, _ *Request, slice int, _ <-chan struct{}) Result { return onFull(ctx, slice) },
		}
		err := NewWorker(Open(c.store, log.Options{}), o).Work(t.Context())
		if err == nil || !strings.Contains(err.Error(), "this machine can't do slices") || time.Since(begun) > time.Minute {
			t.Errorf("after %v it ends with: %v", time.Since(begun), err)
		}
		if r := c.is(Waiting); len(r.Tries)+len(r.Claims) > 0 {
			t.Errorf("tries are %v, claims %v", r.Tries, r.Claims)
		}
	})
}

// What kept slices of a request is remembered once for each kind, of which there are few.
func TestARequestRemembersKindsOfTroubleAndNotEachTime(t *testing.T) {
	r := newRequest(simSubmission(simPlan(0), 1, 1), 1, time.Unix(0, 0))
	for n := range 100 {
		r.met("the disk is full", "one", time.Unix(int64(n), 0))
		r.met(fmt.Sprintf("trouble %d", n), "two", time.Unix(int64(n), 0))
	}
	at := -1
	for i, one := range r.Troubles {
		if one.Reason == "the disk is full" {
			at = i
		}
	}
	if len(r.Troubles) != maxTroubles || at < 0 {
		t.Fatalf("it remembers %+v", r.Troubles)
	}
	if one := r.Troubles[at]; one.Times != 100 || !one.First.Equal(time.Unix(0, 0)) || !one.Last.Equal(time.Unix(99, 0)) {
		t.Errorf("of the one that came each time it remembers %+v", one)
	}
	if r.clone().again(Submission{Plan: r.Plan, Slices: 1, Parallel: 1}); len(r.Troubles) != maxTroubles {
		t.Error(errors.New("a clone shares what it remembers"))
	}
}
