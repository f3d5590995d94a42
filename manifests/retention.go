package manifests

import (
	"context"
	"math"
	"time"
)

// Retention says which versions of a table are kept: those from the one on that made
// one of its newest states, and those that were the newest at some time within an
// age. The zero Retention keeps all.
type Retention struct {
	Versions uint64        // how many states; 0: their number keeps none
	Age      time.Duration // 0: their age keeps none
}

// KeepsAll tells whether no version expires.
func (r Retention) KeepsAll() bool { return r == Retention{} }

// Keep returns the oldest version to keep of those that are kept so far. The newest
// is always kept, and so is what was the newest within the grace, by the store's clock
// now: somebody may read it.
func (t *Table) Keep(ctx context.Context, r Retention, now time.Time, grace time.Duration) (Version, error) {
	oldest, err := t.oldest(ctx)
	first := max(oldest, 1)
	if err != nil || r.KeepsAll() {
		return first, err
	}
	written, err := t.log.Written(ctx, uint64(first))
	if err != nil {
		return 0, err
	}
	state, err := t.state(ctx, r.Versions)
	return r.oldest(first, state, written, now, grace), err
}

// state returns the version that made the n-th newest state of the table, 0 if it
// has not that many, and none for 0.
func (t *Table) state(ctx context.Context, n uint64) (Version, error) {
	if n == 0 {
		return math.MaxUint64, nil
	}
	for c, err := range t.Changes(ctx) {
		if err != nil {
			return 0, err
		}
		if c.changesRows() {
			n--
		}
		if n == 0 {
			return c.Version, nil
		}
	}
	return 0, nil
}

// changesRows tells whether the edit makes another state of the table for who reads
// it. What registers code, repairs a file, records a failure, holds a result or sweeps
// does not.
func (e *Edit) changesRows() bool {
	return len(e.Receipts) > 0 || e.Rebuild || e.Rollback != nil
}

// oldest returns the oldest version to keep, from the state on that is the oldest to
// keep for their number. written says when the versions from first on were written.
func (r Retention) oldest(first, state Version, written []time.Time, now time.Time, grace time.Duration) Version {
	since := now.Add(-max(r.Age, grace))
	for i := range written {
		last := i == len(written)-1
		if last || first+Version(i) >= state || written[i+1].IsZero() || written[i+1].After(since) {
			return first + Version(i)
		}
	}
	return first
}
