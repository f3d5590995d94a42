package log

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// PlanTrim says what Trim would remove.
func (l *Log) PlanTrim(ctx context.Context, keep Keep) (Trim, error) {
	h := holdings{every: l.opts.CheckpointEvery, now: l.opts.Now()}
	var err error
	if h.checkpoints, err = l.between(ctx, checkpointFolder, 1, math.MaxUint64); err != nil {
		return Trim{}, fmt.Errorf("plan a trim: %w", err)
	}
	// Read after the checkpoints, so that none is counted on which an earlier
	// trim removes.
	if h.trims, err = l.readTrims(ctx); err != nil {
		return Trim{}, fmt.Errorf("plan a trim: %w", err)
	}
	base, found := h.base(keep)
	end := h.oldest()
	if found {
		end = base
	}
	entries, err := l.between(ctx, entryFolder, 1, end)
	if err != nil {
		return Trim{}, fmt.Errorf("plan a trim: %w", err)
	}
	return h.plan(keep, entries), nil
}

// Trim removes what the log no longer needs, and thins its checkpoints. Also
// what an earlier trim meant to remove, if that was interrupted. It returns
// what it removed. With an error that is what is known to be gone by then, and
// trimming again goes on. Any number of trims, readers and writers may work at
// the same time.
func (l *Log) Trim(ctx context.Context, keep Keep) (Trim, error) {
	for {
		trim, err := l.PlanTrim(ctx, keep)
		if err != nil {
			return Trim{}, err
		}
		err = l.announce(ctx, trim)
		if errors.Is(err, ErrConflict) {
			continue // another trim was first: plan in the knowledge of it
		}
		done := trim.first(0, 0)
		if err == nil {
			done, err = l.carryOut(ctx, trim)
		}
		if err != nil {
			return done, fmt.Errorf("trim %s/log/: %w", l.prefix, err)
		}
		return done, nil
	}
}

// announce writes down what the trim removes, once it is sure that what is left
// can be read.
func (l *Log) announce(ctx context.Context, t Trim) error {
	if t.next == nil {
		return nil
	}
	if t.anchor > 0 {
		if _, err := l.readWhole(ctx, t.anchor); err != nil {
			return err
		}
	}
	return l.record(ctx, *t.next)
}

// carryOut removes checkpoints before the entries that they were made at, and returns what
// went.
func (l *Log) carryOut(ctx context.Context, t Trim) (Trim, error) {
	begun := l.opts.Now()
	for i, n := range t.Checkpoints {
		if l.since(begun) > carryFor {
			return t.first(i, 0), fmt.Errorf("removing %d checkpoints takes longer than %s: trim again, to go on", len(t.Checkpoints), carryFor)
		}
		if err := l.remove(ctx, checkpointFolder, n); err != nil {
			return t.first(i, 0), err
		}
	}
	gone, err := l.removeEntries(ctx, t)
	if err != nil {
		return t.first(len(t.Checkpoints), gone), err
	}
	for _, n := range t.records {
		if err := l.remove(ctx, trimFolder, n); err != nil {
			return t, err
		}
	}
	return t, nil
}

// since is how long ago t was. A machine that slept may have stopped one of its
// two clocks, so the one counts that says more.
func (l *Log) since(t time.Time) time.Duration {
	now := l.opts.Now()
	return max(now.Sub(t), now.Round(0).Sub(t.Round(0)))
}

func (l *Log) remove(ctx context.Context, f folder, n uint64) error {
	if err := l.store.Delete(ctx, l.keyIn(f, n)); err != nil {
		return fmt.Errorf("remove %s: %w", l.keyIn(f, n), err)
	}
	return nil
}
