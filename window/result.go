package window

import (
	"strandline/internal/digest"
	"strandline/landing"
	"strandline/manifests"
)

// Result is one recomputed partition, in a local file, before anybody has
// looked at it. The file is the receiver's to remove.
type Result struct {
	Partition   Partition
	Positions   manifests.Positions
	Input       landing.Input
	Fingerprint digest.Hash
	Path        string // a Parquet file sorted by the job's key
}

// ColumnWindowStart and ColumnWindowEnd are what a job's SQL sees of a row's
// window, [window_start, window_end). A job's output carries the first.
const (
	ColumnWindowStart = "window_start"
	ColumnWindowEnd   = "window_end"
)
