package sweep

import (
	"context"
	"time"

	"strandline/manifests"
)

// table is a table of the lake under sweep.
type table struct {
	*manifests.Reach
	table    *manifests.Table
	now      time.Time
	standing manifests.Version // the oldest that was kept so far
	oldest   manifests.Version // the oldest to keep
	asked    manifests.Version // how many are kept since requests read them
	edited   bool              // an edit has said so
	grace    time.Duration
	dryRun   bool
}

func (s *sweeper) manifests(name string) *manifests.Table {
	return manifests.Open(s.store, name, manifests.Options{Writer: s.options.Writer, Now: s.options.Now, Log: s.options.Log})
}

func (s *sweeper) openTable(ctx context.Context, name string) (owner, error) {
	t := &table{now: s.now, grace: s.options.Grace, dryRun: s.options.DryRun}
	t.table = s.manifests(name)
	snapshot, err := t.table.Snapshot(ctx)
	if err != nil || snapshot.Version == 0 {
		return nil, err
	}
	t.standing = max(snapshot.Oldest, 1)
	if err := s.keep(ctx, t); err != nil {
		return nil, err
	}
	t.Reach, err = t.table.Reach(ctx, t.oldest)
	return t, err
}

// keep decides which versions of a table are kept: those that are declared to be, and from the oldest
// on that a request reads.
func (s *sweeper) keep(ctx context.Context, t *table) (err error) {
	var declared manifests.Retention
	if s.options.Retention != nil {
		declared = s.options.Retention(t.table.Name())
	}
	t.oldest, err = t.table.Keep(ctx, declared, s.now, s.options.Grace)
	if err != nil || t.oldest == t.standing {
		return err
	}
	read, err := s.readByRequests(ctx)
	if err != nil {
		return err
	}
	if oldest, is := read[t.table.Name()]; is && oldest < t.oldest {
		kept := max(oldest, t.standing)
		t.asked, t.oldest = t.oldest-kept, kept
	}
	return nil
}

func (t *table) condemn(ctx context.Context, ids []string) ([]string, error) {
	t.edited = true
	return t.table.Sweep(ctx, t.Reach, manifests.Sweeping{Oldest: t.oldest, Files: ids, At: t.now})
}

// Alone is how many versions expire at least where no file goes with them. The edit
// that says so is a version itself: without a bound there would be one for each
// sweep of a table that is at rest.
const Alone = 100

func (t *table) finish(ctx context.Context, part *Part) error {
	part.Oldest, part.Asked = t.standing, t.asked
	if part.Swept.Objects > 0 || t.oldest >= t.standing+Alone {
		if err := t.expire(ctx); err != nil {
			return err
		}
		part.Oldest, part.Expired = t.oldest, t.oldest-t.standing
	}
	part.Waiting = t.oldest - part.Oldest
	if t.dryRun {
		return part.trim(t.table.PlanTrim(ctx, part.Oldest, t.grace))
	}
	return part.trim(t.table.Trim(ctx, t.grace))
}

// expire has an edit say which versions are kept, unless one has.
func (t *table) expire(ctx context.Context) error {
	if t.dryRun || t.edited || t.oldest == t.standing {
		return nil
	}
	_, err := t.table.Sweep(ctx, t.Reach, manifests.Sweeping{Oldest: t.oldest})
	return err
}
