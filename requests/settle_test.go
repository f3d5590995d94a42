package requests

import (
	"context"
	"errors"
	"testing"
	"time"
)

// What another engine did not run is not said to have been run.
func TestARequestOfAnotherEngineHasTheSlicesThatItSays(t *testing.T) {
	for name, test := range map[string]struct {
		outcome       Outcome
		state         RequestState
		ran, badly    int
		stops, recall bool
	}{
		"all well":              {Outcome{}, Done, 6, 0, false, false},
		"some failed":           {Outcome{Succeeded: 4, Failed: 2, Reason: "2 failed"}, InPart, 6, 2, false, true},
		"and some were not run": {Outcome{Succeeded: 1, Failed: 2, Reason: "too many failed"}, Broken, 3, 2, true, false},
		"none was well":         {Outcome{Failed: 2, Reason: "too many failed"}, Broken, 2, 2, true, false},
		"it could not go on":    {Outcome{Succeeded: 3, Reason: "it is gone"}, Broken, 3, 0, true, false},
		"at its end":            {Outcome{Succeeded: 6, Reason: "its time was over"}, Broken, 6, 0, true, false},
	} {
		inBubble(t, func(t *testing.T, c *crew) {
			s := simSubmission(simPlan(0), 6, 1)
			s.On = "elsewhere"
			c.submit(s)
			as := c.request().As(test.outcome)
			c.do(c.queue.Settle(t.Context(), simPlan(0), test.outcome, "elsewhere"))
			for _, r := range []*Request{c.request(), as} {
				if r.State() != test.state || r.SlicesRun() != test.ran || r.SlicesFailed() != test.badly || !r.Ended() || (r.Stop != nil) != test.stops || (len(r.Failures) > 0) != test.recall {
					t.Errorf("%s: it is %s, %d slices run, %d badly: %+v", name, r.State(), r.SlicesRun(), r.SlicesFailed(), r)
				}
			}
		})
	}
}

// A slice that is given up has failed with what failed in its last try, and that counts.
func TestWhatFailedInASliceThatIsGivenUpCounts(t *testing.T) {
	for failed, want := range map[int]RequestState{1: InPart, 3: Broken} {
		inBubble(t, func(t *testing.T, c *crew) {
			s := simSubmission(simPlan(0), 2, 1)
			s.MaxFailures = 3
			c.submit(s)
			stop := c.start(WorkerOptions{Name: "one"}, func(context.Context, int) Result {
				return Result{Err: errors.New("the disk is full"), Failed: failed, Failures: []Failure{{"2026-03-01", "of its code"}}}
			})
			time.Sleep(time.Hour)
			r := c.is(want)
			if given := r.SlicesFailed(); given != 1 && want == Broken || r.Spent() != given*failed || len(r.Failures) != 2*given {
				t.Errorf("of %d slices that were given up %d have failed: %+v", given, r.Spent(), r)
			}
			stop()
		})
	}
}

// What had failed when a request was resumed is known to who works on it.
func TestWhatWasTriedWhenARequestWasResumedIsKept(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		none, some := 0, 7
		s := simSubmission(simPlan(0), 1, 1)
		s.Tried = &none
		c.submit(s)
		c.do(c.queue.Cancel(t.Context(), simPlan(0), "", ""))
		c.do(c.queue.Resume(t.Context(), simPlan(0), nil, &some, ""))
		if r := c.is(Waiting); r.Tried == nil || *r.Tried != some {
			t.Errorf("it is %v", r.Tried)
		}
	})
}

// What is to be done yet about a request that was cancelled stands until it is done, and who
// cancelled it first stays named. What is cancelled for good has nothing to be done.
func TestACancelTellsWhatIsToBeDoneUntilItIs(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 1, 1))
		for _, step := range []struct{ by, untold, want string }{
			{"ann@desk", "tell the engine", "tell the engine"}, {"bob@desk", "tell it", "tell the engine"},
			{"bob@desk", "", ""}, {"bob@desk", "tell the engine", ""},
		} {
			c.do(c.queue.Cancel(t.Context(), simPlan(0), step.by, step.untold))
			if r := c.is(Cancelled); *r.Stop != (Stop{State: Cancelled, Reason: step.want, By: "ann@desk"}) {
				t.Errorf("after %+v it is %+v", step, r.Stop)
			}
		}
	})
}
