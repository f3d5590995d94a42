package requests

import (
	"context"
	"fmt"
	"math"
	"time"

	"strandline/internal/log"
	"strandline/plans"
)

// Trim removes what opening the log does not need, once it is older than the grace: nobody
// asks for an older state.
func (q *Queue) Trim(ctx context.Context, grace time.Duration) (log.Trim, error) {
	return trimmed(q.follow.Log().Trim(ctx, needed(grace)))
}

// PlanTrim says what Trim would remove.
func (q *Queue) PlanTrim(ctx context.Context, grace time.Duration) (log.Trim, error) {
	return trimmed(q.follow.Log().PlanTrim(ctx, needed(grace)))
}

func needed(grace time.Duration) log.Keep { return log.Keep{From: math.MaxUint64, Grace: grace} }

func trimmed(trim log.Trim, err error) (log.Trim, error) {
	if err != nil {
		err = fmt.Errorf("trim the log of requests: %w", err)
	}
	return trim, err
}

// Examine reads the whole log, past any fault, each of which is told to found, and step is
// told after each object that was read. It returns the plans that listed requests are of,
// as far as the log can be read. It errs only where the store can't be listed or ctx ends.
func Examine(ctx context.Context, store log.Store, found func(log.Finding), step func(key string)) (named []plans.ID, err error) {
	out, err := log.Examination[*State]{
		Log: log.New(store, prefix, log.Options{}), Empty: newState, Found: found, Step: step,
		Entry: func(log.Entry, *State, bool) {},
	}.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("examine the log of requests: %w", err)
	}
	for _, r := range out.State.Requests() {
		named = append(named, r.Plan)
	}
	return named, nil
}
