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
			c.do(c.queue.Settle(t.Context(), c.request(), test.outcome, "elsewhere"))
			for _, r := range []*Request{c.request(), as} {
				if r.State() != test.state || r.SlicesRun() != test.ran || r.SlicesFailed() != test.badly || !r.Ended() || (r.Stop != nil) != test.stops || (len(r.Failures) > 0) != test.recall {
					t.Errorf("%s: it is %s, %d slices run, %d badly: %+v", name, r.State(), r.SlicesRun(), r.SlicesFailed(), r)
				}
			}
		})
	}
}

// What was seen of a request before it was submitted, given to its engine, resumed or changed in any way is not
// entered as its end. It is as if nobody had looked.
func TestAStaleLookEndsNothing(t *testing.T) {
	for name, change := range map[string]func(q *Queue, ctx context.Context) error{
		"given": func(q *Queue, ctx context.Context) error {
			return q.Given(ctx, &Request{Submission: simSubmission(simPlan(0), 6, 1)}, "")
		},
		"paused":  func(q *Queue, ctx context.Context) error { return q.Pause(ctx, simPlan(0), "") },
		"resumed": func(q *Queue, ctx context.Context) error { return q.Resume(ctx, simPlan(0), nil, nil, "") },
		"resized": func(q *Queue, ctx context.Context) error { return q.Resize(ctx, simPlan(0), 3, "") },
		"ended and resumed": func(q *Queue, ctx context.Context) error {
			return errors.Join(q.Cancel(ctx, simPlan(0), "", Outcome{}), q.Resume(ctx, simPlan(0), nil, nil, ""))
		},
		"ended and submitted": func(q *Queue, ctx context.Context) error {
			s := simSubmission(simPlan(0), 6, 1)
			s.On = "elsewhere"
			cancelled := q.Cancel(ctx, simPlan(0), "", Outcome{})
			_, _, err := q.Submit(ctx, s, nil, nil)
			return errors.Join(cancelled, err)
		},
	} {
		inBubble(t, func(t *testing.T, c *crew) {
			s := simSubmission(simPlan(0), 6, 1)
			s.On = "elsewhere"
			c.submit(s)
			looked := c.request()
			c.do(change(c.queue, t.Context()))
			before := c.request()
			c.do(c.queue.Settle(t.Context(), looked, Outcome{Reason: "it is gone"}, "elsewhere"))
			if now := c.request(); now.State() != before.State() || now.Changed != before.Changed || now.Changed == looked.Changed {
				t.Errorf("%s: it was %s by entry %d, and is %s by entry %d", name, before.State(), before.Changed, now.State(), now.Changed)
			}
			c.do(c.queue.Settle(t.Context(), before, Outcome{Reason: "it is gone"}, "elsewhere"))
			if now := c.request(); !now.Ended() {
				t.Errorf("%s: by a look of now it is %s", name, now.State())
			}
		})
	}
}

// What ended a request as failed while its engine was given it is undone, and nothing else.
func TestWhatIsGivenToAnEngineGoesOn(t *testing.T) {
	for want, end := range map[RequestState]func(c *crew) error{
		Waiting: func(c *crew) error {
			return c.queue.Settle(c.t.Context(), c.request(), Outcome{Reason: "it is gone"}, "")
		},
		Done:      func(c *crew) error { return c.queue.Settle(c.t.Context(), c.request(), Outcome{}, "") },
		Cancelled: func(c *crew) error { return c.queue.Cancel(c.t.Context(), simPlan(0), "", Outcome{}) },
		Paused:    func(c *crew) error { return c.queue.Pause(c.t.Context(), simPlan(0), "") },
	} {
		inBubble(t, func(t *testing.T, c *crew) {
			s := simSubmission(simPlan(0), 6, 1)
			s.On = "elsewhere"
			c.submit(s)
			c.do(end(c))
			c.do(c.queue.Given(t.Context(), c.request(), ""))
			c.is(want)
		})
	}
}

