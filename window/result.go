package window

import (
	"os"

	"strandline/internal/digest"
	"strandline/landing"
	"strandline/manifests"
)

// Result is one recomputed partition, before anybody has looked at it.
type Result struct {
	Partition   Partition
	Positions   manifests.Positions
	Input       landing.Input
	Inputs      map[string]manifests.Input // what Input is of; nil for a job of one stream
	Fingerprint digest.Hash
	Output
}

// Output is what a recompute wrote, in a local folder of its own. It is the
// receiver's to remove.
type Output struct {
	Dir string
	// Files are the paths of Parquet files in Dir, at least one. All rows are in
	// the order of the job's key, from the first file to the last.
	Files []string
	// Repeated is how many of the rows that the partition is computed from dedup left
	// out. Where partitions read rows of their neighbours, each counts those it reads.
	Repeated int64
}

// Remove removes the output from this machine.
func (o Output) Remove() error { return os.RemoveAll(o.Dir) }

// TimeColumn names the output column that says which partition a row belongs to.
func (j Job) TimeColumn() string {
	if j.Window.Kind == None {
		return j.Time
	}
	return ColumnWindowStart
}

// ColumnWindowStart and ColumnWindowEnd are what a job's SQL sees of a row's
// window, [window_start, window_end). A job's output carries the first.
const (
	ColumnWindowStart = "window_start"
	ColumnWindowEnd   = "window_end"
)
