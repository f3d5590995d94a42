// Package manifests is the truth about tables: numbered edits, each "replace
// these partitions by these receipts", and the snapshot they fold to.
//
// Write order: a receipt's data files are durable before the edit that names
// them is appended, and the edit is the only thing that makes them exist for a
// reader. Invariants:
//
//   - A partition has at most one receipt, and an edit replaces it whole.
//   - An edit changes only the partitions it names; only a rebuild, which says
//     so, replaces the table.
//   - No edit moves a partition back to an older position vector, and none is
//     accepted from a writer that is not of the table's current generation.
//     Both are judged against the newest state at every append.
//   - No edit names a file that an earlier one condemned, and none condemns a file
//     that a version names which is still kept. A file is removed after the edit
//     that condemns it, and never before.
package manifests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"strandline/internal/condemn"
	"strandline/internal/datafile"
	"strandline/internal/digest"
)

// Version numbers a table's edits: 1, 2, 3 … Version 0 is the empty table.
type Version uint64

// Positions is a position vector: for each stream that was read, by its name, the
// exclusive end of the positions that were read; and for each table, by TableInput,
// the version.
type Positions map[string]int64

const tablePrefix = "tables/"

// TableInput is how a table that was read is named in a position vector, where no
// stream is called so.
func TableInput(table string) string { return tablePrefix + table }

// InputTable returns the table that a name in a position vector means, if it is not a
// stream's.
func InputTable(name string) (table string, is bool) { return strings.CutPrefix(name, tablePrefix) }

// Input is what was read of one of several inputs.
type Input struct {
	Rows   int64       `json:"rows"`
	Digest digest.Hash `json:"digest"`
}

// BehindOf returns the streams, sorted, in which p has read less than q. A
// stream that p does not read at all is no input of it, so not one in which it
// could be behind: the code was changed to do without.
func (p Positions) BehindOf(q Positions) []string {
	var behind []string
	for _, stream := range slices.Sorted(maps.Keys(q)) {
		if read, reads := p[stream]; reads && read < q[stream] {
			behind = append(behind, stream)
		}
	}
	return behind
}

// Receipt is what a published partition carries. It is checkable: whoever has
// the landing log can derive its digests again.
type Receipt struct {
	Partition   string      `json:"partition"`
	Start       time.Time   `json:"start"` // inclusive
	End         time.Time   `json:"end"`   // exclusive
	Positions   Positions   `json:"positions"`
	InputRows   int64       `json:"input_rows"`
	InputDigest digest.Hash `json:"input_digest"`
	// Inputs says what InputDigest is of where that is not one stream alone, by the
	// names of Positions; else nil.
	Inputs      map[string]Input  `json:"inputs,omitempty"`
	Fingerprint digest.Hash       `json:"fingerprint"`
	Rows        int64             `json:"rows"`
	RowDigest   digest.Sum128     `json:"row_digest"`
	Columns     []datafile.Column `json:"columns"`
	Files       []File            `json:"files"` // none where Rows is 0
	// Repeated is how many rows dedup left out. No digest is of it.
	Repeated int64 `json:"repeated,omitempty"`
}

// File is one published Parquet file.
type File struct {
	ID     string      `json:"id"`
	Rows   int64       `json:"rows"`
	Bytes  int64       `json:"bytes"`
	Digest digest.Hash `json:"digest"` // SHA-256 of the file's bytes
}

// SameInput tells whether two receipts were computed from the same rows by the
// same code.
func (r Receipt) SameInput(other Receipt) bool {
	return r.InputDigest == other.InputDigest && r.Fingerprint == other.Fingerprint
}

// SameOutput tells whether two receipts have the same rows.
func (r Receipt) SameOutput(other Receipt) bool {
	return r.Rows == other.Rows && r.RowDigest == other.RowDigest
}

// equal tells whether two receipts say the same.
func (r Receipt) equal(other Receipt) bool {
	return r.Partition == other.Partition && r.Start.Equal(other.Start) && r.End.Equal(other.End) &&
		maps.Equal(r.Positions, other.Positions) && maps.Equal(r.Inputs, other.Inputs) && r.InputRows == other.InputRows && r.SameInput(other) && r.SameOutput(other) &&
		slices.Equal(r.Columns, other.Columns) && slices.Equal(r.Files, other.Files) && r.Repeated == other.Repeated
}

