package requests

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"
)

// RequestState is where a request stands.
type RequestState string

// The states. The last four are ends.
const (
	Waiting   RequestState = "waiting"
	Running   RequestState = "running"
	Paused    RequestState = "paused"
	Done      RequestState = "done"
	InPart    RequestState = "failed in part" // all slices were run, and some partitions failed
	Broken    RequestState = "failed"         // it was ended since it can't go on
	Cancelled RequestState = "cancelled"
)

// Request is one request, as the log tells it.
type Request struct {
	Submission
	Entry uint64    `json:"entry"` // the number of the entry that submitted it
	At    time.Time `json:"at"`    // when, by the clock of who did
	// Changed is the number of the entry by which it was submitted, given to its engine or changed last: whoever
	// judges it by what was seen before another one has seen another request. Workers' turns do not count. It is
	// compared within a process only, and not in checkpoints: of a request that was read from one it is 0 until it is changed.
	Changed    uint64    `json:"-"`
	EndedAt    time.Time `json:"ended_at,omitzero"`
	EndedEntry uint64    `json:"ended_entry,omitempty"` // the number of the entry by which it ended
	IsPaused   bool      `json:"paused,omitempty"`
	Stop       *Stop     `json:"stop,omitempty"`
	Run        []byte    `json:"run"` // of each slice whether it was run to its end: runNot, runWell or runBadly
	// Told says of a request that another engine ran that Run tells which slices were run well, and not only how many.
	Told     bool          `json:"run_told,omitempty"`
	Claims   map[int]Claim `json:"claims,omitempty"`
	Far      *Far          `json:"far,omitempty"`   // of one that has ended, if who entered that knew
	Tries    map[int]int   `json:"tries,omitempty"` // by slice, how often it was given back for trouble
	Failed   int           `json:"failed,omitempty"`
	Before   int           `json:"failed_before,omitempty"` // of those, how many had failed before their slice was run
	Failures []Failure     `json:"failures,omitempty"`      // of the failed partitions the first maxFailures
	Troubles []Trouble     `json:"troubles,omitempty"`      // what slices were given back for, the latest last
}

const (
	runNot   = '.'
	runWell  = 'd'
	runBadly = 'f'
)

// maxFailures is of how many partitions a request remembers why they failed. The table
// knows of all.
const maxFailures = 50

func newRequest(s Submission, entry uint64, at time.Time) *Request {
	s.Left = nil // all of them
	return &Request{
		Submission: s, Entry: entry, At: at, Changed: entry,
		Run: bytes.Repeat([]byte{runNot}, s.Slices), Claims: map[int]Claim{}, Tries: map[int]int{},
	}
}

func (r *Request) clone() *Request {
	c := *r
	c.Run, c.Failures, c.Troubles = slices.Clone(r.Run), slices.Clone(r.Failures), slices.Clone(r.Troubles)
	c.Claims, c.Tries = maps.Clone(r.Claims), maps.Clone(r.Tries)
	if c.Claims == nil {
		c.Claims = map[int]Claim{}
	}
	if c.Tries == nil {
		c.Tries = map[int]int{}
	}
	return &c
}

// State tells where the request stands.
func (r *Request) State() RequestState {
	switch {
	case r.Stop != nil:
		return r.Stop.State
	case r.left() == 0 && r.Failed+r.count(runBadly) > 0:
		return InPart
	case r.left() == 0:
		return Done
	case r.IsPaused:
		return Paused
	case len(r.Claims) > 0 || r.left() < len(r.Run):
		return Running
	}
	return Waiting
}

// Ended tells whether nothing more is done for the request.
func (r *Request) Ended() bool { return r.Stop != nil || r.left() == 0 }

// SlicesRun is how many slices were run to their end, and SlicesFailed in how many of those
// a partition failed.
func (r *Request) SlicesRun() int    { return len(r.Run) - r.left() }
func (r *Request) SlicesFailed() int { return r.count(runBadly) }

// Lacks tells whether a slice is not at its end yet, as the log tells it: of a request that another engine runs
// it knows that of none.
func (r *Request) Lacks(slice int) bool { return r.Run[slice] == runNot }

// RanWell tells whether a slice is known to have been run well.
func (r *Request) RanWell(slice int) bool { return r.tells() && r.Run[slice] == runWell }

