package manifests

import (
	"context"
	"fmt"
	"slices"
	"time"

	"strandline/internal/log"
)

// Register makes d the table's current generation and returns its number. If
// the table is at the same code already, that generation is returned and
// nothing is written. ErrNeedsRebuild if old and new partitions would not fit
// together.
func (t *Table) Register(ctx context.Context, driver Driver, d Definition) (generation uint64, err error) {
	_, err = t.commit(ctx, func(s *State) (*Edit, error) {
		if s.definition.Generation > 0 && d.same(s.definition) {
			generation = s.definition.Generation
			return nil, nil
		}
		if err := s.fits(t.name, d); err != nil {
			return nil, err
		}
		next := t.next(s, d)
		generation = next.Generation
		return &Edit{Driver: driver, Writer: t.writer, Generation: generation, Define: &next}, nil
	})
	if err != nil {
		return 0, fmt.Errorf("register job %s: %w", d.Job, err)
	}
	return generation, nil
}

// Fits is ErrNeedsRebuild if the table, as last read, can't go on with d.
func (t *Table) Fits(d Definition) (err error) {
	t.follow.View(func(s *State, _ log.Head) { err = s.fits(t.name, d) })
	return err
}

// fits tells whether d may follow without a rebuild, as anything may where
// there is no partition that it would have to fit.
func (s *State) fits(table string, d Definition) error {
	if s.partitions.len+len(s.held) == 0 {
		return nil
	}
	if err := s.definition.fits(table, d); err != nil {
		return err
	}
	return s.fitPartitions(table, d)
}

