package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func newReconcile(a *app) *cobra.Command {
	var r reconcile
	cmd := &cobra.Command{
		Use:   "reconcile JOB",
		Short: "Compare published rows with a fresh recompute, row by row",
		Long: `Recompute partitions from all that has landed, with the code of now, and compare
the rows with the published ones by the job's key:

  only left    the row is published, and the recompute does not make it
  only right   the recompute makes the row, and it is not published
  changed      both have the key, with other values: left → right

Nothing is published. Where a partition is stale or was never published, its
rows may differ, and the report says so. Partitions whose raw rows have expired
are left out, and counted. The exit code is 1 if rows differ
that this does not explain, or if a partition could not be compared. A partition whose
published files were replaced and swept meanwhile is looked at once more, as it stands then.

Each run keeps its counts in the lake, so it has to be let write there: else the exit code
is 1, whatever was found. Of a table that was never published to it keeps none. --series lists the counts of all runs.`,
		Example: `  strandline reconcile events_hourly
  strandline reconcile events_hourly --from 2026-03-01 --to 2026-03-08 --limit 50
  strandline reconcile events_hourly --series`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.series {
				return a.series(cmd, args[0])
			}
			return a.reconcile(cmd, args[0], r)
		},
	}
	r.span.flags(cmd)
	cmd.Flags().IntVar(&r.limit, "limit", 20, "show `N` rows that differ; the counts are always of all")
	cmd.Flags().IntVar(&r.parallel, "parallel", defaultParallel(), "compare `N` partitions at a time")
	cmd.Flags().BoolVar(&r.series, "series", false, "list what earlier runs counted, and compare nothing")
	cmd.MarkFlagsMutuallyExclusive("series", "from")
	cmd.MarkFlagsMutuallyExclusive("series", "to")
	return leavesRoom(a, cmd)
}

// reconcile are the flags of the reconcile command.
type reconcile struct {
	span            span
	limit, parallel int
	series          bool
}

