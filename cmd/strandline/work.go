package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"strandline/engines"
	"strandline/plans"
)

func newWork(a *app) *cobra.Command {
	var w work
	cmd := &cobra.Command{
		Use:   "work PLAN",
		Short: "Do a slice of a plan that the lake has",
		Long: `Do a slice of a plan that is in the lake: compute and publish whatever is not
published of it yet, from the input that the plan says, whatever landed since. PLAN is
its id, or the first 8 digits or more of it. Any number of processes may do any slices at
the same time, and a slice again: what is done is skipped.

It is what a scheduler runs, as many times as there are slices. --slice I --slices N, or
--shard I/N, says which one, counted from 0. If neither is given, the variables say it that
schedulers set: JOB_COMPLETION_INDEX of a Kubernetes Indexed Job, with --slices N;
AWS_BATCH_JOB_ARRAY_INDEX and _SIZE of AWS Batch; SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT of
Slurm. Where there are none, this process does all slices, --parallel at a time.

The configuration must have the job as it was when the plan was made: other code is
refused. A plan whose request was cancelled is not worked on, nor one of which --max-failures
partitions have failed.

Exit codes are what an engine needs to know: 0 all of it is published; 1 it broke off, and
another try may do the rest; 2 the command line or configuration is wrong, but a process that
dies of a fault ends so too; 3 what is left failed or is held for good, the others are
published; 4 no slice of the plan is to be done so: it is refused, was cancelled, or as many
partitions have failed as --max-failures says.`,
		Example: `  strandline backfill events_hourly --last 30d --write-plan
  strandline work 3f2a9c41 --slice 0 --slices 40
  strandline work 3f2a9c41 --slices 40     one of an Indexed Job, or all of them`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.workPlan(cmd, args[0], w) },
	}
	cmd.Flags().IntVar(&w.slice, "slice", 0, "do the `I`-th slice, counted from 0")
	cmd.Flags().IntVar(&w.slices, "slices", 0, "the plan is cut into `N` slices")
	cmd.Flags().StringVar(&w.shard, "shard", "", "do the slice `I/N`, or auto/N or auto, as a scheduler sets it")
	cmd.Flags().StringVar(&w.left, "left", "", "of the slices do only those of a `LIST` such as 0-2,7: a scheduler's numbers, from 0, are places in it")
	cmd.Flags().IntVar(&w.maxFailures, "max-failures", 0, "begin nothing more once `N` partitions of the plan have failed, in whatever process; 0 is however many")
	cmd.Flags().IntVar(&w.before, "failed-before", 0, "of these `N` had failed, or were held, before, and do not count")
	cmd.Flags().IntVar(&w.parallel, "parallel", defaultParallel(), "recompute `N` partitions at a time")
	return cmd
}

// work are the flags of the work command.
type work struct {
	slice, slices, parallel int
	shard, left             string
	maxFailures, before     int
}

// share is the slice that is to be done, or none if all are.
func (w work) share(a *app, cmd *cobra.Command) (s share, one bool, err error) {
	given := cmd.Flags().Changed
	switch {
	case w.parallel < 1:
		err = fmt.Errorf("--parallel %d: want at least 1", w.parallel)
	case w.maxFailures < 0 || w.before < 0:
		err = fmt.Errorf("--max-failures %d --failed-before %d: want 0 or more of each", w.maxFailures, w.before)
	case given("failed-before") && w.maxFailures == 0:
		err = errors.New("--failed-before goes with --max-failures")
	case given("left") && (given("shard") || given("slice") || !given("slices")):
		err = errors.New("--left names several slices: say of how many as well, as --slices N, and leave out --slice and --shard")
	case given("slices") && w.slices < 1:
		err = fmt.Errorf("--slices %d: want at least 1", w.slices)
	case given("shard") && (given("slice") || given("slices")):
		err = errors.New("--shard I/N says both --slice and --slices: give one or the other")
	case given("shard"):
		s, err = a.parseShare(w.shard)
		one = true
	case given("slice") && !given("slices"):
		err = errors.New("--slice says which one: say of how many as well, as --slices N")
	case given("slice"):
		s, one = share{w.slice, w.slices}, true
		err = s.check("--slice")
	case given("left"):
		s, one, err = a.shareOfLeft(w)
	default:
		s, one, err = a.shareOfArray(w.slices)
	}
	if err != nil {
		return s, one, &usageError{command: cmd.CommandPath(), err: err}
	}
	return s, one, nil
}

// shareOfLeft is the share that a scheduler has set in the environment of the slices that are left, if one has.
func (a *app) shareOfLeft(w work) (s share, one bool, err error) {
	left, err := engines.ParseNumbers(w.left, w.slices)
	if err != nil || len(left) == 0 {
		return s, false, fmt.Errorf("--left %q: want some of %d slices, such as 0 or 0-2,7", w.left, w.slices)
	}
	s, one, err = a.shareOfArray(len(left))
	if one && err == nil {
		s = share{left[s.index], w.slices}
	}
	return s, one, err
}

func (a *app) workPlan(cmd *cobra.Command, name string, w work) (err error) {
	s, one, err := w.share(a, cmd)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	l, err := a.workLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	on, err := a.workOn(ctx, l, name)
	if err != nil {
		return err
	}
	on.maxFailures, on.before = w.maxFailures, w.before
	if one {
		return on.sum(on.slice(ctx, s, w.parallel))
	}
	if w.slices == 0 {
		w.slices = on.file.DefaultSlices()
	}
	left, err := engines.ParseNumbers(w.left, w.slices)
	if err != nil {
		return err
	}
	return on.sum(on.all(ctx, engines.Ref{Plan: on.id, Slices: w.slices}, engines.Options{Parallel: w.parallel, Left: left}))
}

// workOn reads a plan, and compiles its job.
func (a *app) workOn(ctx context.Context, l *lake, name string) (*planWork, error) {
	id, err := plans.Find(ctx, l.store, name)
	if err != nil {
		return nil, err
	}
	file, err := plans.Read(ctx, l.store, id)
	if err != nil {
		return nil, err
	}
	job, err := l.config.Job(file.Job)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", id.Short(), err)
	}
	task, err := l.task(ctx, job)
	if err != nil {
		return nil, err
	}
	return newPlanWork(a, id, file, task, l.requests), nil
}
