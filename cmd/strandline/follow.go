package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"strandline/engines"
	"strandline/plans"
	"strandline/requests"
)

// followEvery is how often following looks at the table and the engine.
const followEvery = time.Second

// following tells how far a plan is that an engine runs. That comes from the plan and the
// table alone; the engine is asked whether it goes on at all.
type following struct {
	app    *app
	lake   *lake
	engine engines.Engine
	plan   planned
	asked  requests.Submission
	bar    progress

	looked *requests.Request // as it was before it was looked at last
	told   int               // partitions that the bar has, or slices
	state  string            // of the engine, as last told
}

func (a *app) following(l *lake, engine engines.Engine, p planned, s requests.Submission) *following {
	return &following{app: a, lake: l, engine: engine, plan: p, asked: s, bar: a.progress()}
}

// follow ends when the plan is done or its engine goes on no more, with the error that sets
// the exit code. Whatever becomes of following, the work goes on.
func (f *following) follow(ctx context.Context) error {
	if f.plan.Again() { // of which the table does not tell
		f.bar.Start(f.asked.Slices, "slices")
	} else {
		f.bar.Start(len(f.plan.Tasks), "partitions")
	}
	defer f.bar.Finish()
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		over, seen, err := f.look(ctx)
		if over {
			return f.end(ctx, seen)
		}
		if err == nil {
			select {
			case <-tick.C:
				continue
			case <-ctx.Done():
			}
		}
		return fmt.Errorf("following %s of %s ended, and the work goes on (strandline backfill show %s): %w",
			f.plan.Driver, f.plan.Job, f.plan.id.Short(), errors.Join(err, ctx.Err()))
	}
}

// look tells whether there is anything to wait for, and what the engine says; nil if it
// can't be asked.
func (f *following) look(ctx context.Context) (over bool, seen *observed, err error) {
	if f.looked, err = f.lake.requests.Find(ctx, f.plan.id.String()); err != nil {
		return false, nil, err
	}
	seen = f.observe(ctx)
	n, err := f.progress(ctx)
	if err != nil {
		return false, seen, err
	}
	done := n.Count[plans.Done]
	f.step(done, seen)
	// A partition that failed may have done so before, and be tried again now.
	return done == len(f.plan.Tasks) || seen != nil && seen.State.Ended(), seen, nil
}

// step moves the bar on to so many partitions, or to the slices that are done.
func (f *following) step(done int, seen *observed) {
	if f.plan.Again() {
		done = f.told
		if seen != nil && !seen.gone {
			done = min(seen.Succeeded, f.asked.Slices)
		}
	}
	f.bar.Step(done-f.told, "")
	f.told = done
}

func (f *following) progress(ctx context.Context) (plans.Progress, error) {
	table, err := f.lake.tables[f.plan.Job].Snapshot(ctx)
	if err != nil {
		return plans.Progress{}, err
	}
	return f.plan.Progress(table), nil
}

// observe asks the engine, and tells what is new about it. That it can't be reached ends
// nothing, and a plan that it does not know any more has ended.
func (f *following) observe(ctx context.Context) *observed {
	within, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	seen, err := observe(within, f.engine, f.looked)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		f.say(fmt.Sprintf("%s can't be asked (going on): %v", f.asked.On, err), "away")
		return nil
	case seen.odd != nil:
		f.say(fmt.Sprintf("%v (going on)", seen.odd), "odd")
		return nil
	}
	text := fmt.Sprintf("%s: %s, %d at a time", f.asked.On, seen.State, seen.Parallel)
	if seen.gone {
		text = f.asked.On + ": " + string(seen.State)
	}
	if seen.Message != "" && !seen.State.Ended() { // at the end the verdict has it
		text += ": " + seen.Message
	}
	f.say(text, fmt.Sprint(seen.State, seen.Parallel, seen.Message))
	return &seen
}

// say tells of a state of the engine once.
func (f *following) say(text, state string) {
	if f.state != state {
		f.state = state
		f.app.note("%s", visible(text))
	}
}

