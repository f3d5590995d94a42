package plans

import (
	"strandline/internal/digest"
	"strandline/manifests"
)

// State is how far a task is, by its table alone.
type State string

// The states of a task.
const (
	Done   State = "done"   // the table has the result, or one of newer input by the same code
	Failed State = "failed" // the last try failed, for good as long as data and code are these
	Held   State = "held"   // a check withheld the result, for a person
	Left   State = "left"   // to be done
	// Untold is a task with Again that neither failed nor is held: who ran its slice
	// knows whether it is done, and nothing else does.
	Untold State = "untold"
)

// Progress is a plan held against its table.
type Progress struct {
	States []State // of the tasks, in their order
	Count  map[State]int
}

// Progress tells how far the plan is, by the receipts and failures of its table alone. It
// is a pure function: whoever does the work need not be reached, or known.
func (f File) Progress(table *manifests.Snapshot) Progress {
	p := Progress{States: make([]State, len(f.Tasks)), Count: map[State]int{}}
	for i, t := range f.Tasks {
		p.States[i] = f.StateOf(t, table)
		p.Count[p.States[i]]++
	}
	return p
}

// StateOf tells how far one task is.
func (f File) StateOf(t Task, table *manifests.Snapshot) State {
	if failure, is := table.Failed(t.Partition); is && failure.Fingerprint == f.Fingerprint && failure.InputDigest == t.Digest {
		return Failed
	}
	if c, is := table.Held(t.Partition); is && f.made(t, c.Receipt.Fingerprint, c.Receipt.InputDigest, c.Receipt.Positions) {
		return Held
	}
	switch {
	case t.Again:
		return Untold
	case f.published(t, table):
		return Done
	}
	return Left
}

// published tells whether the receipt that stands is what the task is to make, or newer.
func (f File) published(t Task, table *manifests.Snapshot) bool {
	for r := range table.Within(t.Start, t.End) {
		if r.Partition() != t.Partition || r.Fingerprint() != f.Fingerprint {
			continue
		}
		return r.InputDigest() == t.Digest || !f.ahead(r.Read)
	}
	return false
}

// made tells whether a result of the code and input is what the task is to make, or newer.
func (f File) made(t Task, code, input digest.Hash, at manifests.Positions) bool {
	return code == f.Fingerprint && (input == t.Digest || !f.ahead(func(name string) (int64, bool) {
		upTo, reads := at[name]
		return upTo, reads
	}))
}

// ahead tells whether the plan reads some input further than a result did.
func (f File) ahead(of func(input string) (upTo int64, reads bool)) bool {
	for name, upTo := range f.Read {
		if read, reads := of(name); !reads || read < upTo {
			return true
		}
	}
	return false
}
