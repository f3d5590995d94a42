package requests

import (
	"slices"
	"time"

	"strandline/internal/trouble"
)

// Trouble is what kept slices of a request from being run to their end, told once however often it came.
type Trouble struct {
	Reason  string    `json:"reason"`
	Times   int       `json:"times"`
	First   time.Time `json:"first"` // by the clocks of the workers that met it
	Last    time.Time `json:"last"`
	By      string    `json:"by"`                 // the worker that met it last
	GivenUp int       `json:"given_up,omitempty"` // slices that were given up for it
}

// maxTroubles is of how many kinds of trouble a request remembers: those that it has met last.
const maxTroubles = 10

// met folds in that a worker has met trouble.
func (r *Request) met(reason, by string, at time.Time) {
	one := Trouble{Reason: reason, First: at}
	if i := slices.IndexFunc(r.Troubles, func(t Trouble) bool { return t.Reason == reason }); i >= 0 {
		one = r.Troubles[i]
		r.Troubles = slices.Delete(r.Troubles, i, i+1)
	}
	one.Times, one.Last, one.By = one.Times+1, at, by
	r.Troubles = append(r.Troubles, one)
	r.Troubles = r.Troubles[max(0, len(r.Troubles)-maxTroubles):]
}

// gaveUp folds in that a slice was given up for the trouble that was met last.
func (r *Request) gaveUp() { r.Troubles[len(r.Troubles)-1].GivenUp++ }

// reason is what a worker enters of why a slice was not run to its end.
func (r Result) reason() string { return trouble.Text(r.Err) }