// fitPartitions tells whether d has the partitions that there are.
func (s *State) fitPartitions(table string, d Definition) error {
	if d.HasPartition == nil {
		return nil
	}
	has := func(name string, start, end time.Time) error {
		if d.HasPartition(name, start, end) {
			return nil
		}
		return fmt.Errorf("table %s: its partition %s is from %s to %s, and by the time zone rules of this program there is none such by %s: %w",
			table, name, start.Format(time.RFC3339), end.Format(time.RFC3339), d.Grain, needsRebuild(table))
	}
	for p := range s.partitions.each() {
		start, end := p.Interval()
		if err := has(p.Partition(), start, end); err != nil {
			return err
		}
	}
	for name, held := range s.held {
		if err := has(name, held.Receipt.Start, held.Receipt.End); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) next(s *State, d Definition) Definition {
	if s.partitions.len+len(s.held) == 0 {
		d = Definition{}.mergeColumns(d)
	} else {
		d = s.definition.mergeColumns(d)
	}
	d.Generation, d.HasPartition = s.definition.Generation+1, nil
	d.Writer, d.At = t.writer, t.now().UTC()
	return d
}

// Current is ErrReplaced if the table, as last read, is not at generation any
// more.
func (t *Table) Current(generation uint64) (err error) {
	t.follow.View(func(s *State, _ log.Head) {
		if s.definition.Generation != generation {
			err = s.replacedBy(t.name, generation)
		}
	})
	return err
}

// Proposal is what a writer wants to publish in one edit.
type Proposal struct {
	Driver     Driver
	Generation uint64
	Receipts   []Receipt
	Failures   []Failure
	// Held are results that a check withheld. They pass the same fence, and
	// their verdict is Held where they are kept for a person.
	Held []Candidate
	// Warnings are what checks that only warn say of the results, by partition.
	Warnings map[string][]string
	// Took is what computing the results took, by partition: see Effort.
	Took map[string]time.Duration
	// Repairs bring new files for receipts that stand.
	Repairs []Repair
	// Read is what a rebuild was computed from. Its receipts don't tell: one that
	// stands already may be of newer input.
	Read Positions
	// Since is when the first of the files was brought up that no edit names yet,
	// by this process's clock; zero where there is none.
	Since time.Time
	// Atomic publishes all receipts, or none if one is refused or withheld.
	Atomic bool
}

// Outcome is what became of a proposal.
type Outcome struct {
	// Version is that of the edit, or 0 where nothing was to be written.
	Version  Version
	Verdicts map[string]Verdict // by partition
}

// Publish appends one edit with the receipts that pass the fence. The fence is
// applied to the newest state at every attempt to append.
//
// A receipt refused as Behind or NonDeterministic does not stop the others,
// unless the proposal is atomic; the latter is recorded as a failure of its
// partition. ErrReplaced if the writer's generation is over; condemn.Err if a
// sweep may have removed one of its files.
func (t *Table) Publish(ctx context.Context, p Proposal) (Outcome, error) {
	var outcome Outcome
	version, err := t.commit(ctx, func(s *State) (*Edit, error) {
		if err := t.checkAge(&p); err != nil {
			return nil, err
		}
		outcome.Verdicts = map[string]Verdict{}
		return t.judge(s, p, outcome.Verdicts)
	})
	if err != nil {
		return Outcome{}, fmt.Errorf("publish in table %s: %w", t.name, err)
	}
	outcome.Version = version
	return outcome, nil
}

// judge makes the edit of a proposal, or nil where there is nothing to write.
func (t *Table) judge(s *State, p Proposal, verdicts map[string]Verdict) (*Edit, error) {
	edit := &Edit{Driver: p.Driver, Writer: t.writer, Generation: p.Generation}
	refused := false
	for _, r := range p.Receipts {
		verdict := s.Fence(p.Driver, p.Generation, r)
		verdicts[r.Partition] = verdict
		switch verdict {
		case Replaced:
			return nil, s.replacedBy(t.name, p.Generation)
		case Swap:
			edit.Receipts = append(edit.Receipts, r)
			edit.warn(p, r)
		case NonDeterministic:
			refused = true
			edit.Failures = append(edit.Failures, s.nonDeterministic(r))
		case Behind, SetAside:
			refused = true
		}
	}
	for _, r := range p.Repairs {
		verdicts[r.Standing.Partition] = s.repair(r, edit)
	}
	for _, c := range p.Held {
		if err := t.hold(s, p, c, edit, verdicts); err != nil {
			return nil, err
		}
		refused = refused || verdicts[c.Receipt.Partition] != Unchanged
	}
	if p.Atomic && refused {
		edit.Receipts = nil
		for _, r := range p.Receipts {
			delete(edit.Warnings, r.Partition)
		}
		withhold(verdicts)
	}
	edit.Failures = append(edit.Failures, s.news(p.Failures)...)
	edit.keepTook(p.Took)
	if len(edit.Receipts)+len(edit.Failures)+len(edit.Held)+len(edit.Repaired) == 0 {
		return nil, nil
	}
	if s.definition.Generation != p.Generation { // failures of a replaced writer
		return nil, s.replacedBy(t.name, p.Generation)
	}
	return edit, nil
}

// withhold turns what an atomic proposal would have published into Withheld.
func withhold(verdicts map[string]Verdict) {
	for partition, verdict := range verdicts {
		if verdict == Swap {
			verdicts[partition] = Withheld
		}
	}
}

// news leaves out failures that are recorded already, cause and all, so that
// trying again for ever does not fill the log.
func (s *State) news(failures []Failure) []Failure {
	return slices.DeleteFunc(slices.Clone(failures), func(f Failure) bool {
		old, standing := s.failures[f.Partition]
		return standing && old.sameCause(f)
	})
}

func (s *State) nonDeterministic(refused Receipt) Failure {
	stands, _ := s.partitions.get(refused.Partition)
	return Failure{
		Partition: refused.Partition, Start: refused.Start, End: refused.End,
		Fingerprint: refused.Fingerprint, InputDigest: refused.InputDigest, NonDeterministic: true,
		Reason: fmt.Sprintf("non-deterministic: the same input and code made %d rows with digest %s, published are %d rows with digest %s",
			refused.Rows, refused.RowDigest, stands.Rows, stands.RowDigest),
	}
}

// Rebuild replaces the whole table, code and partitions, in one edit. It is the
// way to change a key, a grain or a column's type. The proposal's generation is
// the one that the caller saw; ErrReplaced if another was registered since, and
// ErrOutrun if a result of newer input was published since; condemn.Err if a sweep
// may have removed one of its files. It can't hold candidates.
func (t *Table) Rebuild(ctx context.Context, d Definition, p Proposal) (Version, error) {
	version, err := t.commit(ctx, func(s *State) (*Edit, error) {
		if err := t.checkAge(&p); err != nil {
			return nil, err
		}
		if s.definition.Generation != p.Generation {
			return nil, s.replacedBy(t.name, p.Generation)
		}
		if err := s.outrun(p.Read); err != nil {
			return nil, err
		}
		next := t.next(&State{definition: Definition{Generation: s.definition.Generation}}, d)
		edit := &Edit{Driver: p.Driver, Writer: t.writer, Generation: next.Generation, Define: &next, Rebuild: true, Receipts: p.Receipts, Warnings: p.Warnings}
		edit.keepTook(p.Took)
		return edit, nil
	})
	if err != nil {
		return 0, fmt.Errorf("rebuild table %s: %w", t.name, err)
	}
	return version, nil
}
