package manifests

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"strandline/internal/condemn"
)

// ErrExpired says that a version of a table is not kept any more: a sweep has
// expired it, and its files may be gone.
var ErrExpired = errors.New("the version has expired")

// expired is ErrExpired if a version is older than the oldest that is kept.
// Version 0 is the empty table for ever.
func (s *State) expired(table string, version Version) error {
	if version > 0 && version < s.oldest {
		return fmt.Errorf("table %s at version %d: %w; the oldest that is kept is %d", table, version, ErrExpired, s.oldest)
	}
	return nil
}

// named yields the ids of the files that the edit names.
func (e *Edit) named() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, receipts := range [][]Receipt{e.Receipts, e.Repaired} {
			for _, r := range receipts {
				if !r.yieldFiles(yield) {
					return
				}
			}
		}
		for _, c := range e.Held {
			if !c.Receipt.yieldFiles(yield) {
				return
			}
		}
	}
}

func (r *Receipt) yieldFiles(yield func(string) bool) bool {
	for _, f := range r.Files {
		if !yield(f.ID) {
			return false
		}
	}
	return true
}

// checkFiles is condemn.Err if the edit names a condemned file.
func (s *State) checkFiles(e *Edit) error {
	for id := range e.named() {
		if err := s.condemned.Check(id); err != nil {
			return err
		}
	}
	return nil
}

// checkSweep tells whether what a sweep says of files and versions can be.
func (s *State) checkSweep(e *Edit) error {
	if e.Oldest > 0 && (e.Oldest < s.oldest || e.Oldest > s.version) {
		return fmt.Errorf("makes %d the oldest version, where %d was and %d is the newest", e.Oldest, s.oldest, s.version)
	}
	if e.Condemned == nil {
		return nil
	}
	condemned := map[string]bool{}
	for _, id := range e.Condemned.Files {
		condemned[id] = true
	}
	var err error
	spared := func(id string) bool {
		if condemned[id] {
			err = fmt.Errorf("condemns file %s, which the table names", id)
		}
		return err == nil
	}
	for r := range s.partitions.all() {
		if !r.yieldFiles(spared) {
			return err
		}
	}
	for _, c := range s.held {
		if !c.Receipt.yieldFiles(spared) {
			return err
		}
	}
	return nil
}

// sweep applies what a sweep says.
func (s *State) sweep(e *Edit) {
	s.oldest = max(s.oldest, e.Oldest)
	if e.Condemned != nil {
		s.condemned.Add(*e.Condemned)
	}
}

// commit appends the edit that decide makes of the newest state, as often as it
// takes to win a slot. A nil edit is nothing to do, and version 0. It is
// condemn.Err if the edit names a file that a sweep removes.
func (t *Table) commit(ctx context.Context, decide func(*State) (*Edit, error)) (Version, error) {
	if _, err := t.prove(ctx); err != nil {
		return 0, err
	}
	entry, err := t.follow.Commit(ctx, func(s *State) (any, error) {
		edit, err := decide(s)
		if err != nil || edit == nil {
			return nil, err
		}
		return edit, errors.Join(edit.check(), s.checkFiles(edit))
	})
	return Version(entry.Number), err
}

// checkAge is condemn.Err if the proposal names files that were brought up too
// long ago.
func (t *Table) checkAge(p *Proposal) error {
	if p.Since.IsZero() {
		return nil
	}
	return condemn.CheckAge(p.Since, t.now())
}

// Sweeping is what a sweep does to a table by one edit.
type Sweeping struct {
	// Oldest is the oldest version that is kept from now on; 0 leaves it.
	Oldest Version
	// Files are to be condemned, at the time of the store's clock.
	Files []string
	At    time.Time
}

var errMoved = errors.New("the table has moved on")

// Sweep appends a sweep's edit: versions expire, and files are condemned, so that
// they can be removed. Those that a kept version names by now are left out; reach
// is brought up to date for that, and must start at the oldest version kept. It
// returns the files that are condemned.
func (t *Table) Sweep(ctx context.Context, reach *Reach, sweeping Sweeping) (condemned []string, err error) {
	for {
		condemned, err = t.sweepOnce(ctx, reach, sweeping)
		if !errors.Is(err, errMoved) {
			return condemned, err
		}
		if err := reach.extend(ctx, t); err != nil {
			return nil, err
		}
	}
}

func (t *Table) sweepOnce(ctx context.Context, reach *Reach, sweeping Sweeping) ([]string, error) {
	var condemned []string
	_, err := t.commit(ctx, func(s *State) (*Edit, error) {
		if s.version != reach.Version() {
			return nil, errMoved
		}
		if reach.from > max(s.oldest, sweeping.Oldest) {
			return nil, fmt.Errorf("what is kept from version %d on was looked at, but the oldest kept is %d", reach.from, s.oldest)
		}
		condemned = nil
		for _, id := range sweeping.Files {
			if !reach.Names(id) && !s.condemned.Has(id) {
				condemned = append(condemned, id)
			}
		}
		return s.sweepEdit(t.writer, sweeping, condemned), nil
	})
	if err != nil {
		return nil, fmt.Errorf("sweep table %s: %w", t.name, err)
	}
	return condemned, nil
}

// sweepEdit is nil where there is nothing to do.
func (s *State) sweepEdit(writer string, sweeping Sweeping, condemned []string) *Edit {
	edit := &Edit{Driver: DriverSweep, Writer: writer, Generation: s.definition.Generation}
	if sweeping.Oldest > s.oldest {
		edit.Oldest = sweeping.Oldest
	}
	if len(condemned) > 0 {
		edit.Condemned = &condemn.Sentence{At: sweeping.At, Files: condemned}
	}
	if edit.Oldest == 0 && edit.Condemned == nil {
		return nil
	}
	return edit
}
