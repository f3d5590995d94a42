// Package queue is the engine that every lake has: its log of requests, and whatever workers
// go by it.
package queue

import (
	"context"
	"errors"
	"fmt"

	"strandline/engines"
	"strandline/internal/objstore"
	"strandline/plans"
	"strandline/requests"
)

// Engine is an engines.Engine on the requests of a lake.
type Engine struct {
	store objstore.Store
	queue *requests.Queue
	by    string
}

// New returns the engine of a lake; by says who asks, for people.
func New(store objstore.Store, queue *requests.Queue, by string) *Engine {
	return &Engine{store, queue, by}
}

// Ready implements engines.Engine.
func (e *Engine) Ready(ctx context.Context, ref engines.Ref, o engines.Options) error {
	if err := engines.Check(ref, o); err != nil {
		return err
	}
	r, err := e.queue.Find(ctx, ref.Plan.String())
	if errors.Is(err, requests.ErrNoRequest) {
		return nil
	}
	return errors.Join(err, differs(ref, r))
}

// differs is engines.ErrDiffers of a request that is being worked in other slices.
func differs(ref engines.Ref, r *requests.Request) error {
	if r == nil || r.Ended() || r.Slices == ref.Slices {
		return nil
	}
	return fmt.Errorf("submit plan %s in %d slices: %w, %d", ref.Plan.Short(), ref.Slices, engines.ErrDiffers, r.Slices)
}

// Submit implements engines.Engine. Of a plan that is begun again only those slices are run
// that were not run well, or are left, or with Anew all. MaxFailures counts partitions.
func (e *Engine) Submit(ctx context.Context, ref engines.Ref, o engines.Options) (work string, err error) {
	if err := engines.Check(ref, o); err != nil {
		return "", err
	}
	file, err := plans.Read(ctx, e.store, ref.Plan)
	if err != nil {
		return "", err
	}
	s := requests.Submission{
		Plan: ref.Plan, Job: file.Job, Fingerprint: file.Fingerprint, Driver: file.Driver, Asked: file.Asked, Partitions: len(file.Tasks),
		Slices: ref.Slices, Parallel: o.Parallel, MaxFailures: o.MaxFailures, Priority: o.Priority, By: e.by,
	}
	s.Left = o.Left
	if o.Anew && len(o.Left) == 0 {
		for slice := range ref.Slices {
			s.Left = append(s.Left, slice)
		}
	}
	if o.MaxFailures > 0 {
		s.Tried = &o.Before
	}
	before, _, err := e.queue.Submit(ctx, s, nil, nil)
	return "", errors.Join(err, differs(ref, before))
}

// Observe implements engines.Engine.
func (e *Engine) Observe(ctx context.Context, plan plans.ID) (o engines.Observation, err error) {
	r, err := e.find(ctx, plan)
	if err != nil {
		return o, err
	}
	o = engines.Observation{
		State: states[r.State()], Parallel: r.Parallel, Active: len(r.Claims),
		Succeeded: r.SlicesRun() - r.SlicesFailed(), Failed: r.SlicesFailed(),
	}
	switch {
	case r.Stop != nil:
		o.Message = r.Stop.Reason
	case len(r.Failures) > 0:
		o.Message = fmt.Sprintf("%s: %s", r.Failures[0].Partition, r.Failures[0].Reason)
	}
	return o, nil
}

var states = map[requests.RequestState]engines.State{
	requests.Waiting: engines.Waiting, requests.Running: engines.Running, requests.Paused: engines.Paused, requests.Done: engines.Done,
	requests.InPart: engines.Failed, requests.Broken: engines.Failed, requests.Cancelled: engines.Cancelled,
}

func (e *Engine) find(ctx context.Context, plan plans.ID) (*requests.Request, error) {
	r, err := e.queue.Find(ctx, plan.String())
	return r, known(err)
}

// Resize implements engines.Engine.
func (e *Engine) Resize(ctx context.Context, plan plans.ID, parallel int) error {
	return changed(e.queue.Resize(ctx, plan, parallel, e.by))
}

// Pause implements engines.Engine. What is being worked is given up between partitions.
func (e *Engine) Pause(ctx context.Context, plan plans.ID) error {
	return changed(e.queue.Pause(ctx, plan, e.by))
}

// Resume implements engines.Engine.
func (e *Engine) Resume(ctx context.Context, plan plans.ID) error {
	r, err := e.find(ctx, plan)
	if err != nil || r.Ended() {
		return err
	}
	return changed(e.queue.Resume(ctx, plan, nil, nil, e.by))
}

// Cancel implements engines.Engine.
func (e *Engine) Cancel(ctx context.Context, plan plans.ID) error {
	return changed(e.queue.Cancel(ctx, plan, e.by, requests.Outcome{}))
}

// changed is nil where there was nothing to change, since the plan had ended.
func changed(err error) error {
	if errors.Is(err, requests.ErrEnded) {
		return nil
	}
	return known(err)
}

func known(err error) error {
	if errors.Is(err, requests.ErrNoRequest) {
		return fmt.Errorf("%w: %w", engines.ErrUnknown, err)
	}
	return err
}

var _ engines.Engine = (*Engine)(nil)
