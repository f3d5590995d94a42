package requests

import (
	"fmt"

	"strandline/internal/log"
)

// fold applies what a worker says, in the order of the fields: slices are given back before
// others are claimed.
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
		if err := f.fold(d, t.Worker); err != nil {
			return err
		}
	}
	for _, r := range t.Released {
		if err := r.fold(d, t.Worker); err != nil {
			return err
		}
	}
	for _, b := range t.Broken {
		r := d.find(b.Plan)
		if r == nil || r.Ended() {
			return fmt.Errorf("request %s is ended, and there is none", b.Plan)
		}
		r.Stop = &Stop{State: Broken, Reason: b.Reason, By: t.Worker}
	}
	for _, p := range t.Claimed {
		if err := p.claim(d, Claim{Worker: t.Worker, Entry: e.Number}); err != nil {
			return err
		}
	}
	return nil
}

// of returns the request of a slice that a worker holds by this very claim.
func (h held) of(d *draft, worker string) (*Request, error) {
	if r := d.find(h.Plan); r != nil && r.Claims[h.Slice] == (Claim{worker, h.Entry}) {
		return r, nil
	}
	return nil, fmt.Errorf("worker %s has no claim %d of slice %d of request %s", worker, h.Entry, h.Slice, h.Plan)
}

func (f finished) fold(d *draft, worker string) error {
	r, err := f.of(d, worker)
	if err != nil {
		return err
	}
	r.finished(f.Slice, f.Failed, f.Failures)
	return nil
}

func (r released) fold(d *draft, worker string) error {
	of, err := r.of(d, worker)
	if err != nil {
		return err
	}
	of.released(r.Slice, r.Trouble)
	return nil
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
