package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func newLate(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "late [JOB]",
		Short: "List what came after its partition was closed, and by how much",
		Long: `List the partitions that rows came for after the watermark had passed them, whatever
became of these since: how many rows, and by how much the latest of them was late, which
is how far the watermark had passed its event time when it landed.

It is derived from the landing logs, and no data file is read. Rows are counted by
quarters of an hour of event time; of an arrival with late rows of very many, by longer
stretches, and then the number is "at most" that.`,
		Example: `  strandline late events_hourly
  strandline late --json`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.cameLate(cmd, args) },
	}
}

// lateFact is what --json says of a partition that rows came late for.
type lateFact struct {
	partitionFact
	LateRows int64   `json:"late_rows"`
	AtMost   bool    `json:"at_most,omitempty"` // LateRows is the most that it can be
	Seconds  float64 `json:"late_by_seconds"`   // of the latest of them
	// Forgotten says that what landed long ago is not among them.
	Forgotten bool `json:"older_forgotten,omitempty"`
}

func (a *app) cameLate(cmd *cobra.Command, args []string) (err error) {
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
	told := 0
	err = l.eachTask(ctx, jobs, func(task *runner.Task) error {
		plan, err := task.CameLate(ctx)
		if err != nil {
			return err
		}
		told += len(plan.Tasks)
		for _, s := range plan.Tasks {
			if err := a.lateStatus(plan.Job.Name, s); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && told == 0 {
		a.note("nothing came late")
	}
	return err
}

func (a *app) lateStatus(table string, s window.Status) error {
	fact := lateFact{statusFact(table, s), s.Late.Rows, s.Late.Sure < s.Late.Rows, s.Late.By.Seconds(), s.Late.Forgotten}
	return a.fact(fact, "%s  %-13s  %-7s  %s\n", table, s, s.State, s.Lateness())
}

// allHeld is manifests.ErrNotHeld if there is no candidate of one of the partitions.
func allHeld(ctx context.Context, l *lake, table string, partitions []string) error {
	snapshot, err := l.tables[table].Snapshot(ctx)
	if err != nil {
		return err
	}
	for _, partition := range partitions {
		if _, held := snapshot.Held(partition); !held {
			err := fmt.Errorf("release partition %s of table %s: %w; nothing was done", partition, table, manifests.ErrNotHeld)
			return l.noResult(ctx, table, partitions, err)
		}
	}
	return nil
}

// releaseLate computes those of the partitions that are held since rows came late, and
// returns the others.
func (a *app) releaseLate(ctx context.Context, l *lake, table string, partitions []string) (others []string, err error) {
	job, err := l.config.Job(table)
	if err != nil || job.Late != window.LateHold {
		return partitions, err
	}
	task, err := l.task(ctx, job)
	if err != nil {
		return nil, err
	}
	plan, others, err := task.ReleaseLate(ctx, partitions)
	if err != nil || len(plan.Tasks) == 0 {
		return others, err
	}
	if err := allHeld(ctx, l, table, others); err != nil {
		return nil, err
	}
	generation, err := l.register(ctx, task, manifests.DriverPerson)
	if err != nil {
		return nil, err
	}
	report, err := task.Execute(ctx, plan, runner.Options{Driver: manifests.DriverPerson, Generation: generation, Parallel: defaultParallel(), Together: true})
	if err != nil {
		return nil, fmt.Errorf("release what came late for table %s: %w; running it again does the rest", table, err)
	}
	for _, o := range report.Outcomes {
		if err := a.done(table, manifests.DriverPerson, o); err != nil {
			return nil, err
		}
	}
	if failed := report.Failed(); len(failed) > 0 {
		return nil, fmt.Errorf("release what came late for table %s: %w: %s: %w", table, errSomeFailed, failed[0].Partition, whyNot(failed[0]))
	}
	return others, nil
}
