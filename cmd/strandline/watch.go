package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"strandline/runner"
	"strandline/window"
)

// watch tells how a plan is carried out: each step as an event with --json, and else each
// outcome, as it is known. Both ways a person sees the progress. Its methods are not called at
// the same time.
type watch struct {
	app     *app
	plan    window.Plan
	request runner.Request
	drive   drive
	bar     progress

	since, told time.Time // when it began, and when progress was last told of
	total       int       // partitions
	over        int       // that are computed
	failed      map[string]bool
	err         error // of writing an event
}

func (a *app) watch(plan window.Plan, r runner.Request, d drive) *watch {
	return &watch{app: a, plan: plan, request: r, drive: d, bar: a.progress(), total: len(plan.Tasks) + len(plan.Left), failed: map[string]bool{}}
}

// event writes one with --json.
func (w *watch) event(object any) {
	if w.app.json && w.err == nil {
		w.err = w.app.fact(object, "")
	}
}

// planned says what will be done, and begins.
func (w *watch) planned(ctx context.Context, task *runner.Task) error {
	if w.app.json {
		f, err := plannedOf(ctx, task, &w.plan, w.request.Driver, w.drive)
		if err != nil {
			return err
		}
		w.event(f)
	}
	w.since = time.Now()
	w.told = w.since
	w.bar.Start(w.total, "partitions")
	return w.err
}

func (w *watch) began(p window.Partition) {
	w.event(startedEvent{Event: eventStarted, Table: w.plan.Job.Name, Partition: p.String(), Start: p.Start, End: p.End})
}

// fails counts a partition that has failed, once: it is known when it was computed, or, of what only the table can
// tell, when it was to be published.
func (w *watch) fails(p window.Partition) {
	if name := p.String(); !w.failed[name] {
		w.failed[name] = true
		w.bar.Failed(1)
	}
}

// computed counts a partition, which is published in a moment, or with all others.
func (w *watch) computed(p window.Partition, failed bool) {
	if failed {
		w.fails(p)
	}
	w.over++
	w.bar.Step(1, p.String())
	if now := time.Now(); now.Sub(w.told) >= lineEvery {
		w.told = now
		spent := now.Sub(w.since)
		left := spent * time.Duration(w.total-w.over) / time.Duration(w.over)
		w.event(progressEvent{
			Event: eventProgress, Table: w.plan.Job.Name, Done: w.over, Total: w.total, Failed: len(w.failed),
			Spent: rounded(spent), Left: rounded(left),
		})
	}
}

func (w *watch) done(o runner.Outcome) {
	if !o.OK() && !isWithheld(o) && !isLeftOut(o) {
		w.fails(o.Partition)
	}
	if !o.Tried() {
		w.computed(o.Partition, false)
	}
	if w.app.json {
		w.event(partitionEvent{eventPartition, outcomeFact(w.plan.Job.Name, w.request.Driver, o)})
	} else if w.err == nil {
		w.bar.Beside(func() { w.err = w.app.done(w.plan.Job.Name, w.request.Driver, o) })
	}
}

// finish ends the report, with the error that sets the exit code. broke is why not all
// partitions were tried.
func (w *watch) finish(ctx context.Context, report runner.Report, broke error) error {
	w.bar.Finish()
	why := broke
	if errors.Is(broke, context.Canceled) {
		why = context.Cause(ctx) // a signal
	}
	w.event(finishedOf(w.request.Driver, report, time.Since(w.since), why))
	if !w.app.json {
		w.app.print("%s\n", describeReport(w.request.Driver, report))
	}
	if w.total == 0 && broke == nil {
		w.app.note("nothing was to be done: what was asked for has no rows, or stands as it should; strandline plan %s --all lists what is there", w.plan.Job.Name)
	}
	return errors.Join(w.broken(report, broke), w.err)
}

// broken is the error of a run that did not come to its end, or of what failed in it.
func (w *watch) broken(report runner.Report, broke error) error {
	if broke == nil {
		return failedOf(w.request.Driver, report)
	}
	stands := "what is published stands, and running it again does the rest"
	if w.drive.atomic || w.request.Rebuild {
		stands = "nothing was published, since all is published by one edit or nothing"
	}
	return fmt.Errorf("%s of job %s stopped after %d of %s: %w; %s",
		w.request.Driver, w.plan.Job.Name, len(report.Outcomes), count(w.total, "partition"), errors.Join(broke, refusedOf(report)), stands)
}
