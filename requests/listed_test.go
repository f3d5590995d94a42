package requests

import (
	"testing"
	"time"
)

// holder is a worker that has begun with what it could claim of the first plan, and does not look
// at the log again before it is asked to.
func (c *crew) holder(slots int) (d *desk, looks func() (lost []held)) {
	c.t.Helper()
	d = newDesk("one", 10*time.Second, slots, time.Now)
	d.verdicts[simPlan(0)] = verdict{Verdict: Verdict{Accepts: true}, at: time.Now()}
	looks = func() (lost []held) {
		c.do(d.enter(c.t.Context(), c.queue))
		c.queue.View(func(s *State) {
			var begin []held
			begin, lost = d.begins(s)
			for _, h := range begin {
				d.runs[h] = &run{cancel: func() {}}
			}
		})
		return lost
	}
	looks()
	return d, looks
}

// What ended last is listed, however long ago it was submitted.
func TestARequestIsListedOnceItHasEndedHoweverOldItIs(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 1, 1))
		_, looks := c.holder(1)
		for n := range KeepEnded + 5 {
			id := simPlan(n + 1)
			c.submit(simSubmission(id, 1, 1))
			c.do(c.queue.Cancel(t.Context(), id, "ann@desk", Outcome{}))
		}
		c.do(c.queue.Cancel(t.Context(), simPlan(0), "ann@desk", Outcome{}))
		c.is(Cancelled)
		c.queue.View(func(s *State) {
			if len(s.requests) != KeepEnded || s.Has(simPlan(6)) || !s.Has(simPlan(7)) {
				t.Errorf("%d requests are listed", len(s.requests))
			}
		})
		// And what is not listed any more was taken from nobody.
		for n := range KeepEnded {
			id := simPlan(n + 1000)
			c.submit(simSubmission(id, 1, 1))
			c.do(c.queue.Cancel(t.Context(), id, "ann@desk", Outcome{}))
		}
		if lost := looks(); len(lost) > 0 {
			t.Errorf("of a request that is not listed any more %v is said to be with others", lost)
		}
	})
}

// A request that workers have slices of keeps these, so that nothing is worked on twice, nor more
// at a time than it allows.
func TestARequestThatIsCutAnewKeepsTheSlicesThatWorkersHave(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 6, 2))
		d, looks := c.holder(4)
		had := c.is(Running).Claims
		c.do(c.queue.Cancel(t.Context(), simPlan(0), "ann@desk", Outcome{}))
		anew := simSubmission(simPlan(0), 30, 2)
		anew.Left = []int{29}
		c.submit(anew)
		if lost := looks(); len(lost) > 0 || len(d.runs) != 2 {
			t.Errorf("it lost %v, and runs %v", lost, d.runs)
		}
		r := c.is(Running)
		if r.Slices != 6 || len(r.Run) != 6 || len(had) != 2 || len(r.Claims) != 2 {
			t.Errorf("it has %d slices, %s, and claims %v", r.Slices, r.Run, r.Claims)
		}
		for slice, claim := range had {
			if r.Claims[slice] != claim {
				t.Errorf("slice %d is claimed by %v, was by %v", slice, r.Claims[slice], claim)
			}
		}
		// Once nobody has a slice it is cut as was asked.
		c.do(c.queue.Cancel(t.Context(), simPlan(0), "ann@desk", Outcome{}))
		looks()
		for _, run := range d.runs {
			run.result = &Result{Err: t.Context().Err()}
		}
		looks()
		c.submit(anew)
		if r := c.request(); r.Slices != 30 || len(r.Claims) > 0 {
			t.Errorf("it has %d slices and claims %v", r.Slices, r.Claims)
		}
	})
}

// Of a request that goes to another engine nothing is with another worker.
func TestWhatGoesToAnotherEngineIsNotWithAnotherWorker(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 2, 2))
		d, looks := c.holder(2)
		stopped := 0
		for _, run := range d.runs {
			run.cancel = func() { stopped++ }
		}
		c.do(c.queue.Cancel(t.Context(), simPlan(0), "ann@desk", Outcome{}))
		elsewhere := simSubmission(simPlan(0), 2, 2)
		elsewhere.On, elsewhere.Left = "elsewhere", []int{0, 1}
		c.submit(elsewhere)
		if lost := looks(); len(lost) > 0 || stopped != 2 {
			t.Errorf("it says that others have %v, and stopped %d", lost, stopped)
		}
	})
}
