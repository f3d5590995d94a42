package runner

import (
	"context"
	"errors"
	"fmt"

	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/window"
)

// verifier is one run of Verify.
type verifier struct {
	task      *Task
	rederiver *landing.Rederiver
	seed      uint64
}

func (v *verifier) partition(ctx context.Context, s window.Status) (Verified, error) {
	out := Verified{Status: s}
	if err := v.files(ctx, &out); err != nil {
		return out, err
	}
	same, err := v.input(ctx, &out)
	// The code of another fingerprint is not here to be run again.
	if err == nil && same && !s.StaleCode {
		err = v.output(ctx, &out)
	}
	out.judge()
	return out, err
}

// files reads the published files again.
func (v *verifier) files(ctx context.Context, out *Verified) error {
	var holding publish.Holding
	for _, f := range out.Receipt.Files {
		key := manifests.DataKey(v.task.table.Name(), out.Receipt.Partition, f.ID)
		fault, err := v.file(ctx, key, f, *out.Receipt, &holding)
		if err != nil {
			return err
		}
		if fault != "" {
			out.differ("file", "%s %s", key, fault)
		}
	}
	if fault := holding.Fault(*out.Receipt); fault != "" && len(out.Differences) == 0 {
		out.differ("file", "the files hold %s", fault)
	}
	return nil
}

// file reads one published file. What is wrong with it is in fault.
func (v *verifier) file(ctx context.Context, key string, f manifests.File, r manifests.Receipt, holding *publish.Holding) (fault string, err error) {
	path, release, err := v.task.lake.Files.Get(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		return "is missing", nil
	}
	if err != nil {
		return "", err
	}
	defer release()
	return holding.Inspect(path, f, r)
}

// input derives the input digest again, and tells whether it is the receipt's.
func (v *verifier) input(ctx context.Context, out *Verified) (same bool, err error) {
	r, job := out.Receipt, v.task.Job()
	upTo, known := r.Positions[job.From]
	if head := v.task.stream.Next(); known && landing.Position(upTo) > head {
		out.differ("input", "the receipt read positions [0, %d) of stream %s, whose landing log ends at %d", upTo, job.From, head)
		return false, nil
	}
	if !known {
		out.Unproved = fmt.Sprintf("it was computed from another stream than %s, which the job reads now", job.From)
		return false, nil
	}
	input, err := v.rederiver.Input(ctx, job.Hours(out.Partition), landing.Position(upTo))
	switch {
	case errors.Is(err, objstore.ErrNotFound):
		out.Unproved = err.Error()
		return false, nil
	case errors.Is(err, landing.ErrExpired):
		v.expired(out, err)
		return false, nil
	case errors.Is(err, landing.ErrSegment):
		out.differ("input", "%v", err)
		return false, nil
	case err != nil:
		return false, err
	case input.Rows == r.InputRows && input.Digest == r.InputDigest:
		return true, nil
	case out.StaleCode:
		out.Unproved = "the code that made it is not here and its windows may have been others: its input is not that of the same bucket-hours today"
		return false, nil
	}
	out.differ("input", "the segments hold %d rows with digest %s, the receipt says %d with %s", input.Rows, input.Digest, r.InputRows, r.InputDigest)
	return false, nil
}

// expired says why a partition can't be computed again. What the landing log
// still knows of the rows that expired is held against the receipt.
func (v *verifier) expired(out *Verified, why error) {
	out.expired, out.Unproved = true, why.Error()
	var history error
	v.task.stream.View(func(s *landing.State) {
		history = v.task.Job().CheckReading(v.task.compiled.Fingerprint, s, out.Receipt.Reading())
	})
	if history != nil {
		out.differ("input", "%v", history)
	}
}

// output recomputes the partition at the receipt's own positions.
func (v *verifier) output(ctx context.Context, out *Verified) error {
	r, t := out.Receipt, v.task
	made, err := t.compiled.RecomputeOtherwise(ctx, t.source(), out.Partition, landing.Position(r.Positions[t.Job().From]), v.seed)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, landing.ErrExpired): // since its input was derived
		v.expired(out, err)
		return nil
	case errors.Is(err, window.ErrJob):
		out.differ("output", "computed again, it fails: %v", err)
		return nil
	case errors.Is(err, window.ErrResources), errors.Is(err, objstore.ErrNotFound):
		out.Unproved = err.Error()
		return nil
	case err != nil:
		return err
	}
	defer made.Remove()
	fault, err := publish.Reproduces(made.Files, *r)
	if err != nil {
		return err
	}
	if fault != "" {
		out.differ("output", "computed again from the same rows in another order, layout and number of threads it has %s", fault)
	}
	return nil
}

// source is what this process computes with.
func (t *Task) source() window.Source {
	return window.Source{Engine: t.lake.Engine, Stream: t.stream, Files: t.lake.Files, Scratch: t.lake.Scratch}
}
