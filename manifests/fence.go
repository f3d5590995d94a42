package manifests

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrReplaced says that the job was registered with other code after the
	// writer started: the writer must stop.
	ErrReplaced = errors.New("the job was changed under this process")
	// ErrNeedsRebuild says that the change would leave old partitions that
	// don't fit the new ones.
	ErrNeedsRebuild = errors.New("that needs a rebuild of the whole table")
)

// Verdict is what the fence says of a proposed receipt.
type Verdict int

// The verdicts, in the order in which the fence looks for them.
const (
	// Unchanged: same inputs, same code, same rows. The receipt stands.
	Unchanged Verdict = iota
	// NonDeterministic: same inputs, same code, other rows. Refused.
	NonDeterministic
	// Replaced: the writer's generation is not the table's. Refused.
	Replaced
	// Behind: a result of newer input stands. Refused.
	Behind
	// Swap: the proposed receipt replaces what is there.
	Swap
	// SetAside: a person rolled this very result back, or dropped it, and the
	// stream may not undo that. Refused.
	SetAside
	// Repaired: the receipt stands, and its files, lost or damaged, were
	// replaced.
	Repaired
	// Held: fit to be swapped, but a check of the job withheld it for a person.
	Held
	// StillHeld: the same result, or one of newer input, is held already. Its
	// file stays, and the proposed one is not needed.
	StillHeld
	// Withheld: fit to be swapped, but of an atomic proposal that was refused.
	Withheld
	// Already: the table had this very result when the partition's turn came, so nothing
	// was computed, and nothing proposed.
	Already
)

// String names the verdict as reports print it.
func (v Verdict) String() string {
	switch v {
	case Unchanged:
		return "unchanged"
	case NonDeterministic:
		return "non-deterministic"
	case Replaced:
		return "replaced"
	case Behind:
		return "superseded"
	case Swap:
		return "published"
	case Repaired:
		return "repaired"
	case SetAside:
		return "set aside"
	case Held, StillHeld:
		return "held"
	case Withheld:
		return "withheld"
	case Already:
		return "done already"
	}
	return fmt.Sprintf("Verdict(%d)", int(v))
}

// Fence judges a receipt that a writer of the given generation proposes,
// against the table as it is. It compares also where the partition has no
// receipt: then nothing is unchanged or behind, but a replaced writer is. A
// partition that was rolled back still counts as having read what it had read.
func (s *State) Fence(driver Driver, generation uint64, proposed Receipt) Verdict {
	current, published := s.partitions.get(proposed.Partition)
	aside, isAside := s.aside[proposed.Partition]
	switch {
	case published && proposed.SameInput(current) && proposed.SameOutput(current):
		return Unchanged
	case published && proposed.SameInput(current):
		return NonDeterministic
	case generation != s.definition.Generation:
		return Replaced
	case published && len(proposed.Positions.BehindOf(current.Positions)) > 0,
		isAside && len(proposed.Positions.BehindOf(aside.Positions)) > 0:
		return Behind
	case isAside && driver == DriverStream && aside.of(proposed):
		return SetAside
	}
	return Swap
}

// replacedBy is ErrReplaced with who did it.
func (s *State) replacedBy(table string, generation uint64) error {
	d := s.definition
	return fmt.Errorf("table %s: generation %d was replaced by generation %d (code %s), registered by %s at %s: %w; restart with the current configuration",
		table, generation, d.Generation, d.Fingerprint.Short(), d.Writer, d.At.Format("2006-01-02T15:04:05Z07:00"), ErrReplaced)
}

// fits tells whether next may follow the definition in force without a rebuild.
func (d Definition) fits(table string, next Definition) error {
	if d.Grain != next.Grain {
		return fmt.Errorf("table %s: its partitions are by %s, the job now says %s: %w", table, d.Grain, next.Grain, needsRebuild(table))
	}
	if strings.Join(d.Key, ",") != strings.Join(next.Key, ",") {
		return fmt.Errorf("table %s: its key is [%s], the job now says [%s]: %w", table, strings.Join(d.Key, ", "), strings.Join(next.Key, ", "), needsRebuild(table))
	}
	for _, column := range next.Columns {
		for _, old := range d.TableColumns {
			if old.Name == column.Name && old.Type != column.Type {
				return fmt.Errorf("table %s: column %s is %s, the job now makes %s: %w", table, column.Name, old.Type, column.Type, needsRebuild(table))
			}
		}
	}
	return nil
}

// needsRebuild is ErrNeedsRebuild with the command that does it.
func needsRebuild(table string) error {
	return fmt.Errorf("%w (strandline backfill %s --rebuild)", ErrNeedsRebuild, table)
}

// mergeColumns puts after next's columns those that only older generations
// made, so that their partitions can still be read whole.
func (d Definition) mergeColumns(next Definition) Definition {
	next.TableColumns = append(next.TableColumns[:0:0], next.Columns...)
	for _, old := range d.TableColumns {
		known := false
		for _, column := range next.Columns {
			known = known || column.Name == old.Name
		}
		if !known {
			next.TableColumns = append(next.TableColumns, old)
		}
	}
	return next
}
