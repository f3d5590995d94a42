// Package plans keeps what a driver is to do as an immutable object of the lake, so that
// any number of processes can each do a slice of it, any number of times.
//
// A plan file says all that decides a result: the job's fingerprint, the position vector,
// and each partition with the input that it had at those positions. Nothing in it is of
// the time of day or of a machine, and its name is the digest of its bytes: the same
// request on the same state is the same plan, and to write it again is nothing. What has
// been done of it is not written anywhere: that is the plan held against the table.
package plans

import (
	"time"

	"strandline/internal/digest"
	"strandline/manifests"
	"strandline/window"
)

// File is a plan. It never changes, and nobody may change what it holds.
type File struct {
	Format int              `json:"format"` // formatNumber
	Job    string           `json:"job"`
	Driver manifests.Driver `json:"driver"` // backfill or replay
	// Asked is the request in words, for people. What it says of time are instants.
	Asked       string              `json:"asked"`
	Fingerprint digest.Hash         `json:"fingerprint"` // of the job's code
	Read        manifests.Positions `json:"read"`        // up to where all inputs are read
	Order       string              `json:"order,omitempty"`
	// Atomic says that all tasks are published by one edit or none is, so that they are
	// one slice.
	Atomic bool   `json:"atomic,omitempty"`
	Tasks  []Task `json:"tasks"` // in the order in which they are to be done
}

// Task is one partition of a plan.
type Task struct {
	Partition string    `json:"partition"`
	Start     time.Time `json:"start"` // inclusive
	End       time.Time `json:"end"`   // exclusive
	// Rows and Digest are of the input that the partition has at the plan's positions,
	// and Inputs what they are made of, as receipts have them.
	Rows   int64                      `json:"rows"`
	Digest digest.Hash                `json:"digest"`
	Inputs map[string]manifests.Input `json:"inputs,omitempty"`
	// Again says that the table had this very result when the plan was made, and it is
	// asked for all the same: no receipt tells whether that has been done.
	Again bool `json:"again,omitempty"`
}

const formatNumber = 1

// About is what a window.Plan does not say of a plan file. The fields are those of File.
type About struct {
	Driver manifests.Driver
	Asked  string
	Order  string
	Atomic bool
}

// New makes the file of a plan, whose tasks stay in their order.
func New(plan window.Plan, about About) File {
	f := File{
		Format: formatNumber, Job: plan.Job.Name, Driver: about.Driver, Asked: about.Asked,
		Fingerprint: plan.Fingerprint, Read: plan.Read, Order: about.Order, Atomic: about.Atomic,
		Tasks: make([]Task, len(plan.Tasks)),
	}
	for i, s := range plan.Tasks {
		t := Task{Partition: s.String(), Start: s.Start, End: s.End, Rows: s.Input.Rows, Digest: s.Input.Digest, Inputs: s.Inputs}
		if s.Receipt != nil {
			t.Again = f.made(t, s.Receipt.Fingerprint, s.Receipt.InputDigest, s.Receipt.Positions)
		}
		f.Tasks[i] = t
	}
	return f
}

// Again tells whether the plan has tasks that receipts can't tell the progress of.
func (f File) Again() bool {
	for _, t := range f.Tasks {
		if t.Again {
			return true
		}
	}
	return false
}
