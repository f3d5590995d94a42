package runner

import (
	"context"
	"fmt"

	"strandline/landing"
	"strandline/manifests"
	"strandline/plans"
	"strandline/window"
)

// RunSlice does one of so many slices of a plan: whatever is not published yet of it is
// computed from what the plan reads, wherever the lake has gone since. Any process may do
// any slice, any number of times and at the same time as others: what another has
// published by the time that a partition's turn comes is not computed. Of the options it
// takes all but those that the plan decides.
//
// The error is of what stops everything, as that of Execute, and then it may be tried
// again. It is for good, and nothing was done, where it is window.ErrNotPlanned, since the
// plan is of another job or of other code than this process has; window.ErrHistory, since
// the lake's logs are not those that it was made from; manifests.ErrReplaced, since the
// table was given other code; ErrGone; or plans.ErrSlice.
func (t *Task) RunSlice(ctx context.Context, f plans.File, slice, of int, o Options) (Report, error) {
	report := Report{Plan: window.Plan{Job: t.Job(), Fingerprint: f.Fingerprint, Read: f.Read}}
	err := t.runSlice(ctx, f, share{slice, of}, o, &report)
	if err != nil {
		err = fmt.Errorf("%s of job %s: %w", f.Driver, f.Job, err)
	}
	return report, err
}

// runHere does a plan of this process's own, in one slice, and so as others would.
func (t *Task) runHere(ctx context.Context, plan window.Plan, o Options) (Report, error) {
	report := Report{Plan: plan}
	report.Plan.Tasks = nil // those that are done already are none
	err := t.runSlice(ctx, plans.New(plan, plans.About{Driver: o.Driver, Atomic: o.Atomic}), share{0, 1}, o, &report)
	report.Plan = plan
	return report, err
}

// share is the i-th of so many slices, counted from 0.
type share struct{ i, of int }

func (t *Task) runSlice(ctx context.Context, f plans.File, s share, o Options, report *Report) error {
	tasks, err := f.Slice(s.i, s.of)
	if err == nil {
		err = t.planned(f)
	}
	if err != nil {
		return err
	}
	run := &sliceRun{task: t, file: f, tasks: tasks, tried: map[string]bool{}, left: map[string]leftTask{}, deriver: newDeriver(t), report: report, others: o.Others}
	if o.Generation, err = run.begin(ctx, o.Done); err != nil {
		return err
	}
	if len(report.Plan.Tasks) == 0 {
		report.leave(o.Done)
		return nil
	}
	o.Driver, o.Atomic, o.Together, o.Rebuild = f.Driver, f.Atomic, false, false
	return t.execute(ctx, report.Plan, o, report, run.look)
}

// planned is window.ErrNotPlanned unless the plan is of the task's job, as this process
// has it.
func (t *Task) planned(f plans.File) error {
	job := t.Job()
	switch {
	case f.Job != job.Name:
		return fmt.Errorf("%w: it is of job %s, and this is %s", window.ErrNotPlanned, f.Job, job.Name)
	case f.Fingerprint != t.compiled.Fingerprint:
		return fmt.Errorf("%w: it is of code %s, and this process has %s; run it with the strandline.yaml and the program that it was made with, or plan anew",
			window.ErrNotPlanned, f.Fingerprint.Short(), t.compiled.Fingerprint.Short())
	case len(f.Read) != len(job.Inputs):
		return fmt.Errorf("%w: it reads %d inputs, and the job %d", window.ErrNotPlanned, len(f.Read), len(job.Inputs))
	}
	for _, in := range job.Inputs {
		if _, reads := f.Read[in.At()]; !reads {
			return fmt.Errorf("%w: it does not read %s", window.ErrNotPlanned, in)
		}
	}
	return nil
}

// sliceRun is one run of a slice.
type sliceRun struct {
	task    *Task
	file    plans.File
	tasks   []plans.Task
	tried   map[string]bool     // the partitions that have failed or are held by now
	left    map[string]leftTask // by partition
	deriver *deriver
	report  *Report
	others  *Others // nil: it counts alone
	tally   tally
}

