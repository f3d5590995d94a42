package runner

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

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
	// RawExpired: the files are those that the receipt names, and the landing log
	// bears out its input, but rows of it have expired by the stream's retain, so
	// that it can't be computed again.
	RawExpired Finding = "not recomputable (raw expired)"
	// Stale: the receipt says the truth about older data or code.
	Stale Finding = "stale"
	// Open: the receipt says the truth about older data, and the partition waits to be
	// closed.
	Open Finding = "open"
	// Reproduced: the receipt says the truth about head input and current code.
	Reproduced Finding = "reproduced"
)

// Verified is one partition's receipt, held against the lake.
type Verified struct {
	window.Status
	Finding     Finding
	Differences []Difference // what Differs names
	Unproved    string       // why it is NotRecomputable, or RawExpired
	expired     bool
	replaced    bool // what was read is of a version that has expired, so that it is worth another look
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
	case v.expired:
		v.Finding = RawExpired
	case v.Unproved != "":
		v.Finding = NotRecomputable
	case v.State == window.Open:
		v.Finding = Open
	case v.StaleData || v.StaleCode:
		v.Finding = Stale
	default:
		v.Finding = Reproduced
	}
}

// Published lists the published partitions that choose names of the table at a version, or
// now for nil, and tells for each whether its receipt is that of head input and current
// code.
func (t *Task) Published(ctx context.Context, at *manifests.Version, choose func(*manifests.Snapshot) []manifests.Receipt) ([]window.Status, error) {
	// The table is read first: what its receipts name has landed by then.
	snapshot, err := t.snapshot(ctx, at)
	if err != nil {
		return nil, err
	}
	made, err := t.settled(ctx)
	if err != nil {
		return nil, err
	}
	tables, err := t.refresh(ctx)
	if err != nil {
		return nil, err
	}
	var out []window.Status
	err = t.view(pinned{tables: tables, made: made}, func(now pinned) error {
		out, err = t.compiled.Published(t.compiled.Fingerprint, now.heads, snapshot, choose(snapshot))
		t.compiled.Close(out, now.heads, t.lake.now())
		return err
	})
	return out, err
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
	if err := t.agree(); err != nil {
		return nil, err
	}
	v := &verifier{task: t, deriver: newDeriver(t), seed: o.Seed}
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