// tells is whether Run is of each slice, as that of a request of the lake's workers always is.
func (r *Request) tells() bool { return r.On == "" || r.Told }

func (r *Request) left() int { return r.count(runNot) }

func (r *Request) count(mark byte) int { return bytes.Count(r.Run, []byte{mark}) }

// wants tells whether slices of it may be worked on now.
func (r *Request) wants() bool { return r.On == "" && !r.Ended() && !r.IsPaused }

// free lists the slices that may be claimed, of those that are ready, and no more than keep the
// request within Parallel. Those of the plan's order come first.
func (r *Request) free(ready func(slice int) bool) (free []int) {
	for slice := 0; slice < len(r.Run) && len(free) < r.Parallel-len(r.Claims); slice++ {
		if _, claimed := r.Claims[slice]; !claimed && r.Run[slice] == runNot && ready(slice) {
			free = append(free, slice)
		}
	}
	return free
}

// InHand lists the slices that workers have, and of those that they take next as many again: who
// does the same beside them does well to leave these to them.
func (r *Request) InHand() (slices []int) {
	if !r.wants() {
		return nil
	}
	next := len(r.Claims)
	for slice, mark := range r.Run {
		_, claimed := r.Claims[slice]
		if !claimed && mark == runNot && next > 0 {
			claimed, next = true, next-1
		}
		if claimed {
			slices = append(slices, slice)
		}
	}
	return slices
}

// Spent is how many failures count against MaxFailures: not those of partitions that had
// failed before, of the same data and code.
func (r *Request) Spent() int { return r.Failed - r.Before }

// finished folds in that a slice was run to its end.
func (r *Request) finished(slice int, t toll) {
	r.Run[slice] = runWell
	if t.Failed > 0 {
		r.Run[slice] = runBadly
	}
	delete(r.Claims, slice)
	delete(r.Tries, slice)
	r.Failed += t.Failed
	r.Before += t.Before
	r.remember(t.Failures...)
	if r.MaxFailures > 0 && r.Spent() >= r.MaxFailures && !r.Ended() {
		r.Stop = &Stop{State: Broken, Reason: fmt.Sprintf("%d partitions failed, and it was to end at %d", r.Spent(), r.MaxFailures)}
	}
}

// maxTries is how often a slice is begun that is given back for trouble.
const maxTries = 5

// released folds in that a slice was given back. One that was for trouble too often has
// failed, so that every request ends; what failed in its last try counts. Trouble of a machine is no try.
func (r *Request) released(of released, by string, at time.Time) {
	delete(r.Claims, of.Slice)
	if of.Trouble == "" || r.Ended() {
		return
	}
	r.met(of.Trouble, by, at)
	if of.Machine {
		return
	}
	r.Tries[of.Slice]++
	if r.Tries[of.Slice] < maxTries {
		return
	}
	r.gaveUp()
	r.finished(of.Slice, of.toll)
	r.Run[of.Slice] = runBadly
}

func (r *Request) remember(failures ...Failure) {
	r.Failures = append(r.Failures, failures...)
	r.Failures = r.Failures[:min(len(r.Failures), maxFailures)]
}

// again makes a request that has ended one to be worked on once more, unless it was done and
// nothing is left of it. It tells whether it did. What was run well stays so, unless
// something is left of it in the table, or the slices are others, or another engine runs it or has run
// it that has not told which slices those are.
func (r *Request) again(s Submission) bool {
	if !r.Ended() || r.State() == Done && len(s.Left) == 0 {
		return false
	}
	if s.Slices != r.Slices || (r.On != "" || s.On != "") && !r.Told {
		r.Run = bytes.Repeat([]byte{runNot}, s.Slices)
		r.Claims, r.Told = map[int]Claim{}, false
	}
	r.Run = bytes.ReplaceAll(r.Run, []byte{runBadly}, []byte{runNot})
	r.redo(s.Left)
	s.Left = nil
	r.Submission, r.Stop, r.IsPaused, r.EndedAt, r.EndedEntry = s, nil, false, time.Time{}, 0
	r.Tries, r.Failed, r.Before, r.Failures, r.Troubles, r.Far = map[int]int{}, 0, 0, nil, nil, nil
	return true
}

// redo has slices begun anew that were run well.
func (r *Request) redo(left []int) {
	for _, slice := range left {
		if r.Run[slice] == runWell {
			r.Run[slice] = runNot
		}
	}
}
