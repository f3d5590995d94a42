package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"strandline/runner"
)

// drive are the flags that backfill and replay share.
type drive struct {
	manner
	dryRun, onlyPlan bool
	parallel         int
}

func (d *drive) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&d.dryRun, "dry-run", false, "print what would be recomputed, and do nothing")
	cmd.Flags().IntVar(&d.parallel, "parallel", defaultParallel(), "recompute `N` partitions at a time, which share the memory of the engine")
	d.manner.flags(cmd)
	onlyPlanFlag(cmd, &d.onlyPlan)
}

func (d *drive) check(cmd *cobra.Command) error {
	if d.parallel < 1 {
		return misused(cmd, "--parallel %d: want at least 1", d.parallel)
	}
	if d.onlyPlan && changed(cmd, "max-failures", "parallel") > 0 {
		return misused(cmd, "--write-plan only writes the plan, which says nothing of --max-failures and --parallel: leave them out, and give --parallel to what works it")
	}
	if d.onlyPlan && d.dryRun {
		return misused(cmd, "--dry-run writes nothing, and --write-plan a plan: choose one")
	}
	return d.manner.check(cmd)
}

// drive plans a request and, unless it is a dry run, carries it out.
func (a *app) drive(cmd *cobra.Command, jobName string, d drive, ask asking) (err error) {
	if err := d.check(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	l, err := a.openLake(ctx, d.dryRun, !d.onlyPlan)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	task, r, err := l.asked(cmd, jobName, ask, d.manner)
	if err != nil {
		return err
	}
	if d.dryRun {
		return a.dryRun(ctx, task, r, d)
	}
	if d.onlyPlan {
		return a.onlyPlan(cmd, l, task, r, d)
	}
	return a.execute(ctx, l, task, r, d)
}

// dryRun prints what execute would do.
func (a *app) dryRun(ctx context.Context, task *runner.Task, r runner.Request, d drive) error {
	plan, err := task.Plan(ctx, r)
	if err == nil && !r.Rebuild {
		err = task.Fits(ctx)
	}
	if err != nil {
		return err
	}
	fact, err := plannedOf(ctx, task, &plan, r.Driver, d)
	if err != nil {
		return err
	}
	err = a.fact(fact, "%s of %s would recompute %s from %s%s\n%s%s",
		r.Driver, plan.Job.Name, count(len(plan.Tasks), "partition"), describeInputs(plan), earlyOf(plan.Early()), describePlan(plan), fact.lasting())
	if err != nil {
		return err
	}
	if err := a.standing(plan.Job.Name, plan.Tasks); err != nil || len(plan.Left) == 0 {
		return err
	}
	if !a.json {
		a.print("and would leave out what can't be computed any more:\n")
	}
	if err := a.standing(plan.Job.Name, plan.Left); err != nil || !d.atomic {
		return err
	}
	return runner.Whole(plan) // the run would say so, and do nothing
}
