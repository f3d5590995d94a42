package runner

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
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
	r := out.Receipt
	var rows int64
	var sum digest.Sum128
	for _, f := range r.Files {
		key := manifests.DataKey(v.task.table.Name(), r.Partition, f.ID)
		summary, fault, err := v.file(ctx, key, f, r.Columns)
		if err != nil {
			return err
		}
		if fault != "" {
			out.differ("file", "%s %s", key, fault)
			continue
		}
		rows, sum = rows+summary.Rows, sum.Add(summary.Digest)
	}
	if len(out.Differences) == 0 && (rows != r.Rows || sum != r.RowDigest) {
		out.differ("file", "the files hold %d rows with digest %s, the receipt says %d with %s", rows, sum, r.Rows, r.RowDigest)
	}
	return nil
}

// file reads one published file. What is wrong with it is in fault.
func (v *verifier) file(ctx context.Context, key string, f manifests.File, columns []datafile.Column) (summary datafile.Summary, fault string, err error) {
	path, release, err := v.task.lake.Files.Get(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		return summary, "is missing", nil
	}
	if err != nil {
		return summary, "", err
	}
	defer release()
	if fault, err = otherBytes(path, f); fault != "" || err != nil {
		return summary, fault, err
	}
	summary, err = datafile.Summarize(path, nil)
	switch {
	case errors.Is(err, datafile.ErrCorrupt):
		return summary, fmt.Sprintf("can't be read: %v", err), nil
	case err != nil:
		return summary, "", err
	case summary.Rows != f.Rows:
		return summary, fmt.Sprintf("has %d rows, the receipt says %d", summary.Rows, f.Rows), nil
	case !slices.Equal(summary.Columns, columns):
		return summary, fmt.Sprintf("has the columns %v, the receipt says %v", summary.Columns, columns), nil
	}
	return summary, "", nil
}

// otherBytes tells whether the file at path has the bytes that were published,
// and else what is wrong with it.
func otherBytes(path string, f manifests.File) (fault string, err error) {
	size, hash, err := hashFile(path)
	switch {
	case err != nil:
		return "", err
	case size != f.Bytes:
		return fmt.Sprintf("has %d bytes, the receipt says %d: it is truncated or another file", size, f.Bytes), nil
	case hash != f.Digest:
		return fmt.Sprintf("has other bytes than were published: SHA-256 %s, the receipt says %s", hash, f.Digest), nil
	}
	return "", nil
}

func hashFile(path string) (size int64, hash digest.Hash, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, hash, err
	}
	defer file.Close()
	sum := sha256.New()
	if size, err = io.Copy(sum, file); err != nil {
		return 0, hash, fmt.Errorf("read %s: %w", path, err)
	}
	sum.Sum(hash[:0])
	return size, hash, nil
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

// output recomputes the partition at the receipt's own positions.
func (v *verifier) output(ctx context.Context, out *Verified) error {
	r, t := out.Receipt, v.task
	path, err := t.compiled.RecomputeOtherwise(ctx, t.source(), out.Partition, landing.Position(r.Positions[t.Job().From]), v.seed)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, window.ErrJob):
		out.differ("output", "computed again, it fails: %v", err)
		return nil
	case errors.Is(err, window.ErrResources), errors.Is(err, objstore.ErrNotFound):
		out.Unproved = err.Error()
		return nil
	case err != nil:
		return err
	}
	defer os.Remove(path)
	summary, err := datafile.Summarize(path, nil)
	if err != nil {
		return err
	}
	if summary.Rows != r.Rows || summary.Digest != r.RowDigest || !slices.Equal(summary.Columns, r.Columns) {
		out.differ("output", "computed again from the same rows in another order, layout and number of threads it has %d rows with digest %s, the receipt says %d with %s",
			summary.Rows, summary.Digest, r.Rows, r.RowDigest)
	}
	return nil
}

// source is what this process computes with.
func (t *Task) source() window.Source {
	return window.Source{Engine: t.lake.Engine, Stream: t.stream, Files: t.lake.Files, Scratch: t.lake.Scratch}
}
