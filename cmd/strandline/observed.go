package main

import (
	"context"
	"errors"
	"fmt"

	"strandline/engines"
	"strandline/requests"
)

// observed is what an engine says of a request.
type observed struct {
	engines.Observation
	gone      bool  // it does not know the plan, any more
	anew      bool  // it is at work on a plan that is done, and computes it again
	elsewhere error // why it was asked in vain: it is, or may be, another place that the plan was given to
	odd       error // why it tells nothing: it is not of the work that is written down of the request
}

// goesOn tells whether an engine has said that it has work of a plan, or may begin some.
func (o *observed) goesOn() bool { return o.tells() && !o.gone && !o.State.Ended() }

// tells tells whether an engine has said something of the request.
func (o *observed) tells() bool { return o != nil && o.elsewhere == nil && o.odd == nil }

// observe asks an engine of a request. Where its work is written down one odd answer is none: what says otherwise, or that
// there is none of it any more, is asked for again, and has to be said twice.
func observe(ctx context.Context, engine engines.Engine, r *requests.Request) (observed, error) {
	seen, err := observeOnce(ctx, engine, r)
	if err != nil || r.Work == "" || !seen.gone && seen.odd == nil {
		return seen, err
	}
	again, err := observeOnce(ctx, engine, r)
	if err == nil && again.gone && !seen.gone {
		return seen, nil
	}
	return again, err
}

func observeOnce(ctx context.Context, engine engines.Engine, r *requests.Request) (observed, error) {
	o, err := engine.Observe(ctx, r.Plan)
	known := r.Work != "" && !r.Ended()
	switch {
	case errors.Is(err, engines.ErrUnknown):
		return observed{Observation: engines.Observation{State: engines.Cancelled, Message: "it has no Job of the plan any more: somebody deleted it, it ended longer ago than ttl, or who submitted it was stopped before it was made"}, gone: true}, nil
	case errors.Is(err, engines.ErrOther) && known:
		return observed{odd: contradicts(r, err.Error())}, nil
	case errors.Is(err, engines.ErrOther): // so that of the plan is gone
		return observed{Observation: engines.Observation{State: engines.Cancelled, Message: err.Error()}, gone: true}, nil
	case err == nil && known && o.Work != r.Work:
		return observed{odd: contradicts(r, fmt.Sprintf("the one of this plan that it has now has uid %s", o.Work))}, nil
	}
	return observed{Observation: o}, err
}

// contradicts is what to do about an engine that has something else than what was written down of a request.
func contradicts(r *requests.Request, has string) error {
	return fmt.Errorf("%s says otherwise than the lake, which has the Job of uid %s: %s; that ends nothing, and is asked again. If it stays so: strandline backfill resume %[4]s takes the Job of this plan that is there, or has one made, and strandline backfill cancel %[4]s ends the request",
		r.On, r.Work, has, r.Plan.Short())
}
