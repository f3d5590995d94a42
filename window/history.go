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
// again, from the logs as they are, at the positions that it was computed from. Rows
// and positions only ever grow, so it must come out the same: ErrHistory if not.
// Nobody can tell for other code, which may have read other bucket-hours.
func (j Job) CheckHistory(fingerprint digest.Hash, heads Heads, table *manifests.Snapshot) error {
	for _, r := range table.Readings() {
		if err := j.CheckReading(fingerprint, heads, r); err != nil {
			return err
		}
	}
	return nil
}

// CheckReading is CheckHistory for one result.
func (j Job) CheckReading(fingerprint digest.Hash, heads Heads, r manifests.Reading) error {
	p, err := j.Grain.Parse(r.Partition)
	if err != nil {
		return nil // of a grain that a rebuild will replace
	}
	now, _ := j.inputsOf(heads, p.span())
	return j.checkReading(fingerprint, heads, r, p, now)
}

// CheckInput is CheckReading for one input.
func (j Job) CheckInput(fingerprint digest.Hash, in Input, head Head, r manifests.Reading) error {
	p, err := j.Grain.Parse(r.Partition)
	if err != nil {
		return nil
	}
	return j.checkInput(fingerprint, in, head, r, p)
}

// checkFurthest is ErrHistory if any result, published or not, was computed from more than
// there is.
func (j Job) checkFurthest(heads Heads, table *manifests.Snapshot) error {
	furthest := table.Furthest()
	for i, in := range j.Inputs {
		if err := checkEnd(j.Name, furthest[in.At()], in, heads[i].End()); err != nil {
			return err
		}
	}
	return nil
}

// checkReading is CheckReading where now is the input of the partition at head.
func (j Job) checkReading(fingerprint digest.Hash, heads Heads, r manifests.Reading, p Partition, now landing.Input) error {
	for i, in := range j.Inputs {
		if err := checkEnd(j.Name, r, in, heads[i].End()); err != nil {
			return err
		}
	}
	if r.InputDigest == now.Digest { // the same rows at the same positions, and none since
		return nil
	}
	for i, in := range j.Inputs {
		if err := j.checkInput(fingerprint, in, heads[i], r, p); err != nil {
			return err
		}
	}
	return nil
}

func (j Job) checkInput(fingerprint digest.Hash, in Input, head Head, r manifests.Reading, p Partition) error {
	if err := checkEnd(j.Name, r, in, head.End()); err != nil {
		return err
	}
	upTo := r.Positions[in.At()]
	read, known := j.readOf(in, r)
	of := j.readsOf(in, p.span())
	if known && read.Digest == head.sum(of).Digest {
		return nil
	}
	if !head.mayEnd(upTo) || known && r.Fingerprint == fingerprint && !head.bears(upTo, read, of) {
		return fmt.Errorf("%w: the rows of partition %s of table %s up to %s %d of %s are others than those it was computed from; restore the log's entries", ErrHistory, p, j.Name, in.end(), upTo, in)
	}
	return nil
}

// readOf is what a result had read of an input, if that is known.
func (j Job) readOf(in Input, r manifests.Reading) (read landing.Input, known bool) {
	if j.sole() && len(r.Positions) == 1 {
		return landing.Input{Rows: r.InputRows, Digest: r.InputDigest}, true
	}
	part, known := r.Inputs[in.At()]
	return landing.Input(part), known
}

// end is the word for how far an input goes.
func (in Input) end() string {
	if in.Table {
		return "version"
	}
	return "position"
}

// CheckHead is ErrHistory if a table's result was computed from positions that a
// stream, or versions that a table does not have, which ends at end. name is as position
// vectors have it. It is what can be told of a table without its job.
func CheckHead(table string, r manifests.Reading, name string, end int64) error {
	read, isTable := manifests.InputTable(name)
	return checkEnd(table, r, Input{Name: read, Table: isTable}, end)
}

func checkEnd(table string, r manifests.Reading, in Input, end int64) error {
	upTo := r.Positions[in.At()]
	switch {
	case upTo <= end:
		return nil
	case in.Table:
		return fmt.Errorf("%w: partition %s of table %s was computed from version %d of table %s, which is at %d; restore the log's newest entries", ErrHistory, r.Partition, table, upTo, in.Name, end)
	}
	return fmt.Errorf("%w: partition %s of table %s was computed from positions up to %d of stream %s, which ends at %d; restore the log's newest entries", ErrHistory, r.Partition, table, upTo, in.Name, end)
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
	if CheckHead(table.Name(), furthest, name, int64(stream.Next())) == nil {
		return nil
	}
	if err := stream.Refresh(ctx); err != nil {
		return err
	}
	return CheckHead(table.Name(), furthest, name, int64(stream.Next()))
}
