package main

import (
	"context"

	"strandline/internal/datafile"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// makeReceipt makes the receipt of a partition, the n-th of a plan, of a table with such columns.
type makeReceipt func(n int, s window.Status, plan window.Plan, columns []datafile.Column) (manifests.Receipt, error)

// publishPlanned publishes a receipt for every partition that a job misses, so many by an
// edit. of makes that of the n-th, which this then gives the plan's positions.
func publishPlanned(ctx context.Context, task *runner.Task, table *manifests.Table, anEdit int, of makeReceipt) error {
	generation, err := task.Register(ctx, manifests.DriverBackfill)
	if err != nil {
		return err
	}
	plan, err := task.Plan(ctx, runner.Request{Driver: manifests.DriverBackfill})
	if err != nil {
		return err
	}
	snapshot, err := table.Snapshot(ctx)
	if err != nil {
		return err
	}
	for from := 0; from < len(plan.Tasks); from += anEdit {
		proposal := manifests.Proposal{Driver: manifests.DriverBackfill, Generation: generation}
		for i, s := range plan.Tasks[from:min(from+anEdit, len(plan.Tasks))] {
			r, err := of(from+i, s, plan, snapshot.Columns())
			if err != nil {
				return err
			}
			r.Positions, r.Columns, r.Inputs = plan.Read, snapshot.Columns(), s.Inputs
			proposal.Receipts = append(proposal.Receipts, r)
		}
		if _, err := table.Publish(ctx, proposal); err != nil {
			return err
		}
	}
	return nil
}