// Definition is the code of one generation of a table.
type Definition struct {
	Generation  uint64      `json:"generation"`
	Job         string      `json:"job"`
	Fingerprint digest.Hash `json:"fingerprint"`
	Key         []string    `json:"key"`
	Grain       string      `json:"grain"`
	// Columns are the job's output; TableColumns also hold those that older
	// generations made and this one does not.
	Columns      []datafile.Column `json:"columns"`
	TableColumns []datafile.Column `json:"table_columns"`
	// SQL is the job's text as it was written, and Parts are all that the fingerprint
	// is of, as people read it. A generation from before they were kept has none.
	SQL    string    `json:"sql,omitempty"`
	Parts  []Part    `json:"parts,omitempty"`
	Writer string    `json:"writer"` // who registered it, for people
	At     time.Time `json:"at"`
	// HasPartition tells whether the grain cuts time so that there is a partition of
	// that name and half-open interval: the rules of a time zone may have changed. It is
	// asked when the job is registered. nil: it has all of them.
	HasPartition func(name string, start, end time.Time) bool `json:"-"`
}

// Part is one named part of a job's code. Names are unique within it.
type Part struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// same tells whether registering d over other would change nothing.
func (d Definition) same(other Definition) bool {
	return d.Fingerprint == other.Fingerprint && d.Grain == other.Grain && slices.Equal(d.Key, other.Key)
}

// Failure says why a partition could not be published: what was tried, on
// which input and by which code. It stands until the partition is published.
type Failure struct {
	Partition   string      `json:"partition"`
	Start       time.Time   `json:"start"`
	End         time.Time   `json:"end"`
	Fingerprint digest.Hash `json:"fingerprint"`
	InputDigest digest.Hash `json:"input_digest"`
	Reason      string      `json:"reason"`
	// NonDeterministic says that the same code made other rows of the same
	// input than those that stand.
	NonDeterministic bool `json:"non_deterministic,omitempty"`
}

// sameCause tells whether two failures are of the same code on the same input.
func (f Failure) sameCause(other Failure) bool {
	return f.Fingerprint == other.Fingerprint && f.InputDigest == other.InputDigest && f.Reason == other.Reason
}

// Driver names who asked for an edit.
type Driver string

// The drivers, DriverPerson for what nobody but a person does, and DriverSweep for
// what a sweep says of versions and files.
const (
	DriverPerson   Driver = "person"
	DriverStream   Driver = "stream"
	DriverBackfill Driver = "backfill"
	DriverReplay   Driver = "replay"
	DriverSweep    Driver = "sweep"
)

// Edit is the body of one manifest log entry.
type Edit struct {
	Driver     Driver      `json:"driver"`
	Writer     string      `json:"writer"`
	Generation uint64      `json:"generation"`
	Define     *Definition `json:"define,omitempty"`
	// Rebuild says that the receipts are the whole table from now on.
	Rebuild  bool      `json:"rebuild,omitempty"`
	Receipts []Receipt `json:"receipts,omitempty"`
	Failures []Failure `json:"failures,omitempty"`
	// Repaired are receipts that stand, with new files in place of lost or
	// damaged ones: the rows are the same.
	Repaired []Receipt `json:"repaired,omitempty"`
	// Rollback says that the receipts are those of an older version, and may go
	// back to older input.
	Rollback *Rollback `json:"rollback,omitempty"`
	// Held are results that a check of the job withheld, for a person.
	Held []Candidate `json:"held,omitempty"`
	// Warnings are what checks that only warn said of the results of this edit,
	// by partition.
	Warnings map[string][]string `json:"warnings,omitempty"`
	// Took says what computing the results took, in milliseconds, by partition: see Effort.
	Took map[string]int64 `json:"took_ms,omitempty"`
	// Released names held partitions whose candidates are the receipts of this
	// edit, and Dropped those whose candidates are no more.
	Released []string `json:"released,omitempty"`
	Dropped  []string `json:"dropped,omitempty"`
	// Left names the late input of partitions that can't be computed again and
	// that a person leaves as they are.
	Left []Late `json:"left,omitempty"`
	// Condemned are files that no edit may name from here on: they are removed.
	Condemned *condemn.Sentence `json:"condemned,omitempty"`
	// Oldest says that the versions below it have expired.
	Oldest Version `json:"oldest,omitempty"`
}

func (e *Edit) check() error {
	seen := map[string]bool{}
	for _, r := range e.Receipts {
		if seen[r.Partition] {
			return fmt.Errorf("partition %s is named twice", r.Partition)
		}
		seen[r.Partition] = true
		if !r.Start.Before(r.End) {
			return fmt.Errorf("partition %s: [%s, %s) is no interval", r.Partition, r.Start, r.End)
		}
	}
	return nil
}