// followedFact is how a plan ended that an engine ran.
type followedFact struct {
	Event      string             `json:"event"` // finished
	Request    string             `json:"request"`
	Table      string             `json:"table"`
	Partitions int                `json:"partitions"`
	Done       int                `json:"done"`
	Failed     int                `json:"failed"`
	Held       int                `json:"held"`
	Left       int                `json:"not_done"`
	Untold     int                `json:"recomputed_or_left,omitempty"` // as in progressFact
	Failures   []requests.Failure `json:"failures"`
	Error      string             `json:"error,omitempty"` // what the engine says of an end before all was done
}

// end tells how it ended, and enters that for who lists requests.
func (f *following) end(ctx context.Context, seen *observed) error {
	var o engines.Observation
	if seen != nil {
		o = seen.Observation
	}
	n, err := f.progress(ctx)
	if err != nil {
		return err
	}
	end := outcomeOf(n, f.asked.Slices, seen)
	if o.State == engines.Done && end != nil {
		o.Message = end.Reason // which an engine has none for
	}
	fact := followedFact{
		Event: "finished", Request: f.plan.id.String(), Table: f.plan.Job, Partitions: len(f.plan.Tasks),
		Done: n.Count[plans.Done], Failed: n.Count[plans.Failed], Held: n.Count[plans.Held], Left: n.Count[plans.Left],
	}
	switch untold := n.Count[plans.Untold]; {
	case o.State == engines.Done:
		fact.Done += untold
	case o.Succeeded == 0: // none of its slices was run to its end
		fact.Left += untold
	default:
		fact.Untold = untold
	}
	whole := fact.Done == fact.Partitions
	if !whole {
		fact.Error = o.Message
	}
	fact.Failures, _, err = f.lake.failuresOf(ctx, f.looked)
	if end != nil && err == nil {
		end.Far = farOf(f.looked.As(*end), n)
		err = f.lake.settle(ctx, f.looked, *end)
	}
	return errors.Join(f.tell(fact), f.verdict(fact, o), err)
}

func (f *following) tell(fact followedFact) error {
	if f.app.json {
		return f.app.fact(fact, "")
	}
	for _, failure := range fact.Failures {
		f.app.print("%s %s: %s\n", fact.Table, failure.Partition, visible(failure.Reason))
	}
	f.app.print("%s of %s: %s, %d done, %d failed, %d held, %d left%s\n", f.plan.Driver, fact.Table,
		count(fact.Partitions, "partition"), fact.Done, fact.Failed, fact.Held, fact.Left, fact.untold())
	return nil
}

// untold tells of partitions that were computed again or not, which nobody knows.
func (f followedFact) untold() string {
	if f.Untold == 0 {
		return ""
	}
	return fmt.Sprintf(", %d recomputed or left", f.Untold)
}

// verdict is the error that sets the exit code.
func (f *following) verdict(fact followedFact, o engines.Observation) error {
	bad := fact.Failed + fact.Held
	switch {
	case fact.Done == fact.Partitions:
		return nil
	case bad > 0:
		return fmt.Errorf("%s of job %s: %w: %d of %d failed or are held, and %d are not done%s%s", f.plan.Driver, f.plan.Job, errSomeFailed, bad, fact.Partitions, fact.Left, fact.untold(), f.why(fact.shortened(o)))
	}
	return fmt.Errorf("%s of job %s ended with %d of %s done%s%s; what is published stands, and running it again does the rest",
		f.plan.Driver, f.plan.Job, fact.Done, count(fact.Partitions, "partition"), fact.untold(), f.why(o))
}

// shortened is what an engine says without the reasons that were told already, each for its partition.
func (f followedFact) shortened(o engines.Observation) engines.Observation {
	for _, failure := range f.Failures {
		if reason, _, _ := strings.Cut(failure.Reason, "\n"); reason != "" {
			o.Message = strings.ReplaceAll(o.Message, reason, "as told above")
		}
	}
	return o
}

func (f *following) why(o engines.Observation) string {
	if o.Message == "" {
		return fmt.Sprintf(" (%s says: %s)", f.asked.On, o.State)
	}
	return fmt.Sprintf(" (%s says: %s)", f.asked.On, o.Message)
}
