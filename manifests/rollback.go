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
}

// rollBack applies an edit that brings old receipts back. What it replaces is
// set aside. Bringing back the very result that an earlier rollback set aside
// ends that.
func (s *State) rollBack(e Edit) {
	for _, r := range e.Receipts {
		s.replaceByOld(r.Partition)
		s.partitions = s.partitions.with(r)
		if s.aside[r.Partition].of(r) {
			delete(s.aside, r.Partition)
		}
	}
	for _, partition := range e.Rollback.Removed {
		s.replaceByOld(partition)
		s.partitions = s.partitions.without(partition)
	}
}

// replaceByOld sets a partition's receipt aside. One that was set aside before
// stays so: it is of the newest input, and what came since was older.
func (s *State) replaceByOld(partition string) {
	current, published := s.partitions.get(partition)
	if _, already := s.aside[partition]; published && !already {
		s.setAside(current, AsideRolledBack)
	}
	delete(s.failures, partition)
	delete(s.held, partition)
}

// Rollback brings back the receipts of an older version, by a new edit. The
// stream leaves the partitions as they are until their input or code moves on.
// It returns 0 where the table is as that version was. ErrNoVersion; ErrExpired;
// ErrRebuilt if the table was rebuilt after that version.
func (t *Table) Rollback(ctx context.Context, to Version) (Version, error) {
	old, restored, err := t.restore(ctx, to)
	if err != nil {
		return 0, fmt.Errorf("roll table %s back: %w", t.name, err)
	}
	version, err := t.commit(ctx, func(s *State) (*Edit, error) {
		if err := s.expired(t.name, to); err != nil {
			return nil, err
		}
		if to < s.rebuilt {
			return nil, fmt.Errorf("%w, in version %d: change the job back and rebuild", ErrRebuilt, s.rebuilt)
		}
		edit := &Edit{Driver: DriverPerson, Writer: t.writer, Generation: s.definition.Generation, Rollback: &Rollback{To: to}}
		for _, r := range restored {
			if current, ok := s.partitions.get(r.Partition); !ok || !current.equal(r) {
				edit.Receipts = append(edit.Receipts, r)
			}
		}
		for r := range s.partitions.all() {
			if _, ok := old.Receipt(r.Partition); !ok {
				edit.Rollback.Removed = append(edit.Rollback.Removed, r.Partition)
			}
		}
		if len(edit.Receipts)+len(edit.Rollback.Removed) == 0 {
			return nil, nil
		}
		return edit, nil
	})
	if err != nil {
		return 0, fmt.Errorf("roll table %s back to version %d: %w", t.name, to, err)
	}
	return version, nil
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
