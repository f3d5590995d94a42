package window

import (
	"errors"
	"fmt"

	"strandline/landing"
	"strandline/manifests"
)

// ErrNotPlanned says that what is given as a job's plan is none.
var ErrNotPlanned = errors.New("that is no plan of this job")

// Planned is a partition as a plan has it that somebody made, elsewhere or before, and
// that reads these inputs as far as the reading says: heads may have gone on since. It is
// ErrHistory if the logs say that other rows are there, and ErrNotPlanned if no plan of
// the job could say so. sure tells that the logs know which rows these are; they do not
// where a compaction has put rows below and above a position into one segment.
func (j Job) Planned(heads Heads, r manifests.Reading) (s Status, sure bool, err error) {
	p, err := j.Grain.Parse(r.Partition)
	if err != nil {
		return s, false, fmt.Errorf("%w: %w", ErrNotPlanned, err)
	}
	if !j.joins(r) {
		return s, false, fmt.Errorf("%w: what it says that partition %s is computed from is not of what the job reads", ErrNotPlanned, p)
	}
	sure = true
	for i, in := range j.Inputs {
		one, err := j.bore(in, heads[i], r, p)
		if err != nil {
			return s, false, err
		}
		sure = sure && one
	}
	s = Status{Partition: p, Input: landing.Input{Rows: r.InputRows, Digest: r.InputDigest}, Inputs: r.Inputs, Expired: j.expired(heads, p.span())}
	return s, sure, nil
}

// joins tells whether a reading is of all inputs of the job, and its parts make up the
// whole.
func (j Job) joins(r manifests.Reading) bool {
	if j.sole() {
		return len(r.Inputs) == 0
	}
	read := make([]landing.Input, len(j.Inputs))
	for i, in := range j.Inputs {
		read[i] = landing.Input(r.Inputs[in.At()])
	}
	return len(r.Inputs) == len(j.Inputs) && j.Join(read) == landing.Input{Rows: r.InputRows, Digest: r.InputDigest}
}

// bore is ErrHistory if an input did not have what a reading says at its position. sure
// tells whether the log can tell.
func (j Job) bore(in Input, head Head, r manifests.Reading, p Partition) (sure bool, err error) {
	if err := checkEnd(j.Name, r, in, head.End()); err != nil {
		return false, err
	}
	upTo, of := r.Positions[in.At()], j.readsOf(in, p.span())
	read, _ := j.readOf(in, r)
	now := head.sum(of)
	if upTo == head.End() && read == now {
		return true, nil // as it mostly is where a plan was made just now
	}
	rows, atMost := now.Rows, false
	if !in.Table { // a table is here at the very version
		var since int64
		since, atMost = head.grown(of, upTo)
		rows -= since
	}
	if !head.mayEnd(upTo) || !head.bears(upTo, read, of) || !atMost && rows != read.Rows {
		return false, fmt.Errorf("%w: partition %s was to be computed from %d rows of %s up to %s %d with digest %q, which are not there", ErrHistory, p, read.Rows, in, in.end(), upTo, read.Digest.Short())
	}
	return !atMost, nil
}
