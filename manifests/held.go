package manifests

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"strandline/internal/digest"
)

// ErrNotHeld says that a partition has no held candidate.
var ErrNotHeld = errors.New("no candidate is held")

// ErrOutdated says that a held candidate can't be released any more, since
// newer input or other code has been published.
var ErrOutdated = errors.New("the candidate is outdated")

// Candidate is a result that was computed and brought up but withheld, because
// a check that the job declares did not pass. A person releases or drops it.
type Candidate struct {
	Receipt    Receipt  `json:"receipt"`
	Generation uint64   `json:"generation"`
	Violations []string `json:"violations"`
}

// Aside remembers which result a person rolled back or dropped, or which input
// was too late for one, so that the stream does not bring it back, and nobody
// waits for it, until input or code moves on.
type Aside struct {
	Positions   Positions   `json:"positions"`
	InputRows   int64       `json:"input_rows"`
	InputDigest digest.Hash `json:"input_digest"`
	Fingerprint digest.Hash `json:"fingerprint"`
	Reason      string      `json:"reason"` // one of those below
	Since       Version     `json:"since"`
}

// Why a result was set aside.
const (
	AsideRolledBack = "rolled back"
	AsideDropped    = "dropped"
	AsideLate       = "left as it is"
)

// Reading returns what the result of a partition was computed from, or would have been.
func (a Aside) Reading(partition string) Reading {
	return Reading{partition, a.Positions, a.InputRows, a.InputDigest, nil, a.Fingerprint}
}

// of tells whether r is a result of the same input and code.
func (a Aside) of(r Receipt) bool {
	return a.InputDigest == r.InputDigest && a.Fingerprint == r.Fingerprint
}

func (s *State) setAside(r Receipt, reason string) {
	s.aside[r.Partition] = Aside{
		Positions: r.Positions, InputRows: r.InputRows, InputDigest: r.InputDigest, Fingerprint: r.Fingerprint,
		Reason: reason, Since: s.version,
	}
}

// hold adds a candidate to the edit if the fence would let it be swapped.
func (t *Table) hold(s *State, p Proposal, c Candidate, edit *Edit, verdicts map[string]Verdict) error {
	partition := c.Receipt.Partition
	verdict := s.Fence(p.Driver, p.Generation, c.Receipt)
	switch verdict {
	case Replaced:
		return s.replacedBy(t.name, p.Generation)
	case NonDeterministic:
		edit.Failures = append(edit.Failures, s.nonDeterministic(c.Receipt))
	case Swap:
		verdict = s.keep(p, c, edit)
	}
	verdicts[partition] = verdict
	return nil
}

// keep adds a candidate that passed the fence to the edit, unless one like it or
// of newer input is held already. The one like it keeps its file where the edit
// is to say that other things are wrong with it now, or of which generation it is.
func (s *State) keep(p Proposal, c Candidate, edit *Edit) Verdict {
	c.Generation = p.Generation
	verdict := Held
	if old, held := s.held[c.Receipt.Partition]; held {
		same := old.Receipt.SameInput(c.Receipt) && old.Receipt.SameOutput(c.Receipt)
		behind := len(c.Receipt.Positions.BehindOf(old.Receipt.Positions)) > 0
		if old.Generation == c.Generation && (behind || same && slices.Equal(old.Violations, c.Violations)) {
			return StillHeld
		}
		if same {
			verdict, c.Receipt.Files = StillHeld, old.Receipt.Files
		}
	}
	edit.Held = append(edit.Held, c)
	edit.warn(p, c.Receipt)
	return verdict
}

// warn notes what checks that only warn said of a result that the edit names.
func (e *Edit) warn(p Proposal, r Receipt) {
	if w := p.Warnings[r.Partition]; len(w) > 0 {
		if e.Warnings == nil {
			e.Warnings = map[string][]string{}
		}
		e.Warnings[r.Partition] = w
	}
}

// Release publishes the held candidates of partitions, all in one edit or none.
// ErrNotHeld if one of them has none; ErrOutdated if its code is not the table's
// current generation, or a result of newer input stands.
func (t *Table) Release(ctx context.Context, partitions ...string) (Version, error) {
	version, err := t.commit(ctx, func(s *State) (*Edit, error) {
		edit := &Edit{Driver: DriverPerson, Writer: t.writer, Generation: s.definition.Generation, Released: distinct(partitions)}
		for _, partition := range edit.Released {
			c, err := s.releasable(partition)
			if err != nil {
				return nil, fmt.Errorf("partition %s: %w", partition, err)
			}
			edit.Receipts = append(edit.Receipts, c.Receipt)
		}
		return edit, nil
	})
	if err != nil {
		return 0, fmt.Errorf("release what is held of table %s: %w", t.name, err)
	}
	return version, nil
}

func (s *State) releasable(partition string) (Candidate, error) {
	c, held := s.held[partition]
	if !held {
		return c, ErrNotHeld
	}
	switch s.Fence(DriverPerson, c.Generation, c.Receipt) {
	case Replaced:
		return c, fmt.Errorf("%w: it was made by generation %d of the job, the table is at %d", ErrOutdated, c.Generation, s.definition.Generation)
	case Behind:
		return c, fmt.Errorf("%w: a result of newer input is published", ErrOutdated)
	}
	return c, nil
}

// Drop forgets the held candidates of partitions, and sets aside the late input of
// those that late names, all in one edit or none; what is published stays. The
// stream does not come back to them until their input or code moves on. It returns
// version 0 if all of that was done before. ErrNotHeld if there is nothing of a
// partition to drop.
func (t *Table) Drop(ctx context.Context, partitions []string, late ...Late) (Version, error) {
	version, err := t.commit(ctx, func(s *State) (*Edit, error) {
		edit := &Edit{Driver: DriverPerson, Writer: t.writer, Generation: s.definition.Generation}
		for _, partition := range distinct(partitions) {
			if err := s.drop(partition, late, edit); err != nil {
				return nil, fmt.Errorf("partition %s: %w", partition, err)
			}
		}
		if len(edit.Dropped)+len(edit.Left) == 0 {
			return nil, nil
		}
		return edit, nil
	})
	if err != nil {
		return 0, fmt.Errorf("drop what is held of table %s: %w", t.name, err)
	}
	return version, nil
}

// drop adds to the edit what there is of a partition to drop.
func (s *State) drop(partition string, late []Late, edit *Edit) error {
	_, held := s.held[partition]
	if held {
		edit.Dropped = append(edit.Dropped, partition)
	}
	_, published := s.partitions.get(partition)
	at := slices.IndexFunc(late, func(l Late) bool { return published && l.Partition == partition })
	switch {
	case at < 0 && !held:
		return ErrNotHeld
	case at >= 0 && !s.aside[partition].of(late[at].receipt()):
		edit.Left = append(edit.Left, late[at])
	}
	return nil
}

// distinct are names without what is said twice, in order.
func distinct(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}