// What an engine calls its work is written down when it was given a request, and no more once that goes on with other
// work. Where it was changed since, which of both was given last is not known.
func TestWhatAnEngineCallsItsWorkIsKept(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, then func(c *crew) error
		want        string
		state       RequestState
	}{
		{"given", nil, nil, "new", Waiting},
		{"taken to be gone meanwhile", nil, func(c *crew) error {
			return c.queue.Settle(c.t.Context(), c.request(), Outcome{Reason: "it is gone"}, "")
		}, "new", Waiting},
		{"given meanwhile", nil, func(c *crew) error { return c.queue.Given(c.t.Context(), c.request(), "by another") }, "by another", Waiting},
		{"resumed meanwhile", nil, func(c *crew) error { return resumed(c) }, "", Waiting},
		{"cancelled meanwhile", nil, func(c *crew) error { return c.queue.Cancel(c.t.Context(), simPlan(0), "", Outcome{}) }, "", Cancelled},
		{"given before", func(c *crew) error { return c.queue.Given(c.t.Context(), c.request(), "old") }, nil, "new", Waiting},
		{"given before, and resumed since it had ended", func(c *crew) error {
			return errors.Join(c.queue.Given(c.t.Context(), c.request(), "old"), resumed(c))
		}, nil, "new", Waiting},
	} {
		inBubble(t, func(t *testing.T, crew *crew) {
			s := simSubmission(simPlan(0), 6, 1)
			s.On = "elsewhere"
			crew.submit(s)
			if c.first != nil {
				crew.do(c.first(crew))
			}
			looked := crew.request()
			if c.then != nil {
				crew.do(c.then(crew))
			}
			crew.do(crew.queue.Given(t.Context(), looked, "new"))
			if r := crew.request(); r.Work != c.want || r.State() != c.state {
				t.Errorf("%s: it is %s, and its work is %q, want %q", c.name, r.State(), r.Work, c.want)
			}
			crew.do(resumed(crew))
			if r := crew.request(); r.Work != "" {
				t.Errorf("%s: once it has ended and goes on its work is %q", c.name, r.Work)
			}
		})
	}
}

// resumed ends a request, and has it go on.
func resumed(c *crew) error {
	return errors.Join(c.queue.Cancel(c.t.Context(), simPlan(0), "", Outcome{}), c.queue.Resume(c.t.Context(), simPlan(0), nil, nil, ""))
}

// What nobody could carry out as it was judged is judged anew once it was resumed, as with the code that it was
// planned with.
func TestAStaleVerdictEndsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 1, 1))
		d := newDesk("one", time.Minute, 1, time.Now)
		d.verdicts[simPlan(0)] = verdict{Verdict{Never: "its code was replaced"}, time.Now(), c.request().Changed}
		c.do(errors.Join(c.queue.Cancel(t.Context(), simPlan(0), "", Outcome{}), c.queue.Resume(t.Context(), simPlan(0), nil, nil, "")))
		c.do(d.enter(t.Context(), c.queue))
		c.is(Waiting)
		c.queue.View(func(s *State) {
			if len(d.unjudged(s)) != 1 {
				t.Error("it is not judged anew")
			}
		})
	})
}

// A slice that ended by what was so before its request was changed is tried again.
func TestAStaleEndOfASliceEndsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 1, 1))
		d := newDesk("one", time.Minute, 1, time.Now)
		d.verdicts[simPlan(0)] = verdict{Verdict{Accepts: true}, time.Now(), c.request().Changed}
		c.do(d.enter(t.Context(), c.queue))
		c.queue.View(func(s *State) {
			for _, h := range d.holds(s) {
				d.runs[h] = &run{of: s.requests[h.Plan].Changed, result: &Result{Err: errors.New("its code was replaced"), Never: true}}
			}
		})
		c.do(errors.Join(c.queue.Cancel(t.Context(), simPlan(0), "", Outcome{}), c.queue.Resume(t.Context(), simPlan(0), nil, nil, "")))
		c.do(d.enter(t.Context(), c.queue))
		if r := c.request(); r.Ended() || r.Tries[0] != 1 {
			t.Errorf("it is %s, given back %d times", r.State(), r.Tries[0])
		}
	})
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
			if given := r.SlicesFailed(); given != 1 && want == Broken || r.Spent() != given*failed || len(r.Failures) != given || r.Troubles[0].GivenUp != given {
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
		c.do(c.queue.Cancel(t.Context(), simPlan(0), "", Outcome{}))
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
			c.do(c.queue.Cancel(t.Context(), simPlan(0), step.by, Outcome{Reason: step.untold}))
			if r := c.is(Cancelled); *r.Stop != (Stop{State: Cancelled, Reason: step.want, By: "ann@desk"}) {
				t.Errorf("after %+v it is %+v", step, r.Stop)
			}
		}
	})
}

// What only a process compares is in no checkpoint: one of a build that did not know of it yet is the same
// state still, which check-lake holds it to.
func TestCheckpointsDoNotTellByWhichEntryARequestWasChanged(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 6, 1))
		c.do(c.queue.Resize(t.Context(), simPlan(0), 3, ""))
		changed := c.request().Changed
		c.queue.View(func(s *State) {
			text, err := s.AppendBinary(nil)
			read := newState()
			if err := errors.Join(err, read.UnmarshalBinary(text)); err != nil {
				t.Fatal(err)
			}
			if again := read.Requests()[0]; changed == 0 || again.Changed != 0 || again.Parallel != 3 {
				t.Errorf("changed by entry %d, and read from a checkpoint by %d: %+v", changed, again.Changed, again)
			}
		})
	})
}
