package runner

import (
	"errors"
	"slices"
	"strings"

	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// Outcome is what became of one partition.
type Outcome struct {
	Partition window.Partition
	Input     landing.Input // what it was to be computed from
	Expired   int64         // of the input's rows, those that had expired by then
	Verdict   manifests.Verdict
	Receipt   manifests.Receipt // the one that was made; that of the partition if Verdict is Unchanged or Already
	Repeated  int64             // rows that dedup left out
	Early     bool              // as of window.Status
	Version   manifests.Version // of the edit that published or held it, else 0
	Err       error             // why it failed, else nil
	Beside    string            // of one that is withheld: which other was not fit to be published, and why
	Before    bool              // it had failed, or was held, of the same data and code before this run
	left      bool              // the plan had left it out
	// Findings are what the job's checks said of it. Where there are violations
	// it is held, or of a rebuild that was withheld for them.
	window.Findings
}

// Reason says why the table does not hold the result, or nothing.
func (o Outcome) Reason() string {
	switch {
	case o.OK():
		return ""
	case o.Err != nil:
		return o.Err.Error()
	case len(o.Violations) > 0:
		return strings.Join(o.Violations, "; ")
	case o.Verdict == manifests.Withheld:
		return o.Beside
	}
	return "a person rolled it back, or dropped it"
}

// OK tells whether the table now holds, for this partition, what was wanted of
// it: this result, or one of newer input.
func (o Outcome) OK() bool {
	if o.Err != nil {
		return false
	}
	switch o.Verdict {
	case manifests.Swap, manifests.Unchanged, manifests.Repaired, manifests.Behind, manifests.Already:
		return true
	}
	return false
}

// Tried tells whether the partition was one of the plan's tasks. One whose raw rows had
// expired before was none.
func (o Outcome) Tried() bool { return !o.left }

// Computed tells whether a result was made, or was there: not of what failed, nor of what is withheld
// since nothing could be published when its turn came.
func (o Outcome) Computed() bool { return o.Receipt.Partition != "" }

// failed tells whether the partition was tried and the table does not hold what was wanted.
func (o Outcome) failed() bool { return !o.OK() && !errors.Is(o.Err, landing.ErrExpired) }

// Lacking tells whether the partition failed for want of what this machine has, such as
// memory or disk: another try may do it, here or elsewhere.
func (o Outcome) Lacking() bool { return errors.Is(o.Err, window.ErrResources) }

// Report is what became of a plan. Partitions that were not reached, because
// the run was cancelled or broke off, are not in it.
type Report struct {
	Plan     window.Plan
	Outcomes []Outcome // in the order in which they were done
}

// failures returns how many partitions were tried and failed that had not before, of those
// that count.
func (r Report) failures(options Options) (n int) {
	for _, o := range r.Outcomes {
		if o.failed() && !o.Before && options.counts(o.Err) {
			n++
		}
	}
	return n
}

// Repeated returns how many rows dedup left out of all partitions.
func (r Report) Repeated() (rows int64) {
	for _, o := range r.Outcomes {
		rows += o.Repeated
	}
	return rows
}

// Early returns how many partitions were computed before they were closed, though the
// job publishes on close.
func (r Report) Early() (n int) {
	for _, o := range r.Outcomes {
		if o.Early && o.OK() {
			n++
		}
	}
	return n
}

// Left returns how many partitions were left as they are, since their raw rows
// have expired.
func (r Report) Left() (n int) {
	for _, o := range r.Outcomes {
		if errors.Is(o.Err, landing.ErrExpired) {
			n++
		}
	}
	return n
}

// Held returns how many partitions ended with a result that is held.
func (r Report) Held() int { return r.Count(manifests.Held) + r.Count(manifests.StillHeld) }

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

// Lacking lists those of Failed that another try may do.
func (r Report) Lacking() []Outcome {
	return slices.DeleteFunc(r.Failed(), func(o Outcome) bool { return !o.Lacking() })
}
