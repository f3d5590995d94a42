package requests

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"strandline/internal/log"
)

// fold applies what was changed about a request.
func (s *setting) fold(d *draft, e log.Entry) error {
	r := d.find(s.Plan)
	if r == nil {
		return fmt.Errorf("%s of request %s: there is none", s.Do, s.Plan)
	}
	if err := s.fits(r); err != nil {
		return err
	}
	r.Changed = e.Number
	switch s.Do {
	case pause:
		r.IsPaused = true
	case resume:
		again := r.Submission
		again.Left, again.Tried, again.Work = s.Left, s.Tried, "" // its engine is about to begin other work
		if !r.again(again) {
			r.IsPaused = false
			r.redo(s.Left)
		}
	case cancel:
		r.cancelled(s.By, s.Reason)
		if s.Succeeded+s.Failed > 0 {
			r.ran(s.outcome())
		}
		if s.Far != nil {
			r.Far = s.Far
		}
	case resize:
		r.Parallel = s.Parallel
	case settle:
		r.settled(s.outcome(), s.By)
	}
	return nil
}

// fits tells whether the change can be made to the request as it is.
func (s *setting) fits(r *Request) error {
	switch {
	case s.Do == cancel && r.State() == Cancelled:
	case s.Do == resume && r.State() == Done && len(s.Left) == 0, s.Do != resume && r.Ended():
		return fmt.Errorf("%s request %s: %w: it is %s", s.Do, s.Plan, ErrEnded, r.State())
	case s.Do == resize && s.Parallel < 1:
		return fmt.Errorf("resize request %s to %d slices at a time: want at least 1", s.Plan, s.Parallel)
	case slices.ContainsFunc(s.Left, r.hasNo):
		return fmt.Errorf("resume request %s: of its %d slices, some of %v can't be left", s.Plan, r.Slices, s.Left)
	case slices.ContainsFunc(s.Well, r.hasNo):
		return fmt.Errorf("%s request %s: of its %d slices, some of %v can't have been run well", s.Do, s.Plan, r.Slices, s.Well)
	case min(s.Failed, s.Succeeded) < 0 || max(s.Failed, s.Succeeded, s.Failed+s.Succeeded) > r.Slices:
		return fmt.Errorf("%s request %s: of its %d slices %d succeeded and %d failed", s.Do, s.Plan, r.Slices, s.Succeeded, s.Failed)
	}
	switch s.Do {
	case pause, resume, cancel, resize, settle:
		return nil
	}
	return fmt.Errorf("%w: %q", errStrange, s.Do)
}

// idle tells whether the change changes nothing. Of what another engine runs that has been told to resume it: who
// looked before that is to know.
func (s *setting) idle(r *Request) bool {
	switch s.Do {
	case pause:
		return r.IsPaused && !r.Ended()
	case resume:
		return r.On == "" && !r.IsPaused && !r.Ended() && !slices.ContainsFunc(s.Left, func(slice int) bool { return slice >= 0 && slice < len(r.Run) && r.Run[slice] == runWell })
	case cancel:
		return r.State() == Cancelled && (s.Reason != "" || r.Stop.Reason == "")
	case resize:
		return r.Parallel == s.Parallel && !r.Ended()
	}
	return false
}

// cancelled takes in that somebody has cancelled the request, and what there is to be done about it yet. Who
// did so first stays named.
func (r *Request) cancelled(by, untold string) {
	if r.Stop != nil {
		by = r.Stop.By
	}
	r.Stop = &Stop{State: Cancelled, By: by, Reason: untold}
}

func (r *Request) hasNo(slice int) bool { return slice < 0 || slice >= r.Slices }

func (s *setting) outcome() Outcome { return Outcome{s.Succeeded, s.Failed, s.Well, s.Reason, s.Far} }

// ran takes in what another engine has run. Where it tells of no slice, what is known of each from before stands.
func (r *Request) ran(o Outcome) {
	switch {
	case len(o.Well) > 0:
		r.Run, r.Told = bytes.Repeat([]byte{runNot}, r.Slices), true
		for _, slice := range o.Well {
			r.Run[slice] = runWell
		}
		for slice, bad := 0, o.Failed; slice < r.Slices && bad > 0; slice++ {
			if r.Run[slice] == runNot { // whichever these are, they are begun again
				r.Run[slice], bad = runBadly, bad-1
			}
		}
	case r.Told && o.Succeeded+o.Failed == 0:
	default:
		rest := r.Slices - o.Failed - o.Succeeded
		r.Told = r.Told && o.Succeeded == r.Slices
		r.Run = slices.Concat(bytes.Repeat([]byte{runBadly}, o.Failed), bytes.Repeat([]byte{runWell}, o.Succeeded), bytes.Repeat([]byte{runNot}, rest))
	}
}

// As is the request as it is once that outcome of it is entered.
func (r *Request) As(o Outcome) *Request {
	c := r.clone()
	c.settled(o, r.On)
	return c
}

// settled takes in what another engine made of the request.
func (r *Request) settled(o Outcome, by string) {
	if o.Reason == "" && o.Failed == 0 {
		o.Succeeded = r.Slices
	}
	rest := r.Slices - o.Failed - o.Succeeded
	r.ran(o)
	r.Far = o.Far
	switch {
	case o.Reason == "" && rest == 0:
	case o.Failed == 0 || rest > 0:
		r.Stop = &Stop{State: Broken, Reason: cmp.Or(o.Reason, "slices of it failed"), By: by}
	default:
		r.remember(Failure{Reason: o.Reason})
	}
}
