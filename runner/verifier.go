package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/window"
)

// verifier is one run of Verify.
type verifier struct {
	task *Task
	*deriver
	seed uint64
}

// partition verifies what was published of a partition; where that was replaced and
// swept meanwhile it looks once more, at what stands now.
func (v *verifier) partition(ctx context.Context, s window.Status) (Verified, error) {
	out, err := v.receipt(ctx, s)
	if err != nil || !out.replaced {
		return out, err
	}
	now, err := v.task.Published(ctx, nil, func(table *manifests.Snapshot) (receipts []manifests.Receipt) {
		if r, is := table.Receipt(s.String()); is && !(slices.Equal(r.Files, s.Receipt.Files) && maps.Equal(r.Positions, s.Receipt.Positions)) {
			receipts = append(receipts, r)
		}
		return receipts
	})
	if err != nil || len(now) == 0 {
		return out, err
	}
	return v.receipt(ctx, now[0])
}

func (v *verifier) receipt(ctx context.Context, s window.Status) (Verified, error) {
	out := Verified{Status: s}
	if err := v.files(ctx, &out); err != nil {
		return out, err
	}
	tables, same, err := v.input(ctx, &out)
	// The code of another fingerprint is not here to be run again.
	if err == nil && same && !s.StaleCode {
		err = v.output(ctx, &out, tables)
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
		if errors.Is(err, objstore.ErrNotFound) {
			fault, err = "is missing", v.task.stillKept(ctx, f.ID)
		}
		if errors.Is(err, manifests.ErrExpired) {
			out.replaced, out.Unproved = true, fmt.Sprintf("%s was removed: %v", key, err)
			return nil
		}
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

// file reads one published file. What is wrong with it is in fault; objstore.ErrNotFound
// where it is not there.
func (v *verifier) file(ctx context.Context, key string, f manifests.File, r manifests.Receipt, holding *publish.Holding) (fault string, err error) {
	path, release, err := v.task.lake.Files.Get(ctx, key)
	if err != nil {
		return "", err
	}
	defer release()
	fault, err = holding.Inspect(path, f, r)
	return fault, v.task.lake.Files.Gone(err, path)
}

// output recomputes the partition at the receipt's own positions.
func (v *verifier) output(ctx context.Context, out *Verified, tables map[string]*manifests.Snapshot) error {
	r, t := out.Receipt, v.task
	made, err := t.compiled.RecomputeOtherwise(ctx, t.source(r.Positions, tables), out.Partition, v.seed)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, landing.ErrExpired): // since its input was derived
		return v.expired(ctx, out, err)
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
