package requests

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"strandline/internal/log"
	"strandline/plans"
)

// prefix is where the log lies in the lake.
const prefix = "requests"

// Queue is the requests of one lake. It is safe for concurrent use.
type Queue struct {
	follow *log.Follower[*State]

	mu   sync.Mutex
	lost error // why the log was read anew, until that is told
}

// Open returns the queue of a lake. It reads nothing yet.
func Open(store log.Store, opts log.Options) *Queue {
	q := &Queue{}
	q.follow = log.FollowAnew(log.New(store, prefix, opts), newState, func(why error) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.lost = why
	})
	return q
}

// loss is why the log had to be read anew, once: it has lost entries that were read, and others may have come in
// their place.
func (q *Queue) loss() (why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	why, q.lost = q.lost, nil
	return why
}

// Refresh reads what others have entered.
func (q *Queue) Refresh(ctx context.Context) error {
	if err := q.follow.Refresh(ctx); err != nil {
		return fmt.Errorf("read the log of requests: %w", mendable(err))
	}
	return nil
}

// View calls fn with the state as last read. fn must neither change nor keep it.
func (q *Queue) View(fn func(*State)) {
	q.follow.View(func(s *State, _ log.Head) { fn(s) })
}

// List reads on, and returns all requests, the newest first.
func (q *Queue) List(ctx context.Context) (all []*Request, err error) {
	if err := q.Refresh(ctx); err != nil {
		return nil, err
	}
	q.View(func(s *State) {
		for _, r := range s.Requests() {
			all = append(all, r.clone())
		}
	})
	return all, nil
}

// Find reads on, and returns the request of an id, or of the first digits of one, at
// least plans.LeastPrefix. It is ErrNoRequest where there is none, or more than one.
func (q *Queue) Find(ctx context.Context, id string) (*Request, error) {
	if len(id) < plans.LeastPrefix {
		return nil, fmt.Errorf("request %q: %w: want its id, or the first %d or more of its digits", id, ErrNoRequest, plans.LeastPrefix)
	}
	all, err := q.List(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r *Request) bool { return !strings.HasPrefix(r.Plan.String(), id) })
	switch len(all) {
	case 0:
		return nil, fmt.Errorf("request %s: %w; strandline backfill list shows those there are", id, ErrNoRequest)
	case 1:
		return all[0], nil
	}
	return nil, fmt.Errorf("request %s: %w: %d begin so; give more digits", id, ErrNoRequest, len(all))
}

// Submit enters a request. Its plan must be in the lake. It tells what the request was
// before: nil if it was not listed. One that had failed or was cancelled is worked on again, and
// so is one that was done, if something of it is left (see Submission.Left); one that has not
// ended stays as it is. Of one of which workers have slices still, the slices stay.
//
// If due is not nil, a schedule asks: where that time, or a later one, was dealt with
// already, nothing is entered, and before is nil or as it was. entered tells whether this call
// has entered anything.
//
// Where looked is not nil, it is what was decided by: whether another request does what is asked for. Where that may
// be decided otherwise by now, it is ErrSince, and nothing is entered.
func (q *Queue) Submit(ctx context.Context, s Submission, due *Due, looked *Look) (before *Request, entered bool, err error) {
	if err := s.validate(); err != nil {
		return nil, false, fmt.Errorf("submit %s: %w", s.Asked, err)
	}
	_, err = q.commit(ctx, func(state *State) (*change, error) {
		before, entered = nil, false
		if r := state.requests[s.Plan]; r != nil {
			before = r.clone()
		}
		if due != nil && !due.At.After(state.due[due.Schedule]) {
			return nil, nil
		}
		asked := s
		switch {
		case before == nil:
			asked.Left = nil // all of it is
		case before.Slices != s.Slices && before.On == "" && s.On == "" && len(before.Claims) > 0:
			asked = s.cutAs(before)
		}
		if before != nil && !before.clone().again(asked) && due == nil {
			return nil, nil
		}
		if before == nil || before.Ended() { // else it is joined
			if err := looked.stands(state, s); err != nil {
				return nil, err
			}
		}
		entered = true
		return &change{Submitted: &submitted{Submission: asked, Due: due}}, nil
	})
	return before, entered && err == nil, err
}

// NothingDue enters that a schedule was due and had nothing to ask for. It tells whether it has:
// else that time, or a later one, was dealt with already.
func (q *Queue) NothingDue(ctx context.Context, due Due) (entered bool, err error) {
	_, err = q.commit(ctx, func(state *State) (*change, error) {
		entered = false
		if !due.At.After(state.due[due.Schedule]) {
			return nil, nil
		}
		entered = true
		return &change{Due: &due}, nil
	})
	return entered && err == nil, err
}

// LastDue reads on, and returns when a schedule was last dealt with; zero if it never was.
func (q *Queue) LastDue(ctx context.Context, schedule string) (at time.Time, err error) {
	if err := q.Refresh(ctx); err != nil {
		return at, err
	}
	q.View(func(s *State) { at = s.LastDue(schedule) })
	return at, nil
}

