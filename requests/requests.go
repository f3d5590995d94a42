// Package requests keeps what people and schedules have asked the lake for, and who is
// at work on it: one numbered log, requests/log, and the workers that go by it.
//
// A request is a plan of the lake (see package plans), cut into slices. Workers claim
// slices, run them and say what came of them. Invariants:
//
//   - The id of a request is its plan's id. So asking for the same thing again, of the same
//     state of the lake, is the same request.
//   - A slice is claimed by one worker at a time, and of a request at most Parallel slices
//     are claimed at a time. The log decides races: an entry is only folded at the place for
//     which it was decided.
//   - A claim saves double work, and nothing else rests on it. Whatever a worker does
//     whose claim is lost is judged by the fence of the table, as everybody's work is.
//   - A worker shows that it lives by its entries. It is lost to another one that has seen,
//     by its own clock that only goes on, no new entry of it for the lease that it claimed
//     with. No two machines' clocks are ever compared.
//   - What becomes of partitions is told by the table alone. The log knows which slices were
//     run to their end.
package requests

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"strandline/internal/digest"
	"strandline/manifests"
	"strandline/plans"
)

var (
	// ErrNoRequest says that no request of that id is listed.
	ErrNoRequest = errors.New("no such request")
	// ErrEnded says that a request has ended, so that nothing can be changed about it.
	ErrEnded = errors.New("the request has ended")
)

// MaxSlices is into how many slices a request may be cut.
const MaxSlices = 1000

// Submission is what is asked for.
type Submission struct {
	Plan        plans.ID         `json:"plan"`
	Job         string           `json:"job"`
	Fingerprint digest.Hash      `json:"fingerprint"` // of the job's code, which workers must have
	Driver      manifests.Driver `json:"driver"`
	Asked       string           `json:"asked"`                  // as a person reads it
	Partitions  int              `json:"partitions"`             // how many the plan has
	Slices      int              `json:"slices"`                 // 1 … MaxSlices
	Parallel    int              `json:"parallel"`               // slices that are claimed at a time; at least 1
	MaxFailures int              `json:"max_failures,omitempty"` // it is ended once so many partitions failed; 0: however many
	Priority    int              `json:"priority,omitempty"`     // the highest goes first; see PriorityNormal
	By          string           `json:"by"`                     // who asked, for people
	On          string           `json:"on,omitempty"`           // the engine that runs it; "" is the workers of the lake
	// Place is where that engine works it; nil: it has one place alone, or it is not known.
	Place *Place `json:"place,omitempty"`
	// Work is what that engine calls its work of the plan, and nothing else ever; "" where that is not known. What it
	// has under another name ends the request no more.
	Work string `json:"work,omitempty"`
	// Left are the slices of which something is left, by the table, as it is submitted:
	// what of an ended request is begun anew, even if it was run well. Requests don't keep it.
	Left []int `json:"left,omitempty"`
	// Tried is how many of the partitions had failed or were held by the table when it was
	// submitted or resumed, which do not count in MaxFailures; nil: it is not known.
	Tried *int `json:"tried,omitempty"`
}

// The priorities that have names. Any number may be used.
const (
	PriorityLow    = -100
	PriorityNormal = 0
	PriorityHigh   = 100
)

// validate says what a submission lacks.
func (s Submission) validate() error {
	switch {
	case s.Plan.IsZero() || s.Job == "":
		return errors.New("a request names a plan and a job")
	case s.Slices < 1 || s.Slices > MaxSlices:
		return fmt.Errorf("a request has 1 to %d slices, and not %d", MaxSlices, s.Slices)
	case s.Parallel < 1:
		return fmt.Errorf("a request runs at least 1 slice at a time, and not %d", s.Parallel)
	case s.MaxFailures < 0 || s.Tried != nil && *s.Tried < 0:
		return fmt.Errorf("a request is ended by a number of failures, and not by %d", s.MaxFailures)
	case slices.ContainsFunc(s.Left, func(slice int) bool { return slice < 0 || slice >= s.Slices }):
		return fmt.Errorf("of %d slices, some of %v can't be left", s.Slices, s.Left)
	}
	return nil
}

// cutAs is the submission in the slices that the request has, all of which are left.
func (s Submission) cutAs(r *Request) Submission {
	s.Slices, s.Left = r.Slices, nil
	for slice := range r.Slices {
		s.Left = append(s.Left, slice)
	}
	return s
}

// Outcome is what another engine has made of a request: nothing but a success is the zero
// one. Where some slices neither succeeded nor failed, or none failed, it could not be carried
// out to its end.
type Outcome struct {
	Succeeded int    // slices that were run well
	Failed    int    // slices in which partitions failed
	Well      []int  // which were run well, ascending, if that engine can tell
	Reason    string // why it did not succeed; never empty then
	Far       *Far   // how far it has come; nil: it is not known
}

// Far is how far a request had come when it ended, in partitions by the table, of which it tells no more once that has
// other code. What is not counted may have been computed again or not.
type Far struct {
	Done   int `json:"done,omitempty"`
	Failed int `json:"failed,omitempty"`
	Held   int `json:"held,omitempty"`
	Left   int `json:"left,omitempty"`
}

// Due is one time at which a schedule was due.
type Due struct {
	Schedule string    `json:"schedule"`
	At       time.Time `json:"at"`
}

// Claim is a worker's hold on a slice.
type Claim struct {
	Worker string `json:"worker"`
	Entry  uint64 `json:"entry"` // the number of the entry that made it
}

// Failure is a partition that could not be published, and why.
type Failure struct {
	Partition string `json:"partition"`
	Reason    string `json:"reason"`
}

// Stop is why a request ended before all its slices were run.
type Stop struct {
	State  RequestState `json:"state"` // Cancelled or Broken
	Reason string       `json:"reason,omitempty"`
	By     string       `json:"by,omitempty"`
}
