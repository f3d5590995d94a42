package runner

import (
	"context"
	"errors"
	"slices"
	"time"

	"strandline/internal/condemn"
	"strandline/manifests"
	"strandline/publish"
)

// commits publishes attempts as they come, each edit what gather takes. When ctx has
// ended, what was ready by then is still published, until late ends.
func (x *execution) commits(ctx, late context.Context, attempts <-chan attempt) error {
	defer close(x.gone)
	for first := range attempts {
		ready := x.gather(first, attempts)
		if x.together() && len(ready) < len(x.plan.Tasks)-int(x.untried.Load()) {
			x.takeBack(late, ready)
			return ctx.Err() // broken off: what is ready is not all that belongs together
		}
		err := x.commitOf(late, ready)
		if errors.Is(err, condemn.Err) {
			x.computeAgain(err, ready)
		} else if err != nil {
			return err
		}
		for _, a := range ready {
			if a.over != nil {
				close(a.over)
			}
		}
	}
	return nil
}

// together tells whether all results are published by one edit.
func (x *execution) together() bool {
	return x.options.Together || x.allOrNone()
}

// allOrNone tells whether nothing is published where one result is not fit to be.
func (x *execution) allOrNone() bool { return x.options.Atomic || x.options.Rebuild }

// commitOf publishes attempts in the way that the options say.
func (x *execution) commitOf(ctx context.Context, ready []attempt) error {
	switch {
	case x.options.Rebuild:
		return x.rebuild(ctx, ready)
	case x.options.Atomic && slices.ContainsFunc(ready, func(a attempt) bool { return a.err != nil || a.vain }):
		return x.refuse(ctx, ready)
	}
	return x.commit(ctx, ready)
}

// takeBack removes what attempts brought up that will not be published.
func (x *execution) takeBack(ctx context.Context, attempts []attempt) {
	var sealed []publish.Sealed
	for _, a := range attempts {
		if a.err == nil && !a.vain {
			sealed = append(sealed, a.sealed)
		}
	}
	x.publisher.Abandon(ctx, sealed)
}

func (x *execution) computeAgain(swept error, attempts []attempt) {
	x.swept = swept
	for _, a := range attempts {
		x.again = append(x.again, a.status)
	}
}

// gather takes what one edit is to publish: all that is to come where it belongs together, and
// else what is ready soon.
func (x *execution) gather(first attempt, attempts <-chan attempt) []attempt {
	if x.together() {
		return gatherAll(first, attempts)
	}
	return gatherFor(gatherWhile, first, attempts)
}

// gatherWhile is how long a result waits for others at most: each
// edit is a version of the table, of which people keep so many and no more.
const gatherWhile = time.Second

func gatherAll(first attempt, attempts <-chan attempt) []attempt {
	ready := []attempt{first}
	for a := range attempts {
		ready = append(ready, a)
	}
	return ready
}

// gatherFor takes what is ready before a while is over. Once no more is to come, which is so
// too when the run is told to end, or something is waited for, it waits for nothing.
func gatherFor(while time.Duration, first attempt, attempts <-chan attempt) []attempt {
	ready, over := []attempt{first}, time.NewTimer(while)
	defer over.Stop()
	for ready[len(ready)-1].over == nil {
		select {
		case a, more := <-attempts:
			if !more {
				return ready
			}
			ready = append(ready, a)
		case <-over.C:
			return ready
		}
	}
	return ready
}

// commit publishes or holds what is fit to be, and records failures, by one edit.
func (x *execution) commit(ctx context.Context, ready []attempt) error {
	var sealed []publish.Sealed
	for _, a := range ready {
		if a.err == nil {
			sealed = append(sealed, a.sealed)
		}
	}
	published, err := x.publisher.Commit(ctx, sealed, x.failures(ready), x.options.Atomic)
	if err != nil {
		return err
	}
	x.tellAll(ready, published)
	return nil
}

// refuse publishes nothing of an atomic run in which a partition is not fit to be published. What failed is
// recorded, what a check blocks is held, and published files that were lost are replaced.
func (x *execution) refuse(ctx context.Context, ready []attempt) error {
	var kept, withheld []publish.Sealed
	for _, a := range ready {
		switch s := a.sealed; {
		case a.err != nil || a.vain:
		case s.Unchanged || s.Repairs != nil || len(s.Violations) > 0:
			kept = append(kept, s)
		default:
			withheld = append(withheld, s)
		}
	}
	published, err := x.publisher.Commit(ctx, kept, x.failures(ready), false)
	if err != nil {
		return err
	}
	x.publisher.Abandon(ctx, withheld)
	for _, s := range withheld {
		published.Verdicts[s.Receipt.Partition] = manifests.Withheld
	}
	for _, a := range ready {
		if a.vain {
			published.Verdicts[a.status.String()] = manifests.Withheld
		}
	}
	x.tellAll(ready, published)
	return nil
}

// failures are those of attempts that last until data or code change.
func (x *execution) failures(ready []attempt) (lasting []manifests.Failure) {
	for _, a := range ready {
		if a.lasting {
			lasting = append(lasting, x.failure(a))
		}
	}
	return lasting
}

func (x *execution) tellAll(ready []attempt, published manifests.Outcome) {
	slices.SortFunc(ready, func(a, b attempt) int { return a.status.Start.Compare(b.status.Start) })
	outcomes := make([]Outcome, len(ready))
	for i, a := range ready {
		outcomes[i] = outcomeOf(a, published)
	}
	why := hindrance(outcomes)
	for i, o := range outcomes {
		if o.Verdict == manifests.Withheld {
			o.Beside = why
		}
		x.tell(ready[i], o)
	}
}

// rebuild publishes all results as the whole table, or none.
func (x *execution) rebuild(ctx context.Context, ready []attempt) error {
	var sealed []publish.Sealed
	published := manifests.Outcome{Verdicts: map[string]manifests.Verdict{}}
	verdict := manifests.Swap
	for _, a := range ready {
		if !a.vain {
			sealed = append(sealed, a.sealed)
		}
		if a.vain || a.err != nil || len(a.sealed.Violations) > 0 {
			verdict = manifests.Withheld
		}
	}
	if verdict == manifests.Withheld {
		x.publisher.Abandon(ctx, sealed)
	} else {
		var err error
		if published.Version, err = x.publisher.Rebuild(ctx, x.task.compiled.Definition(), x.plan.Read, sealed); err != nil {
			return err
		}
	}
	for _, a := range ready {
		published.Verdicts[a.status.String()] = verdict
	}
	x.tellAll(ready, published)
	return nil
}

func (x *execution) failure(a attempt) manifests.Failure {
	return manifests.Failure{
		Partition: a.status.String(), Start: a.status.Start, End: a.status.End,
		Fingerprint: x.plan.Fingerprint, InputDigest: a.status.Input.Digest, Reason: a.err.Error(),
	}
}

func (x *execution) tell(a attempt, o Outcome) {
	if o.failed() && !a.failed() && !o.Before && o.Verdict != manifests.Withheld {
		x.budget.spend() // only the fence could know it
	}
	x.report.Outcomes = append(x.report.Outcomes, o)
	if x.options.Done != nil {
		x.told.Lock()
		defer x.told.Unlock()
		x.options.Done(o)
	}
}