// leftTask is a task that is to be done. sure tells that its input is what the plan says.
type leftTask struct {
	plans.Task
	sure bool
}

// begin puts into the report's plan what is left to do, and tells of the rest. It returns
// the generation to publish for: that of the plan's code, which whoever made the plan has
// registered. A process that was started with older code must not bring that back.
func (r *sliceRun) begin(ctx context.Context, done func(Outcome)) (generation uint64, err error) {
	table, err := r.task.table.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	if d := table.Definition; d.Fingerprint != r.file.Fingerprint {
		return 0, fmt.Errorf("table %s: the plan is of code %s, and its code is now %s (generation %d, registered by %s): %w; plan anew",
			table.Table, r.file.Fingerprint.Short(), d.Fingerprint.Short(), d.Generation, d.Writer, manifests.ErrReplaced)
	}
	found := r.sort(table)
	if len(found.left)+len(found.behind) > 0 {
		err = r.pin(ctx, found.left, found.behind)
	}
	if err != nil {
		return 0, err
	}
	for _, o := range found.stand {
		r.tell(o, done)
	}
	return table.Definition.Generation, nil
}

// sorted are the tasks of a slice, held against its table.
type sorted struct {
	left   []plans.Task // to be done; those that were tried before come last
	behind []plans.Task // those that a result of newer input stands in for
	stand  []Outcome    // of what is not to be done
}

func (r *sliceRun) sort(table *manifests.Snapshot) (found sorted) {
	var last []plans.Task
	for _, task := range r.tasks {
		o, stands := r.stands(task, table)
		state := r.file.StateOf(task, table)
		switch {
		case stands:
			found.stand = append(found.stand, o)
			if o.Verdict == manifests.Behind {
				found.behind = append(found.behind, task)
			}
		case state == plans.Failed || state == plans.Held:
			r.tried[task.Partition] = true
			last = append(last, task)
		default:
			found.left = append(found.left, task)
		}
	}
	found.left = append(found.left, last...)
	return found
}

func (r *sliceRun) tell(o Outcome, done func(Outcome)) {
	r.report.Outcomes = append(r.report.Outcomes, o)
	if done != nil {
		done(o)
	}
}

// outcome is that of a task of which nothing is known yet.
func (r *sliceRun) outcome(task plans.Task) Outcome {
	return Outcome{
		Partition: window.Partition{Grain: r.task.Job().Grain, Interval: window.Interval{Start: task.Start, End: task.End}},
		Input:     landing.Input{Rows: task.Rows, Digest: task.Digest},
	}
}

// stands is the outcome of a task that is done: Already, or Behind where the table has a
// result of newer input. An atomic plan is not done by that, so the fence shall judge it.
func (r *sliceRun) stands(task plans.Task, table *manifests.Snapshot) (o Outcome, stands bool) {
	if r.file.StateOf(task, table) != plans.Done {
		return o, false
	}
	o = r.outcome(task)
	o.Receipt, _ = table.Receipt(task.Partition)
	o.Verdict = manifests.Already
	if o.Receipt.InputDigest != task.Digest {
		o.Verdict = manifests.Behind
	}
	return o, o.Verdict == manifests.Already || !r.file.Atomic
}

// look holds a task against the table as it is when its turn comes, and tells whether the
// table has just its result: another may have done it meanwhile; and how many failures of the
// plan the table knows of that count.
func (r *sliceRun) look(ctx context.Context, s *window.Status) (stands bool, failed int, err error) {
	table, err := r.task.table.Snapshot(ctx)
	if err != nil {
		return false, 0, err
	}
	failed = r.elsewhere(table)
	if receipt, is := table.Receipt(s.String()); is {
		s.Receipt = &receipt
	}
	task := r.left[s.String()]
	switch o, done := r.stands(task.Task, table); {
	case done && o.Verdict == manifests.Already:
		return true, failed, nil
	case task.sure:
		return false, failed, nil
	}
	return false, failed, r.rederive(ctx, *s)
}