// Pause keeps workers from the request until it is resumed.
func (q *Queue) Pause(ctx context.Context, id plans.ID, by string) error {
	return q.set(ctx, setting{Plan: id, Do: pause, By: by})
}

// Resume has workers go on with a request that is paused, was cancelled or has failed, or was run
// well where the table has lost some of it since: with what is left of its plan, as of the
// positions that it has. left and tried are as of Submission; without left, what was run well
// stays so.
func (q *Queue) Resume(ctx context.Context, id plans.ID, left []int, tried *int, by string) error {
	return q.set(ctx, setting{Plan: id, Do: resume, Left: left, Tried: tried, By: by})
}

// Cancel ends a request. What is published stands. The outcome is what another engine has made of it until now, and its
// Reason what there is to be done about it yet, as where that engine is to be told: which stands until it is cancelled
// once more, without.
func (q *Queue) Cancel(ctx context.Context, id plans.ID, by string, o Outcome) error {
	return q.set(ctx, o.setting(setting{Plan: id, Do: cancel, By: by}))
}

// Resize changes how many slices of a request are worked on at a time.
func (q *Queue) Resize(ctx context.Context, id plans.ID, parallel int, by string) error {
	return q.set(ctx, setting{Plan: id, Do: resize, By: by, Parallel: parallel})
}

// Given enters that another engine was given a request, though it may be under way there already, and what it calls
// its work of that: what was seen of the request before ends it no more, and what ended it as failed meanwhile is undone.
// One that is done or was cancelled stays so. Where the request was changed otherwise since it was looked at, before it
// was given, that may have been given too, and what the work is called is not entered.
func (q *Queue) Given(ctx context.Context, looked *Request, work string) error {
	_, err := q.commit(ctx, func(state *State) (*change, error) {
		r := state.requests[looked.Plan]
		if r == nil {
			return nil, fmt.Errorf("give request %s to its engine: %w", looked.Plan, ErrNoRequest)
		}
		if r.Ended() && r.State() != Broken {
			return nil, nil
		}
		s := r.Submission
		if r.Changed == looked.Changed || r.State() == Broken && r.Entry == looked.Entry && r.Work == looked.Work {
			s.Work = work
		}
		return &change{Submitted: &submitted{Submission: s}}, nil
	})
	return err
}

// Settle enters what another engine has made of a request, as that was when looking began. Where it was changed or given
// to its engine since, nothing is entered: what was seen may be of before. One that has ended is ErrEnded.
func (q *Queue) Settle(ctx context.Context, looked *Request, o Outcome, by string) error {
	s := o.setting(setting{Plan: looked.Plan, Do: settle, By: by})
	return q.setIf(ctx, s, func(r *Request) bool { return r.Changed == looked.Changed && r.Entry == looked.Entry })
}

func (q *Queue) set(ctx context.Context, s setting) error {
	return q.setIf(ctx, s, func(*Request) bool { return true })
}

// setIf changes a request if it still is as it has to be.
func (q *Queue) setIf(ctx context.Context, s setting, is func(*Request) bool) error {
	_, err := q.commit(ctx, func(state *State) (*change, error) {
		r := state.requests[s.Plan]
		if r == nil {
			return nil, fmt.Errorf("%s request %s: %w", s.Do, s.Plan, ErrNoRequest)
		}
		if s.idle(r) || !is(r) {
			return nil, nil
		}
		if err := s.fits(r); err != nil {
			return nil, err
		}
		return &change{Set: &s}, nil
	})
	return err
}

// commit enters what decide makes of the newest state, if anything. A change that the state
// refuses is not entered, since nobody could read the log past it.
func (q *Queue) commit(ctx context.Context, decide func(*State) (*change, error)) (log.Entry, error) {
	e, err := q.follow.Commit(ctx, func(s *State) (any, error) {
		c, err := decide(s)
		if err != nil || c == nil {
			return nil, err
		}
		if err := c.fold(newDraft(s), log.Entry{}); err != nil {
			return nil, fmt.Errorf("it contradicts the log, and was not entered: %w", err)
		}
		return c, nil
	})
	if err != nil && !errors.Is(err, ErrNoRequest) && !errors.Is(err, ErrEnded) {
		err = fmt.Errorf("enter in the log of requests: %w", mendable(err))
	}
	return e, err
}

// WithoutCopy says what helps where the log is damaged and there is no copy of the lake. All that lies there goes
// together: a checkpoint or a record of a trim that was left would tell of entries that are not there.
const WithoutCopy = "if there is no copy, stop all that runs on the lake and remove all objects of " + prefix + "/ (log, checkpoints and trims, none of them alone): the requests are forgotten, and when schedules were due last, so submit anew what is to be done; no published row is lost, and what is done already is found so"

// mendable says of a damaged log what to do about it.
func mendable(err error) error {
	if errors.Is(err, log.ErrCorrupt) && !errors.Is(err, log.ErrStray) { // which says it itself, and forgets nothing
		return fmt.Errorf("%w; restore it from a copy of the lake; %s", err, WithoutCopy)
	}
	return err
}
