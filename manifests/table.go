package manifests

import (
	"context"
	"errors"
	"fmt"
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

// DataKey returns the object key of a published file.
func DataKey(table, partition, id string) string {
	return fmt.Sprintf("tables/%s/data/%s/%s.parquet", table, partition, id)
}

// Snapshot returns the table as it is now.
func (t *Table) Snapshot(ctx context.Context) (*Snapshot, error) {
	if err := t.follow.Refresh(ctx); err != nil {
		return nil, fmt.Errorf("read the manifest log of table %s: %w", t.name, err)
	}
	var snapshot *Snapshot
	t.follow.View(func(s *State, _ log.Head) { snapshot = s.snapshot(t.name) })
	return snapshot, nil
}

// SnapshotAt returns the table as of a version; ErrNoVersion if it has none
// such. Version 0 is the empty table.
func (t *Table) SnapshotAt(ctx context.Context, version Version) (*Snapshot, error) {
	state := newState()
	newest, err := t.fold(ctx, func(e log.Entry, _ Edit) error {
		if Version(e.Number) > version {
			return nil
		}
		return state.Apply(e)
	})
	if err != nil {
		return nil, err
	}
	if version > newest {
		return nil, fmt.Errorf("table %s at version %d: %w; its newest is %d", t.name, version, ErrNoVersion, newest)
	}
	return state.snapshot(t.name), nil
}

// fold calls fn with every edit from the first on and returns the newest
// version.
func (t *Table) fold(ctx context.Context, fn func(log.Entry, Edit) error) (Version, error) {
	entries, err := t.log.ReadAfter(ctx, log.Head{})
	if err != nil {
		return 0, fmt.Errorf("read the manifest log of table %s: %w", t.name, err)
	}
	for _, e := range entries {
		edit, err := decodeEdit(e)
		if err == nil {
			err = fn(e, edit)
		}
		if err != nil {
			return 0, fmt.Errorf("read version %d of table %s: %w", e.Number, t.name, err)
		}
	}
	return Version(len(entries)), nil
}
