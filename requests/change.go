package requests

import (
	"encoding/json"
	"errors"

	"strandline/internal/log"
	"strandline/plans"
)

// change is the body of an entry: exactly one of its parts.
type change struct {
	Submitted *submitted `json:"submitted,omitempty"`
	Turn      *turn      `json:"turn,omitempty"`
	Set       *setting   `json:"set,omitempty"`
	Due       *Due       `json:"due,omitempty"` // a schedule was due, and asked for nothing
}

// submitted is a request that is new, or one that had ended and is to be worked on again.
type submitted struct {
	Submission
	Due *Due `json:"due,omitempty"` // the schedule that asked
}

// turn is what one worker has to say, and a sign that it lives.
type turn struct {
	Worker   string     `json:"worker"`
	LeaseMS  int64      `json:"lease_ms"`       // for how long its signs hold
	Lost     []string   `json:"lost,omitempty"` // workers that gave no sign for their lease
	Finished []finished `json:"finished,omitempty"`
	Released []released `json:"released,omitempty"`
	Broken   []broken   `json:"broken,omitempty"`
	Claimed  []part     `json:"claimed,omitempty"`
}

// part is a slice of a request.
type part struct {
	Plan  plans.ID `json:"plan"`
	Slice int      `json:"slice"`
}

// held is a slice by a certain claim.
type held struct {
	part
	Entry uint64 `json:"claim"` // that of Claim
}

// finished says that a slice was run to its end.
type finished struct {
	held
	toll
}

// toll is what failed of a slice.
type toll struct {
	Failed   int       `json:"failed,omitempty"`        // of its partitions
	Before   int       `json:"failed_before,omitempty"` // of these, those that had failed before it was run
	Failures []Failure `json:"failures,omitempty"`      // of some of them
}

// released gives a slice back.
type released struct {
	held
	Trouble string `json:"trouble,omitempty"` // why it was not run to its end; none if the worker stops
	Machine bool   `json:"machine,omitempty"` // it is of the worker's machine, and so no try of the slice
	toll           // of this try, where there was trouble
}

// broken ends a request that can't be carried out.
type broken struct {
	Plan   plans.ID `json:"plan"`
	Reason string   `json:"reason"`
}

// setting is what a person, or the engine that runs it, changes about a request.
type setting struct {
	Plan     plans.ID `json:"plan"`
	Do       action   `json:"do"`
	By       string   `json:"by"`
	Parallel int      `json:"parallel,omitempty"` // of resize
	Left     []int    `json:"left,omitempty"`     // of resume, as Submission has it
	Tried    *int     `json:"tried,omitempty"`    // likewise
	// Of settle and cancel, as Outcome has them.
	Succeeded int    `json:"succeeded,omitempty"`
	Failed    int    `json:"failed,omitempty"`
	Well      []int  `json:"well,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Far       *Far   `json:"far,omitempty"`
}

// setting is one with the outcome.
func (o Outcome) setting(s setting) setting {
	s.Succeeded, s.Failed, s.Well, s.Reason, s.Far = o.Succeeded, o.Failed, o.Well, o.Reason, o.Far
	return s
}

type action string

const (
	pause  action = "pause"
	resume action = "resume"
	cancel action = "cancel"
	resize action = "resize"
	settle action = "settle" // another engine has run all slices
)

var errStrange = errors.New("an entry is not one of a request, a worker's turn, a change of a request or a schedule's time; a newer version of Strandline may have written it")

func decodeChange(body []byte) (change, error) {
	var c change
	if err := json.Unmarshal(body, &c); err != nil {
		return c, err
	}
	n := 0
	for _, there := range []bool{c.Submitted != nil, c.Turn != nil, c.Set != nil, c.Due != nil} {
		if there {
			n++
		}
	}
	if n != 1 {
		return c, errStrange
	}
	return c, nil
}

// fold applies the change to a draft of the state.
func (c change) fold(d *draft, e log.Entry) error {
	switch {
	case c.Submitted != nil:
		return c.Submitted.fold(d, e)
	case c.Turn != nil:
		return c.Turn.fold(d, e)
	case c.Set != nil:
		return c.Set.fold(d, e)
	}
	return d.scheduled(*c.Due)
}

func (s *submitted) fold(d *draft, e log.Entry) error {
	if err := s.validate(); err != nil {
		return err
	}
	if s.Due != nil {
		if err := d.scheduled(*s.Due); err != nil {
			return err
		}
	}
	r := d.find(s.Plan)
	if r == nil {
		d.changed[s.Plan] = newRequest(s.Submission, e.Number, e.At)
		return nil
	}
	if r.again(s.Submission) {
		r.Entry, r.At = e.Number, e.At
	} else if s.Work != "" && !r.Ended() {
		r.Work = s.Work
	}
	r.Changed = e.Number
	return nil
}
