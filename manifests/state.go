package manifests

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"strandline/internal/condemn"
	"strandline/internal/log"
)

// State is what a table's manifest log folds to.
type State struct {
	version    Version
	at         time.Time
	definition Definition // Generation 0 before the first edit
	codes      codes
	partitions receipts
	failures   map[string]Failed
	held       map[string]Candidate
	aside      map[string]Aside
	rebuilt    Version // since when partitions fit those of today, 0 if always
	// refused counts results that were refused as non-deterministic.
	refused   int64
	oldest    Version      // versions below have expired; 0 if none has
	condemned condemn.Roll // files that are being removed
	efforts   Efforts
}

// Failed is a failure that stands.
type Failed struct {
	Failure
	Since   Version `json:"since"`
	Attempt int64   `json:"attempts"` // edits that said so
}

func newState() *State {
	return &State{
		failures: map[string]Failed{}, held: map[string]Candidate{}, aside: map[string]Aside{},
	}
}

// Apply folds one edit in. An edit that could not have been accepted is
// log.ErrCorrupt.
func (s *State) Apply(e log.Entry) error {
	var edit Edit
	if err := json.Unmarshal(e.Body, &edit); err != nil {
		return fmt.Errorf("%w: %v", log.ErrCorrupt, err)
	}
	if err := s.check(&edit); err != nil {
		return fmt.Errorf("%w: %v", log.ErrCorrupt, err)
	}
	s.version, s.at = Version(e.Number), e.At
	replaced := s.definition
	s.fold(&edit)
	s.keepCodes(&edit, replaced)
	return nil
}

// fold makes the changes of an edit that was checked.
func (s *State) fold(edit *Edit) {
	s.sweep(edit)
	s.efforts = s.efforts.with(edit)
	if edit.Define != nil {
		// An empty table takes any definition, but then its old partitions fit no more.
		if s.definition.Generation > 0 && s.definition.fits("", *edit.Define) != nil {
			s.rebuilt = s.version
		}
		s.definition = *edit.Define
	}
	if edit.Rebuild {
		empty := newState()
		s.partitions, s.failures, s.held, s.aside = empty.partitions, empty.failures, empty.held, empty.aside
		s.rebuilt = s.version
	}
	if edit.Rollback != nil {
		s.rollBack(edit)
		return
	}
	for _, r := range edit.Receipts {
		s.publish(r)
	}
	for _, r := range edit.Repaired {
		s.partitions = s.partitions.with(r)
	}
	for _, f := range edit.Failures {
		s.fail(f)
	}
	for _, c := range edit.Held {
		s.held[c.Receipt.Partition] = c
		delete(s.failures, c.Receipt.Partition)
	}
	for _, partition := range edit.Dropped {
		s.setAside(s.held[partition].Receipt, AsideDropped)
		delete(s.held, partition)
	}
	for _, late := range edit.Left {
		s.setAside(late.receipt(), AsideLate)
	}
}

// publish makes r the partition's receipt. What was recorded of earlier tries
// is over.
func (s *State) publish(r Receipt) {
	s.partitions = s.partitions.with(r)
	delete(s.failures, r.Partition)
	delete(s.held, r.Partition)
	delete(s.aside, r.Partition)
}

func (s *State) fail(f Failure) {
	failed, again := s.failures[f.Partition]
	if !again {
		failed.Since = s.version
	}
	failed.Failure = f
	failed.Attempt++
	s.failures[f.Partition] = failed
	if f.NonDeterministic {
		s.refused++
	}
}

func (s *State) check(e *Edit) error {
	if err := e.check(); err != nil {
		return err
	}
	generation := s.definition.Generation
	if e.Define != nil {
		generation++
		if e.Define.Generation != generation {
			return fmt.Errorf("registers generation %d after %d", e.Define.Generation, s.definition.Generation)
		}
	}
	if e.Generation != generation {
		return fmt.Errorf("is of generation %d, the table is at %d", e.Generation, generation)
	}
	if err := errors.Join(s.checkFiles(e), s.checkSweep(e)); err != nil {
		return err
	}
	for _, r := range e.Receipts {
		current, published := s.partitions.get(r.Partition)
		if published && !e.Rebuild && e.Rollback == nil && len(r.Positions.BehindOf(current.Positions)) > 0 {
			return fmt.Errorf("partition %s goes back to older input", r.Partition)
		}
	}
	for _, r := range e.Repaired {
		if current, published := s.partitions.get(r.Partition); !published || !r.SameInput(current) || !r.SameOutput(current) {
			return fmt.Errorf("partition %s: what is repaired is another result than the one that stands", r.Partition)
		}
	}
	for _, partition := range append(append([]string(nil), e.Released...), e.Dropped...) {
		if _, held := s.held[partition]; !held {
			return fmt.Errorf("partition %s has no held candidate", partition)
		}
	}
	for _, late := range e.Left {
		if _, published := s.partitions.get(late.Partition); !published {
			return fmt.Errorf("partition %s is left as it is and was never published", late.Partition)
		}
	}
	return nil
}
