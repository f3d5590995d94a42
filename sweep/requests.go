package sweep

import (
	"context"
	"slices"
	"time"

	"strandline/plans"
	"strandline/requests"
)

// queue is the lake's requests under sweep, whose files are the plans.
type queue struct {
	*requests.Queue
	grace  time.Duration
	dryRun bool
}

func (s *sweeper) openRequests(ctx context.Context) (owner, error) {
	q := queue{requests.Open(s.store, s.options.Log), s.options.Grace, s.options.DryRun}
	return q, q.Refresh(ctx)
}

// Names tells whether a request that is listed is of the plan.
func (q queue) Names(id string) (named bool) {
	plan, err := plans.ParseID(id)
	if err != nil {
		return true // which no key of a plan is
	}
	q.View(func(s *requests.State) { named = s.Has(plan) })
	return named
}

// Condemned is of no plan: its name is that of its content, so it may be put there again.
func (q queue) Condemned(string) bool { return false }

// condemn returns those plans that no request is of even now.
func (q queue) condemn(ctx context.Context, ids []string) ([]string, error) {
	if err := q.Refresh(ctx); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ids, q.Names), nil
}

func (q queue) finish(ctx context.Context, part *Part) error {
	if q.dryRun {
		return part.trim(q.PlanTrim(ctx, q.grace))
	}
	return part.trim(q.Trim(ctx, q.grace))
}
