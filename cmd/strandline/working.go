package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/plans"
	"strandline/requests"
	"strandline/runner"
	"strandline/window"
)

// working is what a process needs to run slices of requests.
type working struct {
	slots int // slices that it runs at a time
	gate  runner.Slots
	lake  *lake
	tasks map[string]*runner.Task // by job
	// done is told each partition's outcome, and tell what people should know. Calls of
	// done may overlap.
	done func(r *requests.Request, o runner.Outcome)
	tell func(format string, args ...any)
}

func newWorking(l *lake, tasks []*runner.Task, slots int, gate runner.Slots) *working {
	w := &working{slots: slots, gate: gate, lake: l, tasks: map[string]*runner.Task{}}
	for _, t := range tasks {
		w.tasks[t.Job().Name] = t
	}
	return w
}

// options completes those of a worker that runs slices here.
func (w *working) options(o requests.WorkerOptions) (requests.WorkerOptions, error) {
	var err error
	o.Slots, o.Room, o.Judge, o.Run, o.Probe, o.Tell = w.slots, w.gate.Room, w.judge, w.run, w.lake.scratch.Try, w.tell
	o.Name, err = workerName()
	return o, err
}

// workerName is of one process alone, ever.
func workerName() (string, error) {
	id, err := objstore.FreshID()
	if err != nil {
		return "", err
	}
	return writerName() + " " + id[:8], nil
}

// judge tells whether this process can run slices of a request: it has the job, with the
// code that the request was planned with, and the table can be read and still has that code too.
func (w *working) judge(ctx context.Context, r *requests.Request) (v requests.Verdict, err error) {
	task := w.tasks[r.Job]
	if task == nil {
		v.Why = fmt.Sprintf("job %s is not in this configuration, or can't be run here", r.Job)
		return v, nil
	}
	table, err := w.lake.tables[r.Job].Snapshot(ctx)
	if isDamage(err) {
		v.Damage = err
		return v, nil
	}
	if err == nil {
		v.Damage, err = w.inputs(ctx, task)
	}
	if err != nil || v.Damage != nil {
		return v, err
	}
	v.Never = replacedBy(r, table.Definition)
	switch {
	case v.Never != "":
	case task.Fingerprint() != r.Fingerprint:
		v.Why = fmt.Sprintf("it is of code %s of job %s, and this process has %s", r.Fingerprint.Short(), r.Job, task.Fingerprint().Short())
	default:
		v.Accepts = true
	}
	return v, nil
}

