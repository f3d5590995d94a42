package manifests

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"strandline/internal/log"
)

// ErrRebuilt says that a version lies before a rebuild, so its partitions don't
// fit the table of today.
var ErrRebuilt = errors.New("the table was rebuilt since")

// Rollback says which version an edit brings back.
type Rollback struct {
	To Version `json:"to"`
	// Removed are the partitions that the version did not have.
	Removed []string `json:"removed,omitempty"`
	// Again says that something was set aside in partitions which it changes: that stays so, and is told as
	// rolled back in this version. Edits of older programs don't say it, and their states keep what was told before.
	Again bool `json:"again,omitempty"`
	// Codes are those of the receipts that the table had forgotten since.
	Codes []Definition `json:"codes,omitempty"`
}

// rollBack applies an edit that brings old receipts back. What it replaces is
// set aside. Bringing back the very result that an earlier rollback set aside
// ends that.
func (s *State) rollBack(e *Edit) {
	for _, r := range e.Receipts {
		s.replaceByOld(r.Partition, e.Rollback.Again)
		s.partitions = s.partitions.with(r)
		if s.aside[r.Partition].of(r) {
			delete(s.aside, r.Partition)
		}
	}
	for _, partition := range e.Rollback.Removed {
		s.replaceByOld(partition, e.Rollback.Again)
		s.partitions = s.partitions.without(partition)
	}
}

// replaceByOld sets a partition's receipt aside. One that was set aside before
// stays so: it is of the newest input, and what came since was older. Again has it be told by this version.
func (s *State) replaceByOld(partition string, again bool) {
	current, published := s.partitions.get(partition)
	switch aside, already := s.aside[partition]; {
	case published && !already:
		s.setAside(current, AsideRolledBack)
	case already && again:
		aside.Reason, aside.Since = AsideRolledBack, s.version
		s.aside[partition] = aside
	}
	delete(s.failures, partition)
	delete(s.held, partition)
}

// Restoration is an older version of a table that may be brought back.
type Restoration struct {
	table    *Table
	to       Version
	old      *Snapshot
	receipts []Receipt // of that version
}

// Restore reads what a rollback to a version would bring back: ErrNoVersion;
// ErrExpired.
func (t *Table) Restore(ctx context.Context, to Version) (*Restoration, error) {
	old, receipts, err := t.restore(ctx, to)
	if err != nil {
		return nil, fmt.Errorf("roll table %s back: %w", t.name, err)
	}
	return &Restoration{t, to, old, receipts}, nil
}

// Returning lists the receipts that are not published, as last read.
func (r *Restoration) Returning() (returning []Receipt) {
	r.table.follow.View(func(s *State, _ log.Head) { returning = r.returning(s) })
	return returning
}

func (r *Restoration) returning(s *State) (returning []Receipt) {
	for _, old := range r.receipts {
		if current, ok := s.partitions.get(old.Partition); !ok || !current.equal(old) {
			returning = append(returning, old)
		}
	}
	return returning
}

// Commit is the rollback, by a new edit. It looks at no data file.
func (r *Restoration) Commit(ctx context.Context) (Version, error) {
	version, err := r.table.commit(ctx, r.edit)
	if err != nil {
		return 0, fmt.Errorf("roll table %s back to version %d: %w", r.table.name, r.to, err)
	}
	return version, nil
}

// edit is nil where the table is as the version was.
func (r *Restoration) edit(s *State) (*Edit, error) {
	if err := s.expired(r.table.name, r.to); err != nil {
		return nil, err
	}
	if r.to < s.rebuilt {
		return nil, fmt.Errorf("%w, in version %d: change the job back and rebuild", ErrRebuilt, s.rebuilt)
	}
	edit := &Edit{
		Driver: DriverPerson, Writer: r.table.writer, Generation: s.definition.Generation,
		Rollback: &Rollback{To: r.to}, Receipts: r.returning(s),
	}
	for current := range s.partitions.all() {
		if _, ok := r.old.Receipt(current.Partition); !ok {
			edit.Rollback.Removed = append(edit.Rollback.Removed, current.Partition)
		}
	}
	if len(edit.Receipts)+len(edit.Rollback.Removed) == 0 {
		return nil, nil
	}
	isAside := func(partition string) bool { _, is := s.aside[partition]; return is }
	edit.Rollback.Again = slices.ContainsFunc(edit.Rollback.Removed, isAside) ||
		slices.ContainsFunc(edit.Receipts, func(r Receipt) bool { return isAside(r.Partition) })
	edit.Rollback.Codes = s.codes.missing(edit.Receipts, r.old, s.definition.Fingerprint)
	return edit, nil
}

// restore returns the table as of a version, and its receipts with the files that
// hold their rows now: those of that time may have been lost and repaired since.
func (t *Table) restore(ctx context.Context, version Version) (*Snapshot, []Receipt, error) {
	if err := t.kept(ctx, version); err != nil {
		return nil, nil, err
	}
	state, head, err := t.stateAt(ctx, version)
	if err != nil {
		return nil, nil, err
	}
	newest := map[result][]File{}
	_, err = t.readOn(ctx, head, func(_ log.Entry, edit Edit) error {
		for _, r := range slices.Concat(edit.Receipts, edit.Repaired) {
			newest[r.result()] = r.Files
		}
		return nil
	})
	old := state.snapshot(t.name)
	restored := old.Receipts()
	for i, r := range restored {
		if files, again := newest[r.result()]; again {
			restored[i].Files = files
		}
	}
	return old, restored, err
}
