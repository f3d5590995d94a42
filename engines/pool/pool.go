// Package pool is an engine in this process: it has so many slices of a plan worked at a
// time. What it knows of plans ends with the process. To submit a plan again, here or in
// another process, does what is left of it.
package pool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"strandline/engines"
	"strandline/plans"
)

// DefaultTries is how often a slice is worked at most, if that is not said.
const DefaultTries = 4

// Options are what a pool needs.
type Options struct {
	Work  engines.Work
	Tries int // of a slice, at most; default DefaultTries
}

// Pool is an engines.Engine of this process.
type Pool struct {
	ctx     context.Context
	stop    context.CancelFunc
	options Options
	workers sync.WaitGroup

	mu   sync.Mutex
	runs map[plans.ID]*run
}

// New returns a pool whose work ends when ctx does. The caller must Close it.
func New(ctx context.Context, o Options) *Pool {
	if o.Tries < 1 {
		o.Tries = DefaultTries
	}
	ctx, stop := context.WithCancel(ctx)
	return &Pool{ctx: ctx, stop: stop, options: o, runs: map[plans.ID]*run{}}
}

// Close gives up what is being worked, and returns when that has ended.
func (p *Pool) Close() {
	p.mu.Lock()
	p.stop()
	p.mu.Unlock()
	p.workers.Wait()
}

// Ready implements engines.Engine.
func (p *Pool) Ready(_ context.Context, ref engines.Ref, o engines.Options) error {
	if err := engines.Check(ref, o); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.begins(ref, o)
	return err
}

// Submit implements engines.Engine.
func (p *Pool) Submit(_ context.Context, ref engines.Ref, o engines.Options) (work string, err error) {
	if err := engines.Check(ref, o); err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	begins, err := p.begins(ref, o)
	if begins {
		r := newRun(p, ref, o)
		if was := p.runs[ref.Plan]; was != nil && was.ref == ref {
			r.bad = maps.Clone(was.bad)
		}
		p.runs[ref.Plan] = r
		r.fill()
	}
	return "", err
}

// begins tells whether a plan is to be begun. The pool is locked.
func (p *Pool) begins(ref engines.Ref, o engines.Options) (bool, error) {
	if p.ctx.Err() != nil {
		return false, fmt.Errorf("submit plan %s: the pool is closed", ref.Plan.Short())
	}
	known, is := p.runs[ref.Plan]
	switch {
	case !is:
		return true, nil
	case !known.state().Ended() && known.ref != ref:
		return false, fmt.Errorf("submit plan %s in %d slices: %w, %d", ref.Plan.Short(), ref.Slices, engines.ErrDiffers, known.ref.Slices)
	case !known.state().Ended():
		return false, nil
	}
	return known.state() != engines.Done || o.Anew, nil
}

// Observe implements engines.Engine.
func (p *Pool) Observe(_ context.Context, plan plans.ID) (o engines.Observation, err error) {
	err = p.with(plan, func(r *run) { o = r.observe() })
	return o, err
}

// Resize implements engines.Engine.
func (p *Pool) Resize(_ context.Context, plan plans.ID, parallel int) error {
	if parallel < 1 {
		return fmt.Errorf("resize plan %s to %d slices at a time: want at least 1", plan.Short(), parallel)
	}
	return p.with(plan, func(r *run) { r.options.Parallel = parallel })
}

// Pause implements engines.Engine. What is being worked ends.
func (p *Pool) Pause(_ context.Context, plan plans.ID) error {
	return p.with(plan, func(r *run) { r.paused = true })
}

// Resume implements engines.Engine.
func (p *Pool) Resume(_ context.Context, plan plans.ID) error {
	return p.with(plan, func(r *run) { r.paused = false })
}

// Cancel implements engines.Engine.
func (p *Pool) Cancel(_ context.Context, plan plans.ID) error {
	return p.with(plan, func(r *run) {
		if !r.state().Ended() {
			r.end(engines.Cancelled, errors.New("it was cancelled"))
			r.giveUp()
			r.leave()
		}
	})
}

// Wait returns what is known of a plan once it has ended and nothing of it is being
// worked; sooner, with an error, when ctx is done or the pool is closed.
func (p *Pool) Wait(ctx context.Context, plan plans.ID) (engines.Observation, error) {
	var over chan struct{}
	if err := p.with(plan, func(r *run) { over = r.over }); err != nil {
		return engines.Observation{}, err
	}
	select {
	case <-over:
		return p.Observe(ctx, plan)
	case <-ctx.Done():
		return engines.Observation{}, ctx.Err()
	case <-p.ctx.Done():
		return engines.Observation{}, p.ctx.Err()
	}
}

// with calls fn with what is known of a plan, and begins what can be begun after it.
func (p *Pool) with(plan plans.ID, fn func(*run)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, is := p.runs[plan]
	if !is {
		return fmt.Errorf("plan %s: %w", plan.Short(), engines.ErrUnknown)
	}
	fn(r)
	r.fill()
	return nil
}
