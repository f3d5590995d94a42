package runner

import (
	"slices"

	"strandline/manifests"
	"strandline/window"
)

// Outcome is what became of one partition.
type Outcome struct {
	Partition window.Partition
	Verdict   manifests.Verdict
	Receipt   manifests.Receipt // the one that was made; that of the partition if Verdict is Unchanged
	Version   manifests.Version // of the edit that published it, else 0
	Err       error             // why it failed, else nil
}

// OK tells whether the table now holds, for this partition, what was wanted of
// it: this result, or one of newer input.
func (o Outcome) OK() bool {
	return o.Err == nil && (o.Verdict == manifests.Swap || o.Verdict == manifests.Unchanged || o.Verdict == manifests.Behind)
}

// Report is what became of a plan. Partitions that were not reached, because
// the run was cancelled or broke off, are not in it.
type Report struct {
	Plan     window.Plan
	Outcomes []Outcome // in the order in which they were done
}

// Count returns how many partitions ended with the verdict.
func (r Report) Count(v manifests.Verdict) (n int) {
	for _, o := range r.Outcomes {
		if o.Err == nil && o.Verdict == v {
			n++
		}
	}
	return n
}

// Failed lists the partitions that were not published, in order of time.
func (r Report) Failed() []Outcome {
	var failed []Outcome
	for _, o := range r.Outcomes {
		if !o.OK() {
			failed = append(failed, o)
		}
	}
	slices.SortFunc(failed, func(a, b Outcome) int { return a.Partition.Start.Compare(b.Partition.Start) })
	return failed
}
