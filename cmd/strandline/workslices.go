package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"strandline/engines"
	"strandline/engines/pool"
	"strandline/plans"
	"strandline/requests"
	"strandline/runner"
	"strandline/window"
)

// errCancelled says that a person has cancelled what is being worked.
var errCancelled = errors.New("the plan was cancelled")

// errSpent says that as many partitions of a plan have failed as it was to end at: no slice of it is begun any more.
var errSpent = errors.New("too many partitions failed")

// planWork is a plan that this process works on. Slices of it may be done at the same time.
type planWork struct {
	app   *app
	id    plans.ID
	file  plans.File
	task  *runner.Task
	queue *requests.Queue
	// maxFailures is after how many failures nothing more of the whole plan is begun, but for those before; 0: however many.
	maxFailures, before int

	mu       sync.Mutex
	outcomes map[string]runner.Outcome // the last of each partition
	printErr error
	errs     map[int]error // of each slice, by its last try
}

func newPlanWork(a *app, id plans.ID, f plans.File, task *runner.Task, queue *requests.Queue) *planWork {
	return &planWork{app: a, id: id, file: f, task: task, queue: queue, outcomes: map[string]runner.Outcome{}, errs: map[int]error{}}
}

// all does all slices that are left.
func (w *planWork) all(ctx context.Context, ref engines.Ref, o engines.Options) error {
	p := pool.New(ctx, pool.Options{Work: func(ctx context.Context, ref engines.Ref, slice int) (engines.Ending, error) {
		err := w.slice(ctx, share{slice, ref.Slices}, 1)
		return engines.Ending(exitCode(err)), err
	}})
	defer p.Close()
	if w.file.Atomic {
		ref.Slices = 1
	}
	if _, err := p.Submit(ctx, ref, o); err != nil {
		return err
	}
	seen, err := p.Wait(ctx, w.id)
	if err != nil || seen.State == engines.Done {
		return err
	}
	return w.left()
}

// slice does one slice, so many partitions at a time, and tells of each.
func (w *planWork) slice(ctx context.Context, s share, parallel int) error {
	return w.note(s, w.try(ctx, s, parallel))
}

// try is slice. It stops when the plan is cancelled, which it looks for between partitions.
func (w *planWork) try(ctx context.Context, s share, parallel int) error {
	if err := w.cancelled(ctx); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	report, err := w.task.RunSlice(ctx, w.file, s.index, s.of, runner.Options{
		Parallel: parallel, MaxFailures: w.maxFailures, Others: w.others(s), Done: func(o runner.Outcome) {
			w.done(o)
			if err := w.cancelled(ctx); errors.Is(err, errCancelled) {
				stop(err)
			}
		},
	})
	if cause := context.Cause(ctx); errors.Is(cause, errCancelled) {
		err = cause
	}
	if errors.Is(err, runner.ErrTooManyFailed) {
		err = fmt.Errorf("plan %s of job %s: %w: it was to end at %d, and what is published stands", w.id.Short(), w.file.Job, errSpent, w.maxFailures)
	}
	if err == nil {
		err = w.failures(report)
	}
	return err
}

// others is what a slice is told of the others, in whatever process, by the table.
func (w *planWork) others(s share) *runner.Others {
	if w.maxFailures == 0 || s.of == 1 {
		return nil
	}
	return &runner.Others{Before: w.before}
}

// note keeps how the last try of a slice ended.
func (w *planWork) note(s share, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.errs[s.index] = err
	return err
}

// left is the error of all slices: the first of each exit code is told, and the code is
// exitSomeFailed only where no other try can do anything of what is left.
func (w *planWork) left() error {
	first := map[int]error{}
	for _, slice := range slices.Sorted(maps.Keys(w.errs)) {
		err := w.errs[slice]
		if code := exitCode(err); first[code] == nil {
			first[code] = err
		}
	}
	var all error
	for _, code := range []int{exitRefused, exitFailed, exitUsage, exitSomeFailed} {
		switch err := first[code]; {
		case err == nil:
		case all == nil:
			all = err
		default:
			all = fmt.Errorf("%w\n%v", all, err) // told, and the code stays that of the first
		}
	}
	return all
}

// cancelled is errCancelled if the request for the plan was cancelled. A plan may be
// worked without one.
func (w *planWork) cancelled(ctx context.Context) error {
	r, err := w.queue.Find(ctx, w.id.String())
	switch {
	case errors.Is(err, requests.ErrNoRequest):
		return nil
	case err != nil:
		return err
	case r.State() == requests.Cancelled:
		return fmt.Errorf("plan %s of job %s: %w (strandline backfill show %s); what is published stands", w.id.Short(), w.file.Job, errCancelled, w.id.Short())
	}
	return nil
}

func (w *planWork) done(o runner.Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.outcomes[o.Partition.String()] = o
	w.printErr = errors.Join(w.printErr, w.app.done(w.file.Job, w.file.Driver, o))
}

// failures is the error of a slice of which some partitions were not published: for good,
// unless another try may do some of them.
func (w *planWork) failures(report runner.Report) error {
	if lacking := report.Lacking(); len(lacking) > 0 {
		failed, withheld := faultsOf(report)
		return fmt.Errorf("plan %s of job %s: %d of %s could not be computed here, the first is %s: %w%s%s; try again",
			w.id.Short(), w.file.Job, len(lacking), count(len(report.Outcomes), "partition"), lacking[0].Partition, lacking[0].Err,
			someOf(len(failed)-len(lacking), "failed or held for good"), someOf(len(withheld), "withheld for that"))
	}
	if err := someFailedOf(report); err != nil {
		return fmt.Errorf("plan %s of job %s: %w", w.id.Short(), w.file.Job, err)
	}
	return nil
}

// sum tells what was done in all, if anything was begun.
func (w *planWork) sum(err error) error {
	if err != nil && len(w.outcomes) == 0 {
		return err
	}
	report := runner.Report{Plan: window.Plan{Job: w.task.Job()}, Outcomes: slices.Collect(maps.Values(w.outcomes))}
	told := w.app.sumUp(w.file.Driver, report)
	if err == nil {
		err = told
	}
	return errors.Join(err, w.printErr)
}
