package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// drive are the flags that backfill and replay share.
type drive struct {
	dryRun   bool
	parallel int
	onlyPlan bool
	// find, if not nil, completes the request by what the lake has.
	find func(context.Context, *lake, *runner.Task, *runner.Request) error
}

func (d *drive) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&d.dryRun, "dry-run", false, "print what would be recomputed, and do nothing")
	cmd.Flags().IntVar(&d.parallel, "parallel", defaultParallel(), "recompute `N` partitions at a time")
	onlyPlanFlag(cmd, &d.onlyPlan)
}

func (d *drive) check(cmd *cobra.Command) error {
	if d.parallel < 1 {
		return misused(cmd, "--parallel %d: want at least 1", d.parallel)
	}
	return nil
}

// drive plans a request and, unless it is a dry run, carries it out.
func (a *app) drive(cmd *cobra.Command, jobName string, d drive, request func(window.Job) (runner.Request, error)) (err error) {
	if err := d.check(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	l, err := a.openLake(ctx, d.dryRun)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	job, err := l.config.Job(jobName)
	if err != nil {
		return err
	}
	r, err := request(job.Job)
	if err != nil {
		return &usageError{command: cmd.CommandPath(), err: err}
	}
	task, err := l.task(ctx, job)
	if err != nil {
		return err
	}
	if d.find != nil {
		if err := d.find(ctx, l, task, &r); err != nil {
			return err
		}
	}
	if d.dryRun {
		return a.dryRun(ctx, task, r)
	}
	if d.onlyPlan {
		return a.onlyPlan(cmd, l, task, r)
	}
	return a.execute(ctx, task, r, d.parallel)
}

func (a *app) dryRun(ctx context.Context, task *runner.Task, r runner.Request) error {
	plan, err := task.Plan(ctx, r)
	if err == nil && !r.Rebuild {
		err = task.Fits(ctx)
	}
	if err != nil {
		return err
	}
	if err := task.Explain(ctx, &plan, true); err != nil {
		return err
	}
	err = a.fact(factOf(plan), "%s of %s would recompute %s from %s%s\n",
		r.Driver, plan.Job.Name, count(len(plan.Tasks), "partition"), describeInputs(plan), earlyOf(plan.Early()))
	if err != nil {
		return err
	}
	if err := a.planned(plan); err != nil || len(plan.Left) == 0 {
		return err
	}
	if !a.json {
		a.print("and would leave out what can't be computed any more:\n")
	}
	return a.standing(plan.Job.Name, plan.Left)
}

func (a *app) execute(ctx context.Context, task *runner.Task, r runner.Request, parallel int) error {
	// A request that can't be planned changes nothing, so it is planned first.
	if _, err := task.Plan(ctx, r); err != nil {
		return err
	}
	generation, err := a.generation(ctx, task, r)
	if err != nil {
		return err
	}
	// And once more, for good: what older code published until it was replaced
	// is stale now, also where its input is the newest.
	plan, err := task.Plan(ctx, r)
	if err != nil {
		return err
	}
	bar := a.progress()
	total := len(plan.Tasks) + len(plan.Left)
	bar.Start(total, "partitions")
	report, err := task.Execute(ctx, plan, runner.Options{
		Driver: r.Driver, Generation: generation, Parallel: parallel, Rebuild: r.Rebuild,
		Done: func(o runner.Outcome) { bar.Step(1, o.Partition.String()) },
	})
	bar.Finish()
	slices.SortFunc(report.Outcomes, func(x, y runner.Outcome) int { return x.Partition.Start.Compare(y.Partition.Start) })
	for _, o := range report.Outcomes {
		if err := a.done(plan.Job.Name, r.Driver, o); err != nil {
			return err
		}
	}
	if err != nil {
		return fmt.Errorf("%s of job %s stopped after %d of %s: %w; what is published stands, and running it again does the rest",
			r.Driver, plan.Job.Name, len(report.Outcomes), count(total, "partition"), err)
	}
	return a.sumUp(r.Driver, report)
}

// generation is the one that a driver writes for: a rebuild brings its own.
func (a *app) generation(ctx context.Context, task *runner.Task, r runner.Request) (uint64, error) {
	if r.Rebuild {
		return task.Generation(ctx)
	}
	return task.Register(ctx, r.Driver)
}

func (a *app) done(table string, driver manifests.Driver, o runner.Outcome) error {
	return a.fact(outcomeFact(table, driver, o), "%s\n", describeOutcome(driver, table, o))
}

// sumUp ends a driver's report, with the error that sets its exit code.
func (a *app) sumUp(driver manifests.Driver, report runner.Report) error {
	failed := report.Failed()
	if !a.json {
		a.print("%s of %s: %s, %d published, %d unchanged, %d superseded, %d failed%s%s%s%s%s\n", driver, report.Plan.Job.Name,
			count(len(report.Outcomes), "partition"), report.Count(manifests.Swap), report.Count(manifests.Unchanged),
			report.Count(manifests.Behind), len(failed)-report.Held()-report.Left(), repairedOf(report), heldOf(report), leftOf(report.Left()), earlyOf(report.Early()), repeatedOf(report.Repeated()))
	}
	if len(failed) == 0 {
		return nil
	}
	for _, o := range failed {
		if o.Verdict == manifests.NonDeterministic {
			return fmt.Errorf("partition %s of %s: %w: %w", o.Partition, report.Plan.Job.Name, errRefused, o.Err)
		}
	}
	return fmt.Errorf("%s of job %s: %w: %d of %d, the first is %s: %w%s", driver, report.Plan.Job.Name,
		errSomeFailed, len(failed), len(report.Outcomes), failed[0].Partition, whyNot(failed[0]), heldOf(report))
}

// whyNot is why a partition was not published, as an error.
func whyNot(o runner.Outcome) error {
	if o.Err != nil {
		return o.Err
	}
	return fmt.Errorf("%s: %s", o.Verdict, o.Reason())
}

// heldOf tells how many partitions are held, and where to go from there.
func heldOf(report runner.Report) string {
	if report.Held() == 0 {
		return ""
	}
	return fmt.Sprintf(", %d held (see strandline held)", report.Held())
}

// leftOf tells how many partitions can't be computed any more.
func leftOf(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d left out, whose raw rows have expired", n)
}

// earlyOf tells how many partitions are computed that the stream would wait for.
func earlyOf(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d not closed yet, of which rows are still expected (emit: on_close)", n)
}

// repeatedOf tells how many rows counted nowhere, since they repeat others.
func repeatedOf(rows int64) string {
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("; %s left out by dedup", count(int(rows), "row"))
}

// repairedOf tells how many published files were found lost or damaged.
func repairedOf(report runner.Report) string {
	if n := report.Count(manifests.Repaired); n > 0 {
		return fmt.Sprintf(", %d repaired, whose files were lost or damaged", n)
	}
	return ""
}