func (a *app) reconcile(cmd *cobra.Command, name string, r reconcile) (err error) {
	ctx := cmd.Context()
	switch {
	case r.parallel < 1:
		return misused(cmd, "--parallel %d: want at least 1", r.parallel)
	case r.limit < 0:
		return misused(cmd, "--limit %d: want 1 or more, or 0 for none", r.limit)
	}
	if err := r.span.check(cmd); err != nil {
		return err
	}
	l, task, err := a.proofTask(cmd, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	within, err := r.span.within(cmd, task.Job())
	if err != nil {
		return err
	}
	plan, err := task.SurveyWithin(ctx, within)
	if err != nil {
		return err
	}
	plan.LeaveOut()
	snapshot, err := l.tables[name].Snapshot(ctx)
	if err != nil {
		return err
	}
	bar := a.progress()
	bar.Start(len(plan.Tasks), "partitions")
	results, err := task.Reconcile(ctx, plan, runner.ReconcileOptions{
		Parallel: r.parallel, Limit: r.limit,
		Done: func(r runner.Reconciled) { bar.Step(1, r.Partition.String()) },
	})
	bar.Finish()
	if err != nil {
		return err
	}
	if err := a.reconciled(name, results, r.limit); err != nil {
		return err
	}
	return a.sumUpReconcile(ctx, task, tally(name, plan, snapshot.Version, within, results), results)
}

// reconciledFact is what --json says of a compared partition.
type reconciledFact struct {
	partitionFact
	runner.Counts
	Explained bool                   `json:"explained"` // the partition is known to be behind
	Error     string                 `json:"error,omitempty"`
	Rows      []runner.RowDifference `json:"rows,omitempty"`
}

// reconciled prints the partitions and, of all together, the first rows.
func (a *app) reconciled(name string, results []runner.Reconciled, limit int) error {
	for _, r := range results {
		r.Rows = r.Rows[:min(len(r.Rows), limit)]
		limit -= len(r.Rows)
		fact := reconciledFact{partitionFact: statusFact(name, r.Status), Counts: r.Counts, Explained: r.Explained(), Rows: r.Rows}
		if r.Err != nil {
			fact.Error = r.Err.Error()
		}
		if err := a.fact(fact, "%s\n", describeReconciled(r)); err != nil {
			return err
		}
	}
	return nil
}

func describeReconciled(r runner.Reconciled) string {
	text := fmt.Sprintf("  %-13s  %-7s  ", r.Partition, r.State)
	if r.Err != nil {
		return text + "not compared: " + r.Err.Error()
	}
	text += describeCounts(r.Counts)
	if reason := r.Reason(); r.Differ() > 0 && reason != "" {
		text += "  (" + reason + ")"
	}
	for _, row := range r.Rows {
		text += "\n    " + describeRow(row)
	}
	if hidden := r.Differ() - int64(len(r.Rows)); hidden > 0 && r.Err == nil {
		text += fmt.Sprintf("\n    … %s", wording(int(hidden), "row that differs is not shown", "rows that differ are not shown"))
	}
	return text
}

func describeCounts(c runner.Counts) string {
	return fmt.Sprintf("%8d equal  %6d only left  %6d only right  %6d changed", c.Equal, c.OnlyLeft, c.OnlyRight, c.Changed)
}

func describeRow(row runner.RowDifference) string {
	var parts []string
	for i := range max(len(row.Left), len(row.Right)) {
		switch {
		case row.Kind == "changed":
			parts = append(parts, fmt.Sprintf("%s %s → %s", row.Left[i].Column, text(row.Left[i]), text(row.Right[i])))
		case len(row.Left) > 0:
			parts = append(parts, row.Left[i].Column+" "+text(row.Left[i]))
		default:
			parts = append(parts, row.Right[i].Column+" "+text(row.Right[i]))
		}
	}
	key := names(row.Key, func(v runner.Value) string { return v.Column + "=" + text(v) })
	return fmt.Sprintf("%-10s  (%s): %s", row.Kind, strings.Join(key, ", "), strings.Join(parts, ", "))
}

func text(v runner.Value) string {
	if v.Value == nil {
		return "NULL"
	}
	return *v.Value
}

// tally is what this run adds to the series.
func tally(name string, plan window.Plan, version manifests.Version, within []window.Interval, results []runner.Reconciled) runner.Reconciliation {
	r := runner.Reconciliation{
		Table: name, At: time.Now().UTC(), Version: version, Positions: plan.Read, Partitions: len(results), Expired: len(plan.Left),
	}
	if len(within) > 0 {
		r.From, r.To = &within[0].Start, &within[0].End
	}
	for _, one := range results {
		if one.Err != nil { // of which nothing was counted, or not all
			r.Failed++
			continue
		}
		r.Counts = r.Counts.Add(one.Counts)
		switch {
		case one.Explained():
			r.Stale++
		default:
			r.Unexplained += one.Differ()
		}
	}
	return r
}

// sumUpReconcile keeps the counts and ends the report, with the error that
// sets the exit code.
func (a *app) sumUpReconcile(ctx context.Context, task *runner.Task, r runner.Reconciliation, results []runner.Reconciled) error {
	if !a.json {
		a.print("reconcile of %s: %s, %d stale, %d not compared%s: %s\n", r.Table, count(r.Partitions, "partition"), r.Stale, r.Failed, leftOf(r.Expired),
			strings.Join(strings.Fields(describeCounts(r.Counts)), " "))
	}
	if err := task.Keep(ctx, r); err != nil {
		return err
	}
	return notReconciled(r, results)
}

// notReconciled says what does not agree, if anything does not.
func notReconciled(r runner.Reconciliation, results []runner.Reconciled) error {
	for _, one := range results {
		if one.OK() {
			continue
		}
		if one.Err != nil {
			// %v: what befell a partition does not make the command line a wrong one.
			return fmt.Errorf("reconcile of job %s: %s could not be compared, the first is %s: %v", r.Table, count(r.Failed, "partition"), one.Partition, one.Err)
		}
		return fmt.Errorf("reconcile of job %s: %s that staleness does not explain, the first in partition %s: non-deterministic or corrupt, see strandline verify",
			r.Table, wording(int(r.Unexplained), "row differs", "rows differ"), one.Partition)
	}
	return nil
}

func (a *app) series(cmd *cobra.Command, name string) (err error) {
	l, err := a.readLake(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	task, err := l.namedTask(cmd.Context(), name)
	if err != nil {
		return err
	}
	series, err := task.Series(cmd.Context())
	if err != nil {
		return err
	}
	for _, r := range series {
		span := "all"
		if r.From != nil && r.To != nil {
			span = window.Interval{Start: *r.From, End: *r.To}.String()
		}
		err := a.fact(r, "%s  version %d, %s of %s, %d stale, %d not compared  %s\n", r.At.Format(time.RFC3339), r.Version,
			count(r.Partitions, "partition"), span, r.Stale, r.Failed, describeCounts(r.Counts))
		if err != nil {
			return err
		}
	}
	return nil
}
