package requests

import (
	"fmt"
	"time"

	"strandline/internal/log"
)

// fold applies what a worker says, in the order of the fields: slices are given back before
// others are claimed. What it says of claims that it does not have, or of requests that have
// ended, is nothing: one part of a turn may end what another one speaks of.
func (t *turn) fold(d *draft, e log.Entry) error {
	if t.Worker == "" || t.LeaseMS < 1 {
		return fmt.Errorf("worker %q signs for %d ms", t.Worker, t.LeaseMS)
	}
	d.signs[t.Worker] = Sign{Entry: e.Number, At: e.At, LeaseMS: t.LeaseMS}
	for _, worker := range t.Lost {
		if worker == t.Worker {
			return fmt.Errorf("worker %s says that it is lost itself", worker)
		}
		d.lose(worker)
	}
	for _, f := range t.Finished {
		f.fold(d, t.Worker)
	}
	for _, r := range t.Released {
		r.fold(d, t.Worker, e.At)
	}
	for _, b := range t.Broken {
		b.fold(d, t.Worker)
	}
	for _, p := range t.Claimed {
		if err := p.claim(d, Claim{Worker: t.Worker, Entry: e.Number}); err != nil {
			return err
		}
	}
	return nil
}

// of returns the request of a slice that a worker holds by this very claim; nil if it does
// not, any more.
func (h held) of(d *draft, worker string) *Request {
	if r := d.find(h.Plan); r != nil && r.Claims[h.Slice] == (Claim{worker, h.Entry}) {
		return r
	}
	return nil
}

func (f finished) fold(d *draft, worker string) {
	if r := f.of(d, worker); r != nil {
		r.finished(f.Slice, f.toll)
	}
}

func (r released) fold(d *draft, worker string, at time.Time) {
	if of := r.of(d, worker); of != nil {
		of.released(r, worker, at)
	}
}

// fold ends a request, unless something has, if only the same turn.
func (b broken) fold(d *draft, worker string) {
	if r := d.find(b.Plan); r != nil && !r.Ended() {
		r.Stop = &Stop{State: Broken, Reason: b.Reason, By: worker}
	}
}

func (p part) claim(d *draft, c Claim) error {
	r := d.find(p.Plan)
	if r == nil || !r.wants() || p.Slice < 0 || p.Slice >= len(r.Run) || r.Run[p.Slice] != runNot {
		return fmt.Errorf("slice %d of request %s is claimed, and is not to be run", p.Slice, p.Plan)
	}
	if by, claimed := r.Claims[p.Slice]; claimed {
		return fmt.Errorf("slice %d of request %s is claimed, and worker %s has it", p.Slice, p.Plan, by.Worker)
	}
	if len(r.Claims) >= r.Parallel {
		return fmt.Errorf("slice %d of request %s is claimed, and %d slices of it are already", p.Slice, p.Plan, len(r.Claims))
	}
	r.Claims[p.Slice] = c
	return nil
}
