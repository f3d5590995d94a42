package main

import (
	"context"
	"fmt"
	"time"

	"strandline/internal/digest"
	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// growTable publishes every partition of the stream, in order of time, by edits
// of one partition each, edits of them in all: the last one of a partition is of
// what the stream holds now. The log is left trimmed, with a tail.
func growTable(ctx context.Context, store *objstore.Memory, task *runner.Task, stream *landing.Stream, edits int) error {
	plan, err := task.Plan(ctx, runner.Request{Driver: manifests.DriverStream})
	if err != nil {
		return err
	}
	name := task.Job().Name
	often := manifests.Open(store, name, manifests.Options{Writer: "bench", Log: log.Options{CheckpointEvery: perCheckpoint}})
	generation, err := task.Register(ctx, manifests.DriverStream)
	if err != nil {
		return err
	}
	snapshot, err := often.Snapshot(ctx)
	if err != nil {
		return err
	}
	partitions := len(plan.Tasks)
	publish := func(table *manifests.Table, every uint64, edit int) error {
		s := plan.Tasks[partitions-1-edit*partitions/edits] // newest first
		r := syntheticReceipt(s, plan, edit)
		r.Columns = snapshot.Columns()
		if last := (edit+1)*partitions/edits > edit*partitions/edits; !last {
			r.InputDigest = digest.OfBytes(fmt.Append(nil, edit))
		}
		outcome, err := table.Publish(ctx, manifests.Proposal{Driver: manifests.DriverStream, Generation: generation, Receipts: []manifests.Receipt{r}})
		if err == nil && uint64(outcome.Version)%every == 0 {
			err = trimmed(ctx, store, "tables/"+name, uint64(outcome.Version))
		}
		return err
	}
	edit := 0
	const perReceipt = 125                                     // bytes of a checkpoint
	last := uint64(edits) - tail(int64(partitions*perReceipt)) // of which the last checkpoint is made
	for ; uint64(edit) < last-100; edit++ {
		if err := publish(often, perCheckpoint, edit); err != nil {
			return err
		}
	}
	fresh := manifests.Open(store, name, manifests.Options{Writer: "bench", Log: log.Options{CheckpointEvery: last}})
	for ; edit < edits; edit++ {
		if err := publish(fresh, last, edit); err != nil {
			return err
		}
	}
	return nil
}

// syntheticReceipt is one without files, as of the last time that rows of its
// partition arrived.
func syntheticReceipt(s window.Status, plan window.Plan, edit int) manifests.Receipt {
	hours := int64(s.Start.Sub(firstDay)/time.Hour) + 2
	read := min(plan.Read[salesSpec.Stream], hours*perHour*(rowsNew+rowsLate))
	return manifests.Receipt{
		Partition: s.String(), Start: s.Start, End: s.End, Positions: manifests.Positions{salesSpec.Stream: read},
		InputRows: s.Input.Rows, InputDigest: s.Input.Digest, Fingerprint: plan.Fingerprint,
		Rows: int64(5 + edit%10), RowDigest: digest.OfRow(fmt.Append(nil, edit)),
		Files: []manifests.File{{ID: digest.OfRow(fmt.Append(nil, "file", edit)).String(), Rows: 5, Bytes: 1000, Digest: digest.OfBytes(fmt.Append(nil, edit))}},
	}
}
