package pool

import (
	"context"
	"maps"
	"slices"

	"strandline/engines"
)

// run is one plan as the pool works it. The pool's lock guards it.
type run struct {
	pool    *Pool
	ref     engines.Ref
	options engines.Options
	ctx     context.Context
	giveUp  context.CancelFunc

	next   int         // the first slice that was never begun
	again  []int       // slices to be tried again
	tries  map[int]int // of slices that did not succeed at once
	paused bool
	ended  engines.State // "" before that
	why    error         // the first that says why something failed

	active, failed int
	well           map[int]bool  // slices that succeeded, or were not left
	bad            map[int]bool  // those that failed for good, in earlier runs too
	before         int           // how many of those that failed now did so in an earlier run
	over           chan struct{} // closed when it has ended and nothing is being worked
}

func newRun(p *Pool, ref engines.Ref, o engines.Options) *run {
	r := &run{pool: p, ref: ref, options: o, tries: map[int]int{}, well: map[int]bool{}, bad: map[int]bool{}, over: make(chan struct{})}
	r.ctx, r.giveUp = context.WithCancel(p.ctx)
	if len(o.Left) > 0 {
		r.next, r.again = ref.Slices, slices.Clone(o.Left)
		for slice := range ref.Slices {
			if !slices.Contains(o.Left, slice) {
				r.well[slice] = true
			}
		}
	}
	return r
}

// fill begins slices for as long as that is wanted. The pool is locked.
func (r *run) fill() {
	for !r.paused && r.ended == "" && r.ctx.Err() == nil && r.active < r.options.Parallel {
		slice, is := r.take()
		if !is {
			return
		}
		r.active++
		r.pool.workers.Go(func() { r.work(slice) })
	}
}

// take returns the slice that is to be worked next: earlier ones first.
func (r *run) take() (slice int, is bool) {
	switch {
	case len(r.again) > 0:
		slice, r.again = r.again[0], r.again[1:]
	case r.next < r.ref.Slices:
		slice = r.next
		r.next++
	default:
		return 0, false
	}
	return slice, true
}

func (r *run) work(slice int) {
	ending, err := r.pool.options.Work(r.ctx, r.ref, slice)
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	r.active--
	r.settle(slice, ending, err)
	r.fill()
	r.leave()
}

// leave frees what is held for a plan that is over.
func (r *run) leave() {
	if r.ended == "" || r.active > 0 {
		return
	}
	select {
	case <-r.over:
	default:
		close(r.over)
		r.giveUp()
	}
}

// settle takes note of how the work on a slice has ended.
func (r *run) settle(slice int, ending engines.Ending, err error) {
	r.tries[slice]++
	switch {
	case ending.Succeeded():
		r.well[slice] = true
	case ending.Again() && (r.tries[slice] < r.pool.options.Tries || r.ctx.Err() != nil):
		r.again = append(r.again, slice)
	default:
		r.fail(slice, ending, err)
	}
	switch all := len(r.well) + r.failed; {
	case r.ended != "":
	case len(r.well) == r.ref.Slices:
		r.end(engines.Done, nil)
	case all == r.ref.Slices:
		r.end(engines.Failed, nil)
	}
}

// fail takes note of a slice that failed for good, and perhaps the plan with it.
func (r *run) fail(slice int, ending engines.Ending, err error) {
	r.failed++
	if r.bad[slice] {
		r.before++
	}
	r.bad[slice] = true
	if r.why == nil {
		r.why = err
	}
	if ending.Plan() || r.options.MaxFailures > 0 && r.failed-r.before >= r.options.MaxFailures {
		r.end(engines.Failed, err)
	}
}

// end ends the plan, unless it has.
func (r *run) end(as engines.State, why error) {
	if r.ended != "" {
		return
	}
	r.ended = as
	if r.why == nil {
		r.why = why
	}
}

func (r *run) state() engines.State {
	switch {
	case r.ended != "":
		return r.ended
	case r.paused:
		return engines.Paused
	case r.next == 0:
		return engines.Waiting
	}
	return engines.Running
}

func (r *run) observe() engines.Observation {
	o := engines.Observation{
		State: r.state(), Parallel: r.options.Parallel, Active: r.active, Succeeded: len(r.well), Failed: r.failed,
		Well: slices.Sorted(maps.Keys(r.well)),
	}
	if r.why != nil {
		o.Message = r.why.Error()
	}
	return o
}
