package requests

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/plans"
)

// asker is a process that asks for the same as others do. What is left of it by then is another plan for each.
type asker struct {
	queue *Queue
	plan  plans.ID
	due   *Due // of one that is a schedule
}

// asks joins the request that is under way, if there is one, and enters its own if not. It returns which it has.
func (a asker) asks(ctx context.Context) (has plans.ID, err error) {
	for {
		looked, err := a.queue.Look(ctx)
		if err != nil {
			return has, err
		}
		for _, r := range *looked {
			if !r.Ended() {
				return r.Plan, nil
			}
		}
		_, _, err = a.queue.Submit(ctx, simSubmission(a.plan, 2, 1), a.due, looked)
		if !errors.Is(err, ErrSince) {
			return a.plan, err
		}
	}
}

// Of two who ask for the same the second joins the first, whenever it asks between any two calls of the other to the
// store, and whatever becomes of these: also where one is a schedule, and where a request of before is resumed meanwhile.
func TestWhoAsksForTheSameAtTheSameTimeJoins(t *testing.T) {
	due := &Due{Schedule: "daily", At: time.Unix(1, 0)}
	for name, c := range map[string]struct {
		first, second *Due
		resumes       bool
	}{
		"two people": {}, "a schedule first": {first: due}, "a schedule second": {second: due}, "one of before is resumed": {resumes: true},
	} {
		for _, action := range []objstore.Action{objstore.Pass, objstore.Fail, objstore.LoseAnswer, objstore.DoLate} {
			for at, met := 0, true; met; at++ {
				t.Run(fmt.Sprintf("%s, %d at call %d", name, action, at), func(t *testing.T) {
					w := newMoment(t, at, action)
					second := asker{w.open(w.store), simPlan(2), c.second}
					w.between = func() error {
						if c.resumes {
							return second.queue.Resume(t.Context(), simPlan(0), nil, nil, "bob@desk")
						}
						has, err := second.asks(t.Context())
						w.has = append(w.has, has)
						return err
					}
					met = w.held(asker{w.open(w.fault), simPlan(1), c.first})
				})
			}
		}
	}
}

// moment is a store that does something of another process at one call of the first, and then of that call what it is told.
type moment struct {
	t       *testing.T
	store   objstore.Store
	fault   *objstore.Fault
	between func() error
	calls   atomic.Int64 // of the first, less those before the one that is meant
	has     []plans.ID   // what those have who were not told of a fault
}

// newMoment returns one of a lake whose request of before was cancelled.
func newMoment(t *testing.T, at int, action objstore.Action) *moment {
	w := &moment{t: t, store: objstore.NewMemory()}
	w.calls.Store(int64(-at))
	before := w.open(w.store)
	_, _, err := before.Submit(t.Context(), simSubmission(simPlan(0), 2, 1), nil, nil)
	if err := errors.Join(err, before.Cancel(t.Context(), simPlan(0), "ann@desk", Outcome{})); err != nil {
		t.Fatal(err)
	}
	w.fault = objstore.NewFault(w.store, func(objstore.Op, string) objstore.Action {
		if w.calls.Add(1) != 1 {
			return objstore.Pass
		}
		if err := w.between(); err != nil {
			t.Error(err)
		}
		return action
	})
	return w
}

func (w *moment) open(store objstore.Store) *Queue {
	return Open(store, log.Options{Pause: func(context.Context, time.Duration) error { return nil }})
}

// held has the first ask, and holds the log against what all have. It tells whether that came to the call.
func (w *moment) held(first asker) (met bool) {
	w.t.Helper()
	has, err := first.asks(w.t.Context())
	switch {
	case err == nil:
		w.has = append(w.has, has)
	case !errors.Is(err, objstore.ErrFault) && !errors.Is(err, log.ErrUnknown):
		w.t.Fatal(err)
	}
	w.fault.Release()
	all, err := w.open(w.store).List(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	live := map[plans.ID]*Request{}
	for _, r := range all {
		if !r.Ended() {
			live[r.Plan] = r
		}
	}
	for _, id := range w.has {
		if live[id] == nil {
			w.t.Errorf("who asked has %s, and under way are %v", id, live)
		}
	}
	for _, r := range live {
		for _, before := range live {
			if before.Changed < r.Entry && r.Plan != simPlan(0) {
				w.t.Errorf("request %s was entered by %d, when %s was under way since %d", r.Plan, r.Entry, before.Plan, before.Changed)
			}
		}
	}
	return w.calls.Load() > 0
}
