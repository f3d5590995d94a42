package requests

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"strandline/internal/log"
	"strandline/plans"
)

// State is what the log folds to.
type State struct {
	requests map[plans.ID]*Request
	signs    map[string]Sign // of workers that hold claims
	due      map[string]time.Time
}

// Sign is a worker's sign of life.
type Sign struct {
	Entry   uint64    `json:"entry"` // the number of the entry that it is
	At      time.Time `json:"at"`    // when that was made, by the worker's clock, for people
	LeaseMS int64     `json:"lease_ms"`
}

// KeepEnded is how many requests that have ended stay listed.
const KeepEnded = 200

func newState() *State {
	return &State{requests: map[plans.ID]*Request{}, signs: map[string]Sign{}, due: map[string]time.Time{}}
}

// Requests lists all requests, the newest first. They may not be changed, nor kept past
// the view.
func (s *State) Requests() []*Request {
	return slices.SortedFunc(maps.Values(s.requests), func(a, b *Request) int { return cmp.Compare(b.Entry, a.Entry) })
}

// inTurn lists the requests in the order in which they are worked on.
func (s *State) inTurn() []*Request {
	return slices.SortedFunc(maps.Values(s.requests), func(a, b *Request) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Entry, b.Entry))
	})
}

// Has tells whether the plan's request is listed, so that the plan is needed.
func (s *State) Has(plan plans.ID) bool { return s.requests[plan] != nil }

// LastDue is when a schedule was last dealt with; zero if it never was.
func (s *State) LastDue(schedule string) time.Time { return s.due[schedule] }

// Sign is the latest sign of life of a worker that holds claims.
func (s *State) Sign(worker string) (sign Sign, holds bool) {
	sign, holds = s.signs[worker]
	return sign, holds
}

// Lease is how long the sign holds.
func (s Sign) Lease() time.Duration { return time.Duration(s.LeaseMS) * time.Millisecond }

// Apply adds one entry. One that contradicts the log is log.ErrCorrupt.
func (s *State) Apply(e log.Entry) error {
	d := newDraft(s)
	c, err := decodeChange(e.Body)
	if err == nil {
		err = c.fold(d, e)
	}
	if err != nil {
		return fmt.Errorf("%w: %v", log.ErrCorrupt, err)
	}
	d.keep(e)
	return nil
}

// draft is a state under change.
type draft struct {
	of      *State
	changed map[plans.ID]*Request
	signs   map[string]Sign
	due     map[string]time.Time
}

func newDraft(s *State) *draft {
	return &draft{of: s, changed: map[plans.ID]*Request{}, signs: maps.Clone(s.signs), due: map[string]time.Time{}}
}

// find returns the draft's own copy of a request, or nil.
func (d *draft) find(plan plans.ID) *Request {
	if r := d.changed[plan]; r != nil {
		return r
	}
	r := d.of.requests[plan]
	if r == nil {
		return nil
	}
	d.changed[plan] = r.clone()
	return d.changed[plan]
}

// scheduled notes that a schedule's time was dealt with.
func (d *draft) scheduled(due Due) error {
	if due.Schedule == "" || !due.At.After(d.of.due[due.Schedule]) {
		return fmt.Errorf("schedule %q was due at %s, which was dealt with before", due.Schedule, due.At)
	}
	d.due[due.Schedule] = due.At
	return nil
}

// lose takes from a worker all that it holds.
func (d *draft) lose(worker string) {
	delete(d.signs, worker)
	for plan, r := range d.of.requests {
		if r.holds(worker) {
			r = d.find(plan)
			maps.DeleteFunc(r.Claims, func(_ int, c Claim) bool { return c.Worker == worker })
		}
	}
}

func (r *Request) holds(worker string) bool {
	for _, c := range r.Claims {
		if c.Worker == worker {
			return true
		}
	}
	return false
}

// keep makes the draft, with the entry that made it, the state.
func (d *draft) keep(e log.Entry) {
	for plan, r := range d.changed {
		if r.Ended() && r.EndedAt.IsZero() {
			r.EndedAt, r.EndedEntry = e.At, e.Number
		}
		d.of.requests[plan] = r
	}
	maps.Copy(d.of.due, d.due)
	d.of.signs = d.signs
	d.of.forget()
}

// forget drops the signs of workers that hold nothing, and the requests that ended first, where
// there are many.
func (s *State) forget() {
	holders := map[string]bool{}
	var ended []*Request
	for _, r := range s.requests {
		for _, c := range r.Claims {
			holders[c.Worker] = true
		}
		if r.Ended() {
			ended = append(ended, r)
		}
	}
	maps.DeleteFunc(s.signs, func(worker string, _ Sign) bool { return !holders[worker] })
	if len(ended) <= KeepEnded {
		return
	}
	slices.SortFunc(ended, func(a, b *Request) int {
		return cmp.Or(cmp.Compare(a.EndedEntry, b.EndedEntry), cmp.Compare(a.Entry, b.Entry))
	})
	for _, r := range ended[:len(ended)-KeepEnded] {
		delete(s.requests, r.Plan)
	}
}

// stored is a state as checkpoints hold it.
type stored struct {
	Requests []*Request           `json:"requests"`
	Signs    map[string]Sign      `json:"signs"`
	Due      map[string]time.Time `json:"due"`
}

// AppendBinary writes the state for a checkpoint.
func (s *State) AppendBinary(b []byte) ([]byte, error) {
	text, err := json.Marshal(stored{s.Requests(), s.signs, s.due})
	return append(b, text...), err
}

// UnmarshalBinary reads the state of a checkpoint.
func (s *State) UnmarshalBinary(data []byte) error {
	var in stored
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	read := newState()
	for _, r := range in.Requests {
		if err := r.validate(); err != nil {
			return err
		}
		if len(r.Run) != r.Slices {
			return fmt.Errorf("request %s has %d slices, of which %d are told", r.Plan, r.Slices, len(r.Run))
		}
		read.requests[r.Plan] = r.clone()
	}
	maps.Copy(read.signs, in.Signs)
	maps.Copy(read.due, in.Due)
	*s = *read
	return nil
}
