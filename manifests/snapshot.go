package manifests

import (
	"maps"
	"slices"
	"time"

	"strandline/internal/datafile"
)

// Snapshot is a table at one version. It is the caller's own and never changes.
type Snapshot struct {
	Table      string
	Version    Version
	At         time.Time // when that version was committed
	Definition Definition
	Refused    int64 // results refused as non-deterministic, ever
	partitions map[string]Receipt
	failures   map[string]Failed
}

func (s *State) snapshot(table string) *Snapshot {
	return &Snapshot{
		Table: table, Version: s.version, At: s.at, Definition: s.definition, Refused: s.refused,
		partitions: maps.Clone(s.partitions), failures: maps.Clone(s.failures),
	}
}

// Receipt returns a partition's receipt.
func (s *Snapshot) Receipt(partition string) (Receipt, bool) {
	r, ok := s.partitions[partition]
	return r, ok
}

// Failed returns a partition's standing failure.
func (s *Snapshot) Failed(partition string) (Failed, bool) {
	f, ok := s.failures[partition]
	return f, ok
}

// Receipts lists the published partitions in order of time.
func (s *Snapshot) Receipts() []Receipt {
	out := slices.Collect(maps.Values(s.partitions))
	slices.SortFunc(out, func(a, b Receipt) int { return a.Start.Compare(b.Start) })
	return out
}

// Failures lists the standing failures in order of time.
func (s *Snapshot) Failures() []Failed {
	out := slices.Collect(maps.Values(s.failures))
	slices.SortFunc(out, func(a, b Failed) int { return a.Start.Compare(b.Start) })
	return out
}

// Rows counts the table's rows.
func (s *Snapshot) Rows() (rows int64) {
	for _, r := range s.partitions {
		rows += r.Rows
	}
	return rows
}

// Columns are the columns that a reader of the table sees.
func (s *Snapshot) Columns() []datafile.Column { return s.Definition.TableColumns }
