package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// deriver derives the input of partitions again, from the rows of streams and the
// versions of tables. It is safe for concurrent use.
type deriver struct {
	task       *Task
	rederivers []*landing.Rederiver // of the inputs that are streams

	mu       sync.Mutex
	versions map[versionOf]*manifests.Snapshot
	heads    map[*manifests.Snapshot]window.Head
}

func newDeriver(t *Task) *deriver {
	d := &deriver{
		task: t, rederivers: make([]*landing.Rederiver, len(t.inputs)),
		versions: map[versionOf]*manifests.Snapshot{}, heads: map[*manifests.Snapshot]window.Head{},
	}
	for i, in := range t.inputs {
		if in.Stream != nil {
			d.rederivers[i] = in.Stream.Rederiver(t.lake.Files)
		}
	}
	return d
}

// input derives what a job read of the input at i.
func (d *deriver) input(ctx context.Context, job window.Job, i int, p window.Partition, read manifests.Positions, tables map[string]*manifests.Snapshot) (landing.Input, error) {
	in := job.Inputs[i]
	if in.Table {
		return job.InputOf(in, d.head(tables[in.Name]), p), nil
	}
	return d.rederivers[i].Input(ctx, job.Hours(in, p), landing.Position(read[in.At()]))
}

// input derives the input digests again, and tells whether they are the receipt's. The
// tables are those that were read, as deriver.tables has them.
func (v *verifier) input(ctx context.Context, out *Verified) (tables map[string]*manifests.Snapshot, same bool, err error) {
	if !v.reaches(out) {
		return nil, false, nil
	}
	job, known := out.ReadBy(v.task.Job())
	tables, err = v.tables(ctx, job, out.Partition, *out.Receipt)
	if errors.Is(err, manifests.ErrExpired) {
		out.replaced, out.Unproved = true, err.Error()
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	read := make([]landing.Input, len(v.task.inputs))
	for i := range read {
		read[i], err = v.deriver.input(ctx, job, i, out.Partition, out.Receipt.Positions, tables)
		if known, err := v.unproved(ctx, out, err); known || err != nil {
			return nil, false, err
		}
	}
	return tables, v.holds(out, read, known), nil
}

// reaches tells whether the receipt is of the job's inputs, as far as they go.
func (v *verifier) reaches(out *Verified) bool {
	for i, in := range v.task.Job().Inputs {
		upTo, known := out.Receipt.Positions[in.At()]
		if !known {
			out.Unproved = fmt.Sprintf("it was computed without %s, which the job reads now", in)
			return false
		}
		end := v.task.inputs[i].end()
		if upTo <= end {
			continue
		}
		if in.Table {
			out.differ("input", "the receipt read version %d of table %s, whose log ends at %d", upTo, in.Name, end)
		} else {
			out.differ("input", "the receipt read positions [0, %d) of stream %s, whose landing log ends at %d", upTo, in.Name, end)
		}
		return false
	}
	return true
}

// unproved notes why an input can't be derived any more, if err says so.
func (v *verifier) unproved(ctx context.Context, out *Verified, err error) (known bool, other error) {
	switch {
	case errors.Is(err, objstore.ErrNotFound):
		out.Unproved = err.Error()
	case errors.Is(err, landing.ErrExpired):
		return true, v.expired(ctx, out, err)
	case errors.Is(err, landing.ErrSegment):
		out.differ("input", "%v", err)
	default:
		return false, err
	}
	return true, nil
}

// holds tells whether what was derived is what the receipt says. known tells whether the
// event times are surely those that were read.
func (v *verifier) holds(out *Verified, read []landing.Input, known bool) bool {
	r, job := out.Receipt, v.task.Job()
	input := job.Join(read)
	switch {
	case input.Rows == r.InputRows && input.Digest == r.InputDigest:
		return true
	case !known:
		out.Unproved = "it is not recorded which bucket-hours the code read that made it: its input is not that of those that the job reads now"
		return false
	case r.Inputs == nil:
		out.differ("input", "the segments hold %d rows with digest %s, the receipt says %d with %s", input.Rows, input.Digest, r.InputRows, r.InputDigest)
		return false
	}
	for i, in := range job.Inputs {
		if said := r.Inputs[in.At()]; said != manifests.Input(read[i]) {
			out.differ("input", "%s has %d rows with digest %s, the receipt says %d with %s", in, read[i].Rows, read[i].Digest, said.Rows, said.Digest)
		}
	}
	if len(out.Differences) == 0 {
		out.differ("input", "its inputs together have the digest %s, the receipt says %s", input.Digest, r.InputDigest)
	}
	return false
}

// expired says why a partition can't be computed again. What the logs
// still know of the rows that expired is held against the receipt.
func (v *verifier) expired(ctx context.Context, out *Verified, why error) error {
	out.expired, out.Unproved = true, why.Error()
	tables, err := v.task.refresh(ctx)
	if err != nil {
		return err
	}
	return v.task.view(pinned{tables: tables}, func(now pinned) error {
		if history := v.task.Job().CheckReading(v.task.compiled.Fingerprint, now.heads, out.Receipt.Reading()); history != nil {
			out.differ("input", "%v", history)
		}
		return nil
	})
}
