package manifests

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"strandline/internal/log"
	"strandline/internal/objstore"
)

// ErrNoVersion says that a table has no such version.
var ErrNoVersion = errors.New("no such version")

// Options are what a table needs of its process.
type Options struct {
	// Writer names this process in edits, for people: host and process id.
	Writer string
	// Now is the clock. Default time.Now.
	Now func() time.Time
	Log log.Options
}

// Table is one table of a lake. It is safe for concurrent use.
type Table struct {
	name   string
	writer string
	now    func() time.Time
	log    *log.Log
	follow *log.Follower[*State]
	proved atomic.Bool // see prove
}

// Open returns the table of a name. It reads nothing yet, and a table without
// edits is an empty table.
func Open(store objstore.Store, name string, opts Options) *Table {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log.Now == nil {
		opts.Log.Now = opts.Now
	}
	l := log.New(store, "tables/"+name, opts.Log)
	return &Table{name: name, writer: opts.Writer, now: opts.Now, log: l, follow: log.Follow(l, newState)}
}

// Name returns the table's name.
func (t *Table) Name() string { return t.name }

// Version returns the table's newest version, as it was last read.
func (t *Table) Version() (version Version) {
	t.follow.View(func(s *State, _ log.Head) { version = s.version })
	return version
}

// Now is the time by the table's clock.
func (t *Table) Now() time.Time { return t.now() }

// DataFolder is what the keys of a table's published files begin with, before a slash.
func DataFolder(table string) string { return "tables/" + table + "/data" }

// DataSuffix ends the keys of published files.
const DataSuffix = ".parquet"

// DataKey returns the object key of a published file.
func DataKey(table, partition, id string) string {
	return DataFolder(table) + "/" + partition + "/" + id + DataSuffix // Sprintf is slow where there are many
}

// Snapshot returns the table as it is now.
func (t *Table) Snapshot(ctx context.Context) (*Snapshot, error) {
	if err := t.refresh(ctx); err != nil {
		return nil, fmt.Errorf("read the manifest log of table %s: %w", t.name, err)
	}
	var snapshot *Snapshot
	t.follow.View(func(s *State, _ log.Head) { snapshot = s.snapshot(t.name) })
	return snapshot, nil
}

// SnapshotAt returns the table as of a version; ErrNoVersion if it has none
// such, ErrExpired if it is not kept any more. Version 0 is the empty table.
func (t *Table) SnapshotAt(ctx context.Context, version Version) (*Snapshot, error) {
	if err := t.kept(ctx, version); err != nil {
		return nil, err
	}
	state, _, err := t.stateAt(ctx, version)
	if err != nil {
		return nil, err
	}
	return state.snapshot(t.name), nil
}

// kept reads on, and is ErrNoVersion or ErrExpired if a version is not there yet, or
// not any more.
func (t *Table) kept(ctx context.Context, version Version) (err error) {
	if err := t.refresh(ctx); err != nil {
		return fmt.Errorf("read the manifest log of table %s: %w", t.name, err)
	}
	t.follow.View(func(s *State, _ log.Head) {
		err = s.expired(t.name, version)
		if version > s.version {
			err = fmt.Errorf("table %s at version %d: %w; its newest is %d", t.name, version, ErrNoVersion, s.version)
		}
	})
	return err
}

// stateAt is the state as of a version, or as of the newest that was read if that
// is older. ErrExpired if it is not kept any more, log.ErrCorrupt if
// it is and the log does not tell it.
func (t *Table) stateAt(ctx context.Context, version Version) (*State, log.Head, error) {
	t.follow.View(func(s *State, _ log.Head) { version = min(version, s.version) })
	state, head, err := t.follow.At(ctx, uint64(version))
	if errors.Is(err, log.ErrTrimmed) {
		err = t.untold(ctx, version, err)
	}
	if err != nil {
		return nil, head, fmt.Errorf("read table %s at version %d: %w", t.name, version, err)
	}
	return state, head, nil
}

// untold says why the log does not tell a version: it has expired meanwhile, or what it
// is folded from was lost.
func (t *Table) untold(ctx context.Context, version Version, why error) error {
	err := t.kept(ctx, version)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: the version is kept, and what it is folded from is gone (%v): strandline check-lake names the object to bring back from a copy", log.ErrCorrupt, why)
}

// Trim removes what the table's log no longer needs to tell the versions that are
// kept, once it is older than the grace.
func (t *Table) Trim(ctx context.Context, grace time.Duration) (log.Trim, error) {
	oldest, err := t.oldest(ctx)
	if err != nil {
		return log.Trim{}, err
	}
	return t.log.Trim(ctx, log.Keep{From: uint64(oldest), Grace: grace})
}

// PlanTrim says what Trim would remove if versions were kept from one on, or from a
// later one where those before it have expired.
func (t *Table) PlanTrim(ctx context.Context, from Version, grace time.Duration) (log.Trim, error) {
	oldest, err := t.oldest(ctx)
	if err != nil {
		return log.Trim{}, err
	}
	return t.log.PlanTrim(ctx, log.Keep{From: uint64(max(from, oldest)), Grace: grace})
}

// oldest reads on, and returns the oldest version that is kept; 0 is as good as 1.
func (t *Table) oldest(ctx context.Context) (oldest Version, err error) {
	if err := t.refresh(ctx); err != nil {
		return 0, fmt.Errorf("read the manifest log of table %s: %w", t.name, err)
	}
	t.follow.View(func(s *State, _ log.Head) { oldest = s.oldest })
	return oldest, nil
}

// readOn calls fn with every edit after head and returns the new head.
func (t *Table) readOn(ctx context.Context, head log.Head, fn func(log.Entry, Edit) error) (log.Head, error) {
	entries, err := t.log.ReadAfter(ctx, head)
	if err != nil {
		return head, fmt.Errorf("read the manifest log of table %s: %w", t.name, err)
	}
	for _, e := range entries {
		edit, err := decodeEdit(e)
		if err == nil {
			err = fn(e, edit)
		}
		if err != nil {
			return head, fmt.Errorf("read version %d of table %s: %w", e.Number, t.name, err)
		}
		head = e.Head()
	}
	return head, nil
}
