package manifests

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/digest"
)

// Snapshot is a table at one version. It is the caller's own and never changes.
type Snapshot struct {
	Table      string
	Version    Version
	At         time.Time // when that version was committed
	Definition Definition
	Refused    int64   // results refused as non-deterministic, ever
	Oldest     Version // the oldest version that is kept; 0 if none has expired
	codes      codes
	partitions receipts
	failures   map[string]Failed
	held       map[string]Candidate
	aside      map[string]Aside
	efforts    Efforts
}

func (s *State) snapshot(table string) *Snapshot {
	return &Snapshot{
		Table: table, Version: s.version, At: s.at, Definition: s.definition, Refused: s.refused, Oldest: s.oldest,
		codes: s.codes, partitions: s.partitions, failures: maps.Clone(s.failures),
		held: maps.Clone(s.held), aside: maps.Clone(s.aside), efforts: s.efforts,
	}
}

// Efforts are those of the table's last results.
func (s *Snapshot) Efforts() Efforts { return s.efforts }

// Receipt returns a partition's receipt.
func (s *Snapshot) Receipt(partition string) (Receipt, bool) {
	return s.partitions.get(partition)
}

// Failed returns a partition's standing failure.
func (s *Snapshot) Failed(partition string) (Failed, bool) {
	f, ok := s.failures[partition]
	return f, ok
}

// Each yields what is published in order of time.
func (s *Snapshot) Each() iter.Seq[Published] { return s.partitions.each() }

// Within yields what is published of partitions that have a part in the half-open interval
// [start, end), in order of time. It looks at no others.
func (s *Snapshot) Within(start, end time.Time) iter.Seq[Published] {
	return s.partitions.within(start, end)
}

// FileNames yields the names of the files, in order of time, below the folder of the
// table's files (see DataFolder) and without DataSuffix: many at a time, with an end of line
// between two. What is yielded holds until the next.
func (s *Snapshot) FileNames() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var names []byte
		for _, c := range s.partitions.chunks {
			names = names[:0]
			for i := range c.len() {
				names = c.published(i).appendNames(names)
			}
			if len(names) > 0 && !yield(names) {
				return
			}
		}
	}
}

// Uniform tells whether there are files, and whether all have just the columns of
// the table.
func (s *Snapshot) Uniform() (some, uniform bool) {
	uniform = true
	for _, c := range s.partitions.chunks {
		for columns := range c.layouts() {
			some = true
			uniform = uniform && slices.Equal(columns, s.Columns())
		}
	}
	return some, uniform
}

// All yields the receipts of the published partitions in order of time. Nobody may
// change them.
func (s *Snapshot) All() iter.Seq[*Receipt] { return s.partitions.all() }

// Receipts lists the published partitions in order of time.
func (s *Snapshot) Receipts() []Receipt {
	out := make([]Receipt, 0, s.partitions.len)
	for r := range s.All() {
		out = append(out, *r)
	}
	return out
}

// ReceiptsWithin lists the published partitions that have a part in the half-open interval
// [start, end), in order of time.
func (s *Snapshot) ReceiptsWithin(start, end time.Time) (out []Receipt) {
	for p := range s.Within(start, end) {
		out = append(out, *p.Receipt())
	}
	return out
}

// Tried tells whether there is anything to know of a partition beside its receipt: a
// failure, a held candidate, or a result that was set aside.
func (s *Snapshot) Tried(partition string) bool {
	_, failed := s.failures[partition]
	_, held := s.held[partition]
	_, aside := s.aside[partition]
	return failed || held || aside
}

// TriedSome tells whether there is anything to know of some partition beside its receipt:
// of most tables there is not.
func (s *Snapshot) TriedSome() bool { return len(s.failures)+len(s.held)+len(s.aside) > 0 }

// Failures lists the standing failures in order of time.
func (s *Snapshot) Failures() []Failed {
	out := slices.Collect(maps.Values(s.failures))
	slices.SortFunc(out, func(a, b Failed) int { return a.Start.Compare(b.Start) })
	return out
}

// Held returns a partition's held candidate.
func (s *Snapshot) Held(partition string) (Candidate, bool) {
	c, ok := s.held[partition]
	return c, ok
}

// Candidates lists the held candidates in order of time.
func (s *Snapshot) Candidates() []Candidate {
	out := slices.Collect(maps.Values(s.held))
	slices.SortFunc(out, func(a, b Candidate) int { return a.Receipt.Start.Compare(b.Receipt.Start) })
	return out
}

// WithCandidates returns the table as it would be if every held candidate were
// released.
func (s *Snapshot) WithCandidates() *Snapshot {
	out := *s
	for _, c := range s.held {
		out.partitions = out.partitions.with(c.Receipt)
	}
	return &out
}

// Aside returns what was set aside in a partition by a person.
func (s *Snapshot) Aside(partition string) (Aside, bool) {
	a, ok := s.aside[partition]
	return a, ok
}

// Reading is what some result of a partition was computed from, published or
// not.
type Reading struct {
	Partition   string
	Positions   Positions
	InputRows   int64
	InputDigest digest.Hash
	Inputs      map[string]Input // what InputDigest is of, as far as it is known
	Fingerprint digest.Hash
}

// Reading returns what the receipt's result was computed from.
func (r Receipt) Reading() Reading {
	return Reading{r.Partition, r.Positions, r.InputRows, r.InputDigest, r.Inputs, r.Fingerprint}
}

// Readings lists what the published, held and set aside results were computed
// from. All of it was in the landing log once, and so must be for ever.
func (s *Snapshot) Readings() []Reading {
	out := s.Unpublished()
	for r := range s.All() {
		out = append(out, r.Reading())
	}
	sortReadings(out)
	return out
}

// Unpublished are the Readings of held and set aside results.
func (s *Snapshot) Unpublished() []Reading {
	var out []Reading
	for _, c := range s.Candidates() {
		out = append(out, c.Receipt.Reading())
	}
	for _, partition := range slices.Sorted(maps.Keys(s.aside)) {
		out = append(out, s.aside[partition].Reading(partition))
	}
	return out
}

// Furthest returns for each stream the Reading that has read it furthest.
func (s *Snapshot) Furthest() map[string]Reading {
	readings := s.Unpublished()
	for _, c := range s.partitions.chunks {
		for _, i := range c.furthest() {
			readings = append(readings, c.receipt(i).Reading())
		}
	}
	sortReadings(readings)
	furthest := map[string]Reading{}
	for _, r := range readings {
		for stream, upTo := range r.Positions {
			if known, ok := furthest[stream]; !ok || upTo > known.Positions[stream] {
				furthest[stream] = r
			}
		}
	}
	return furthest
}

func sortReadings(readings []Reading) {
	slices.SortStableFunc(readings, func(a, b Reading) int { return strings.Compare(a.Partition, b.Partition) })
}

// Rows counts the table's rows.
func (s *Snapshot) Rows() (rows int64) {
	for _, c := range s.partitions.chunks {
		rows += c.rows()
	}
	return rows
}

// Columns are the columns that a reader of the table sees.
func (s *Snapshot) Columns() []datafile.Column { return s.Definition.TableColumns }
