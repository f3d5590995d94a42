package runner

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// Finding is what verifying one partition came to.
type Finding string

// The findings, gravest first.
const (
	// Differs: files, input or output are not what the receipt says.
	Differs Finding = "differs"
	// NotRecomputable: what the receipt was computed from is not there any
	// more, so that it could be neither confirmed nor refuted.
	NotRecomputable Finding = "not recomputable"
	// Stale: the receipt says the truth about older data or code.
	Stale Finding = "stale"
	// Reproduced: the receipt says the truth about head input and current code.
	Reproduced Finding = "reproduced"
)

// Verified is one partition's receipt, held against the lake.
type Verified struct {
	window.Status
	Finding     Finding
	Differences []Difference // what Differs names
	Unproved    string       // why it is NotRecomputable
}

// Difference is one way in which a receipt does not hold.
type Difference struct {
	What string `json:"what"` // "file", "input" or "output"
	Text string `json:"text"`
}

func (v *Verified) differ(what, format string, args ...any) {
	v.Differences = append(v.Differences, Difference{What: what, Text: fmt.Sprintf(format, args...)})
}

func (v *Verified) judge() {
	switch {
	case len(v.Differences) > 0:
		v.Finding = Differs
	case v.Unproved != "":
		v.Finding = NotRecomputable
	case v.StaleData || v.StaleCode:
		v.Finding = Stale
	default:
		v.Finding = Reproduced
	}
}

// Published lists the published partitions of the table at a version, or now
// for nil, and tells for each whether its receipt is that of head input and
// current code.
func (t *Task) Published(ctx context.Context, at *manifests.Version) ([]window.Status, error) {
	// The table is read first: what its receipts name has landed by then.
	snapshot, err := t.snapshot(ctx, at)
	if err != nil {
		return nil, err
	}
	if err := t.stream.Refresh(ctx); err != nil {
		return nil, err
	}
	var out []window.Status
	t.stream.View(func(stream *landing.State) {
		for _, r := range snapshot.Receipts() {
			s := window.Status{
				Partition: window.Partition{Grain: window.Grain(snapshot.Definition.Grain), Interval: window.Interval{Start: r.Start, End: r.End}},
				State:     window.Fresh, Receipt: &r,
			}
			s.Input = stream.InputOf(t.Job().Hours(s.Partition), stream.Next())
			s.StaleData = r.InputDigest != s.Input.Digest
			s.StaleCode = r.Fingerprint != t.compiled.Fingerprint
			if s.StaleData || s.StaleCode {
				s.State = window.Stale
			}
			out = append(out, s)
		}
	})
	return out, nil
}

func (t *Task) snapshot(ctx context.Context, at *manifests.Version) (*manifests.Snapshot, error) {
	if at != nil {
		return t.table.SnapshotAt(ctx, *at)
	}
	return t.table.Snapshot(ctx)
}

// Sample picks n partitions at random, the same for the same seed, in order of
// time; all where there are not more.
func Sample(all []window.Status, n int, seed uint64) []window.Status {
	if n >= len(all) {
		return all
	}
	chosen := rand.New(rand.NewPCG(seed, 0)).Perm(len(all))[:n]
	slices.Sort(chosen)
	out := make([]window.Status, n)
	for i, at := range chosen {
		out[i] = all[at]
	}
	return out
}

// VerifyOptions say how partitions are verified.
type VerifyOptions struct {
	Parallel int    // partitions at a time; at least 1
	Seed     uint64 // of the order in which rows are laid out anew
	// Done, if not nil, is told each finding as it is known. Calls never overlap.
	Done func(Verified)
}

// Verify holds published partitions against the lake: their files against
// their receipts, their input digests against the segments' rows, and their
// output against a recompute, at the receipt's own positions, that is done
// another way than a driver's. The error is of what stops everything.
func (t *Task) Verify(ctx context.Context, published []window.Status, o VerifyOptions) ([]Verified, error) {
	v := &verifier{task: t, rederiver: t.stream.Rederiver(t.lake.Files), seed: o.Seed}
	out := make([]Verified, len(published))
	var telling sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, o.Parallel))
	for i, s := range published {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			verified, err := v.partition(ctx, s)
			if err != nil {
				return fmt.Errorf("verify partition %s of table %s: %w", s.Partition, t.table.Name(), err)
			}
			out[i] = verified
			if o.Done != nil {
				telling.Lock()
				defer telling.Unlock()
				o.Done(verified)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

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
	size, hash, err := hashFile(path)
	switch {
	case err != nil:
		return summary, "", err
	case size != f.Bytes:
		return summary, fmt.Sprintf("has %d bytes, the receipt says %d: it is truncated or another file", size, f.Bytes), nil
	case hash != f.Digest:
		return summary, fmt.Sprintf("has other bytes than were published: SHA-256 %s, the receipt says %s", hash, f.Digest), nil
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