// inputs reads on what a job reads: damage of that keeps everybody from its requests.
func (w *working) inputs(ctx context.Context, task *runner.Task) (damage, err error) {
	for _, in := range task.Job().Inputs {
		if in.Table {
			_, err = w.lake.tables[in.Name].Snapshot(ctx)
		} else {
			err = w.lake.streams[in.Name].Refresh(ctx)
		}
		if isDamage(err) {
			return err, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// replacedBy says that a table has other code than a request was planned with, so that nobody
// can carry it out any more; "" if not.
func replacedBy(r *requests.Request, d manifests.Definition) string {
	if d.Fingerprint == r.Fingerprint {
		return ""
	}
	return fmt.Sprintf("it was planned with code %s of job %s, and the table has code %s since (generation %d, registered by %s): submit it again", r.Fingerprint.Short(), r.Job, d.Fingerprint.Short(), d.Generation, d.Writer)
}

// resumable tells how far a request's plan is; an error if nobody can carry it out any more.
func (l *lake) resumable(ctx context.Context, r *requests.Request) (p plans.Progress, err error) {
	file, table, err := l.planAndTable(ctx, r)
	if err != nil {
		return p, err
	}
	if why := replacedBy(r, table.Definition); why != "" {
		return p, fmt.Errorf("request %s: %w: %s", r.Plan.Short(), errRefused, why)
	}
	p = file.Progress(table)
	if p.Count[plans.Done] < len(p.States) {
		err = l.stillReads(ctx, file)
	}
	if err != nil {
		err = fmt.Errorf("request %s: %w", r.Plan.Short(), err)
	}
	return p, err
}

// stillReads is runner.ErrGone if a version of a table that a plan reads has expired.
func (l *lake) stillReads(ctx context.Context, f plans.File) error {
	for input, version := range f.Read {
		name, is := manifests.InputTable(input)
		if !is || l.tables[name] == nil { // who has it declared will tell
			continue
		}
		_, err := l.tables[name].SnapshotAt(ctx, manifests.Version(version))
		if errors.Is(err, manifests.ErrExpired) {
			return runner.Gone(err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// run runs a slice.
func (w *working) run(ctx context.Context, r *requests.Request, slice int, enough <-chan struct{}) requests.Result {
	return w.lake.onMachine(ctx, w.try(ctx, r, slice, enough))
}

// try is run, which does not know yet whose fault it is where it breaks off.
func (w *working) try(ctx context.Context, r *requests.Request, slice int, enough <-chan struct{}) requests.Result {
	file, err := w.lake.plans.read(ctx, r.Plan)
	if err != nil {
		return requests.Result{Err: err, Never: w.forGood(ctx, r, err)}
	}
	o := runner.Options{Parallel: 1, Elsewhere: true, Slots: w.gate, Done: func(o runner.Outcome) { w.done(r, o) }}
	if r.Slices == 1 {
		o.Parallel = min(r.Parallel, w.slots)
	}
	if !file.Atomic {
		o.Enough = enough
	}
	o.MaxFailures, o.Others = r.MaxFailures, othersOf(r)
	report, err := w.tasks[r.Job].RunSlice(ctx, file, slice, r.Slices, o)
	if errors.Is(err, runner.ErrTooManyFailed) {
		err = tooManyFailed(r) // what the slice has not tried is not all that the request has not
	}
	if err != nil {
		return requests.Result{Err: err, Never: w.forGood(ctx, r, err), Damage: isDamage(err)}
	}
	return resultOf(report, spareOf(r), r.Tries[slice] > 0)
}

// tooManyFailed is why a request ends that may bear no more failures.
func tooManyFailed(r *requests.Request) error {
	return fmt.Errorf("%w: it was to end at %d", runner.ErrTooManyFailed, r.MaxFailures)
}

// spareOf is how many more partitions of a request may fail until it is ended.
func spareOf(r *requests.Request) int {
	if r.MaxFailures == 0 {
		return math.MaxInt
	}
	return r.MaxFailures - r.Spent()
}

// othersOf is what a slice of a request is told of the others; nil if there are none, or
// however many may fail.
func othersOf(r *requests.Request) *runner.Others {
	if r.MaxFailures == 0 || r.Slices == 1 {
		return nil
	}
	others := runner.Others{Failed: r.Spent(), Before: r.Partitions}
	if r.Tried != nil {
		others.Before = *r.Tried
	}
	return &others
}

// resultOf is what came of a slice that was run to its end. Where another try may do some
// of what failed, the slice is to be given back for one, unless so many as to end the request
// have failed for good. What had failed before does not count, unless that may have been in an
// earlier try of this slice.
func resultOf(report runner.Report, spare int, again bool) (result requests.Result) {
	lasting := 0 // that count
	for _, f := range report.Failed() {
		if f.Lacking() {
			continue
		}
		result.Failed++
		result.Failures = append(result.Failures, requests.Failure{Partition: f.Partition.String(), Reason: whyNot(f).Error()})
		if f.Before && !again {
			result.Before++
		} else if f.Verdict != manifests.Withheld || f.Err != nil {
			lasting++
		}
	}
	if lacking := report.Lacking(); len(lacking) > 0 && lasting < spare {
		first := lacking[0]
		if i := slices.IndexFunc(lacking, func(o runner.Outcome) bool { return errors.Is(o.Err, window.ErrDamage) }); i >= 0 {
			first, result.Damage = lacking[i], true
		}
		result.Err = fmt.Errorf("partitions could not be computed: %w", first.Err) // which are told one by one
	}
	return result
}

// forGood tells whether an error of a slice would come again, wherever it is run. It would not
// where the table was given other code and has that of the request again.
func (w *working) forGood(ctx context.Context, r *requests.Request, err error) bool {
	if errors.Is(err, manifests.ErrReplaced) {
		table, err := w.lake.tables[r.Job].Snapshot(ctx)
		return err == nil && replacedBy(r, table.Definition) != ""
	}
	return isAny(err, window.ErrNotPlanned, window.ErrHistory, window.ErrInput, plans.ErrSlice, plans.ErrPlan, plans.ErrNoPlan, runner.ErrNotWhole, runner.ErrTooManyFailed, runner.ErrGone)
}

// planCache keeps the plan that was read last: most slices that a worker runs one after another
// are of one plan.
type planCache struct {
	store objstore.Store

	mu   sync.Mutex
	id   plans.ID
	file plans.File
}

func (c *planCache) read(ctx context.Context, id plans.ID) (plans.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.id == id {
		return c.file, nil
	}
	file, err := plans.Read(ctx, c.store, id)
	if err == nil {
		c.id, c.file = id, file
	}
	return file, err
}
