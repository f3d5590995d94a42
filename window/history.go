package window

import (
	"context"
	"errors"
	"fmt"

	"strandline/internal/digest"
	"strandline/landing"
	"strandline/manifests"
)

// ErrHistory says that a landing log is not the one that published partitions
// were computed from: it has lost entries, or has others in their place.
var ErrHistory = errors.New("the landing log is not the one that was read before")

// CheckHistory derives the input of every published, held and set aside result
// again, from the log as it is, at the positions that it was computed from. Rows
// and positions only ever grow, so it must come out the same: ErrHistory if not.
// Nobody can tell for other code, which may have read other bucket-hours.
func (j Job) CheckHistory(fingerprint digest.Hash, stream *landing.State, table *manifests.Snapshot) error {
	for _, r := range table.Readings() {
		if err := j.CheckReading(fingerprint, stream, r); err != nil {
			return err
		}
	}
	return nil
}

// CheckReading is CheckHistory for one result.
func (j Job) CheckReading(fingerprint digest.Hash, stream *landing.State, r manifests.Reading) error {
	p, err := j.Grain.Parse(r.Partition)
	if err != nil {
		return nil // of a grain that a rebuild will replace
	}
	return j.checkReading(fingerprint, stream, r, p, stream.InputOf(j.Hours(p)))
}

// checkReading is CheckReading where now is the input of the partition at head.
func (j Job) checkReading(fingerprint digest.Hash, stream *landing.State, r manifests.Reading, p Partition, now landing.Input) error {
	upTo := landing.Position(r.Positions[j.From])
	switch {
	case upTo > stream.Next():
		return CheckHead(j.Name, r, j.From, stream.Next())
	case r.InputDigest == now.Digest: // the same rows at the same positions, and none since
		return nil
	case !stream.MayEnd(upTo), r.Fingerprint == fingerprint && !mayHaveRead(r, stream, j.Hours(p), upTo):
		return fmt.Errorf("%w: the rows of partition %s of table %s up to position %d of stream %s are others than those it was computed from; restore the log's entries", ErrHistory, p, j.Name, upTo, j.From)
	}
	return nil
}

// CheckHead is ErrHistory if a table's result was computed from positions that a
// stream does not have, which ends at end. It is what can be told of a table
// without its job.
func CheckHead(table string, r manifests.Reading, stream string, end landing.Position) error {
	if upTo := landing.Position(r.Positions[stream]); upTo > end {
		return fmt.Errorf("%w: partition %s of table %s was computed from positions up to %d of stream %s, which ends at %d; restore the log's newest entries", ErrHistory, r.Partition, table, upTo, stream, end)
	}
	return nil
}

// CheckTable is CheckHead for all results of a table, published or not. The landing
// log is read on after the table, unless it goes far enough already, so the table
// can't be ahead of it.
func CheckTable(ctx context.Context, stream *landing.Stream, table *manifests.Table) error {
	snapshot, err := table.Snapshot(ctx)
	if err != nil {
		return err
	}
	name := stream.Spec().Stream
	furthest := snapshot.Furthest()[name]
	if CheckHead(table.Name(), furthest, name, stream.Next()) == nil {
		return nil
	}
	if err := stream.Refresh(ctx); err != nil {
		return err
	}
	return CheckHead(table.Name(), furthest, name, stream.Next())
}

// mayHaveRead tells whether the log bears out what was read in hours up to a
// position. Where a compaction put rows below and above that position into one
// segment, or rows below it have expired together with rows above it, their number
// bounds what was read, and only where it is at a bound is it known which rows they
// were. Who compacts has looked before.
func mayHaveRead(r manifests.Reading, stream *landing.State, hours landing.Hours, upTo landing.Position) bool {
	least, most := stream.InputBounds(hours, upTo)
	for _, bound := range []landing.Input{least, most} {
		if bound.Digest == r.InputDigest {
			return true
		}
	}
	return least.Rows < r.InputRows && r.InputRows < most.Rows
}
