package main

import (
	"context"
	"errors"

	"strandline/engines"
	"strandline/plans"
)

// observed is what an engine says of a plan.
type observed struct {
	engines.Observation
	gone      bool  // it does not know the plan, any more
	anew      bool  // it is at work on a plan that is done, and computes it again
	elsewhere error // why it was asked in vain: it is, or may be, another place that the plan was given to
}

// goesOn tells whether an engine has said that it has work of a plan, or may begin some.
func (o *observed) goesOn() bool {
	return o != nil && o.elsewhere == nil && !o.gone && !o.State.Ended()
}

// observe asks an engine once.
func observe(ctx context.Context, engine engines.Engine, plan plans.ID) (observed, error) {
	o, err := engine.Observe(ctx, plan)
	switch {
	case errors.Is(err, engines.ErrUnknown):
		return observed{Observation: engines.Observation{State: engines.Cancelled, Message: "it has no Job of the plan any more: somebody deleted it, it ended longer ago than ttl, or who submitted it was stopped before it was made"}, gone: true}, nil
	case errors.Is(err, engines.ErrOther): // so that of the plan is gone
		return observed{Observation: engines.Observation{State: engines.Cancelled, Message: err.Error()}, gone: true}, nil
	}
	return observed{Observation: o}, err
}
