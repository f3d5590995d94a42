package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func newPlan(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "plan [JOB…]",
		Short: "Show which partitions are stale, and why",
		Long: `Show the partitions that are not fresh: stale because rows came ("data
changed") or because the job did ("code changed"), missing because they were
never published, failed, held by a check, or aside: set aside by a person (rollback,
drop), so that the stream leaves them until their input or code moves on. Nothing is
computed and no data file is read.

Of new rows it tells how many there are, at which positions, and what brought them; of
other code what of the job has changed since, once for each generation that partitions
are still the work of; and of each partition how many rows and bytes it takes to compute
it. Segments are read whole, so the bytes are those of their files, as stored.

The stream recomputes what is missing or has new data; partitions of old code
are left until you ask, with "strandline backfill JOB --stale", and failed ones until their
data or the job changes, or you ask. What raw rows have expired of (retain:) is never
computed again.`,
		Example: `  strandline plan
  strandline plan events_hourly --all
  strandline plan --json    one object for the plan, and one a partition, with its receipt`,
		Args: takes(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.plan(cmd, args, all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "show fresh partitions too")
	return cmd
}

func (a *app) plan(cmd *cobra.Command, args []string, all bool) (err error) {
	ctx := cmd.Context()
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	jobs, err := l.jobs(args)
	if err != nil {
		return err
	}
	defer l.readAhead(ctx, jobs)()
	return l.eachTask(ctx, jobs, func(task *runner.Task) error { return a.planOne(ctx, task, all) })
}

func (a *app) planOne(ctx context.Context, task *runner.Task, all bool) error {
	survey := task.Overview
	if all {
		survey = task.Survey
	}
	plan, err := survey(ctx)
	if err != nil {
		return err
	}
	unfit := a.unfit(ctx, task)
	if err := task.Explain(ctx, &plan, false); err != nil {
		return err
	}
	fact := factOf(plan)
	fact.NeedsRebuild = errors.Is(unfit, manifests.ErrNeedsRebuild)
	err = a.fact(fact, "%s at %s: %s\n", plan.Job.Name, describeRead(plan), describeTally(plan, unfit))
	if err != nil {
		return err
	}
	return a.planned(plan)
}

// unfit tells of a job that no driver can run as it is, and returns why. That a rebuild is
// needed, and by which command, is told where the text says how the table stands.
func (a *app) unfit(ctx context.Context, task *runner.Task) error {
	err := task.Fits(ctx)
	if err == nil {
		return nil
	}
	text := err.Error()
	if !a.json && errors.Is(err, manifests.ErrNeedsRebuild) && !errors.Is(err, runner.ErrIncomplete) {
		text, _, _ = strings.Cut(text, ": "+manifests.ErrNeedsRebuild.Error())
	}
	a.note("note: %s", text)
	return err
}

// planned prints what a plan holds, the same way for plan and for dry runs.
func (a *app) planned(plan window.Plan) error {
	if !a.json {
		a.print("%s", describePlan(plan))
	}
	return a.standing(plan.Job.Name, plan.Tasks)
}

// standing prints how partitions stand.
func (a *app) standing(table string, partitions []window.Status) error {
	wide := widthsOf(partitions)
	for _, s := range partitions {
		if err := a.fact(statusFact(table, s), "  %s\n", describeStatus(s, wide)); err != nil {
			return err
		}
	}
	return nil
}
