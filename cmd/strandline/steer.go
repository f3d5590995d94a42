package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"strandline/engines"
	"strandline/plans"
	"strandline/requests"
)

// steered is a request that is to be changed, and what its engine says of it; nil if that
// has nothing to say or can't be asked.
type steered struct {
	*requests.Request
	seen *observed
}

// steer changes a request that is under way: with its engine first, if that is another than the workers of the lake.
func (l *lake) steer(r steered, do func(engines.Engine) error, enter func() error) error {
	if r.On == "" || r.Ended() { // of which enter tells that it has
		return enter()
	}
	return l.engineFirst(r, do, enter)
}

// engineFirst has the engine of a request do what is then entered in the lake, so that the lake never says
// of a request what its engine has not taken. Whoever is broken off in between is told of by show, and the same
// again brings both together.
func (l *lake) engineFirst(r steered, do func(engines.Engine) error, enter func() error) error {
	if err := l.onEngine(r, do); err != nil {
		if !unanswered(err) {
			return fmt.Errorf("request %s is left as it is in the lake, since %s did not do this: %w", r.Plan.Short(), r.On, err)
		}
		return fmt.Errorf("request %s is left as it is in the lake, since %s did not say that it has done this; once it answers, the same again makes sure: %w", r.Plan.Short(), r.On, err)
	}
	return enter()
}

// onEngine has the engine of a request do something.
func (l *lake) onEngine(r steered, do func(engines.Engine) error) error {
	engine, err := l.engineOn(r.On)
	if err != nil {
		return err
	}
	return do(engine)
}

// resume has a request go on with the slices of which something is left: with its engine first, where there comes a new Job in place of one that has ended or
// is gone. One that was cancelled goes on in the lake first, since what works it asks there
// whether it is.
func (l *lake) resume(ctx context.Context, r steered, p plans.Progress) error {
	left := p.LackingOf(r.Slices)
	enter := func() error { return l.requests.Resume(ctx, r.Plan, left, triedBy(p), who()) }
	if r.On == "" || r.State() == requests.Done && len(left) == 0 { // of which enter tells that it has ended
		return enter()
	}
	goesOn := *r.Request
	goesOn.Left, goesOn.Tried = beginsOf(r.Request, p), triedBy(p)
	r.Request = &goesOn
	engine, err := l.engineOn(r.On)
	if err == nil {
		err = engine.Ready(ctx, refOf(r.Submission), optionsOf(r.Submission))
	}
	if err == nil {
		err = l.workersFit(ctx, engine, r.Job, r.Fingerprint)
	}
	if err != nil {
		return err
	}
	if r.State() != requests.Cancelled {
		var work string
		err := l.engineFirst(r, func(e engines.Engine) (err error) {
			work, err = goOn(ctx, e, r.Request)
			return err
		}, enter)
		if err != nil {
			return err
		}
		now, err := l.requests.Find(ctx, r.Plan.String())
		if err != nil {
			return err
		}
		return l.requests.Given(ctx, now, work)
	}
	if err := enter(); err != nil {
		return err
	}
	if err := unpause(ctx, engine, r.Request); err != nil {
		return fmt.Errorf("request %s goes on in the lake, and %s did not say that it does there; once it answers, the same again makes sure: %w", r.Plan.Short(), r.On, err)
	}
	return l.hand(ctx, engine, r.Submission, false)
}

// beginsOf are the slices that an engine is to begin of a request that goes on: those of which the table shows that
// something is left, and of what is computed again, of which it shows nothing, those that are not known to have been run well.
func beginsOf(r *requests.Request, p plans.Progress) []int {
	lacking := map[int]bool{}
	for _, slice := range p.LackingOf(r.Slices) {
		lacking[slice] = true
	}
	return slices.DeleteFunc(p.LeftOf(r.Slices), func(slice int) bool { return r.RanWell(slice) && !lacking[slice] })
}

// goOn has an engine go on with a request. What has ended there, or is gone, is begun anew.
func goOn(ctx context.Context, engine engines.Engine, r *requests.Request) (work string, err error) {
	if err := unpause(ctx, engine, r); err != nil {
		return "", err
	}
	o := optionsOf(r.Submission)
	o.Anew = r.Ended()
	return engine.Submit(ctx, refOf(r.Submission), o)
}

// unpause ends the pause of what an engine still has.
func unpause(ctx context.Context, engine engines.Engine, r *requests.Request) error {
	err := engine.Resume(ctx, r.Plan)
	if errors.Is(err, engines.ErrUnknown) {
		return nil
	}
	return err
}

// cancel ends a request in the lake first: who looks in between must not take its Job for
// lost, what works it asks there whether it was cancelled, and no engine that is away for good may keep a request from
// being ended. Until the engine has ended it too the lake says so. Of one that ended otherwise only what the
// engine still has of it is ended.
func (l *lake) cancel(ctx context.Context, r steered) error {
	far := l.farNow(ctx, r.Request)
	enter := func(untold string) error {
		o := requests.Outcome{Reason: untold, Far: far}
		if r.seen.goesOn() { // of which the cluster soon tells no more
			o.Succeeded, o.Failed, o.Well = min(r.seen.Succeeded, r.Slices), min(r.seen.Failed, max(0, r.Slices-r.seen.Succeeded)), r.seen.Well
		}
		return l.requests.Cancel(ctx, r.Plan, who(), o)
	}
	if r.On == "" {
		return enter("")
	}
	state := requests.Cancelled
	err := enter(fmt.Sprintf("%s has not said that it has ended it: strandline backfill cancel %s", r.On, r.Plan.Short()))
	if errors.Is(err, requests.ErrEnded) && r.seen.goesOn() {
		state, err = r.State(), nil
	}
	if err != nil {
		return err
	}
	err = l.onEngine(r, func(e engines.Engine) error { return e.Cancel(ctx, r.Plan) })
	switch {
	case err != nil && !isAny(err, engines.ErrUnknown, engines.ErrOther): // of these nothing of the plan is there
		return fmt.Errorf("request %[1]s is %[2]s in the lake, and %[3]s has not said that it has ended it, where %[4]s; once it answers, say strandline backfill cancel %[1]s again: %[5]w", r.Plan.Short(), state, r.On, r.stillRuns(), err)
	case state != requests.Cancelled:
		return nil
	}
	return enter("")
}

// farNow is how far a request is, for when its table tells no more; nil if that can't be told now either.
func (l *lake) farNow(ctx context.Context, r *requests.Request) *requests.Far {
	file, table, err := l.planAndTable(ctx, r)
	if err != nil || replacedBy(r, table.Definition) != "" || r.Ended() {
		return nil
	}
	return farOf(r, file.Progress(table))
}

// stillRuns says what an engine may go on with that can't be told that a request was cancelled.
func (r steered) stillRuns() string {
	text := fmt.Sprintf("up to %s may run", count(r.Parallel, "slice"))
	if r.seen.goesOn() {
		text = fmt.Sprintf("%s ran when it was asked last, of %d at a time", count(r.seen.Active, "slice"), r.seen.Parallel)
	}
	return text + ", each of which ends after the partition that it computes, as it asks the lake whether it is cancelled; what it publishes is right"
}
