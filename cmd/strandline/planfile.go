package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"strandline/manifests"
	"strandline/plans"
	"strandline/runner"
	"strandline/window"
)

// planned is a plan that lies in the lake, and what it was made of.
type planned struct {
	plans.File
	id   plans.ID
	plan window.Plan
}

// writePlan plans a request by the code of this process, which becomes the table's if it
// is not yet, and puts the plan into the lake. A plan of nothing is not put there.
func (l *lake) writePlan(ctx context.Context, task *runner.Task, r runner.Request, atomic bool) (p planned, err error) {
	return l.writePlanOnce(ctx, task, r, atomic, nil)
}

// writePlanOnce is writePlan that writes nothing before ready was asked of what is planned as
// the table is now, if that is anything and ready is not nil.
func (l *lake) writePlanOnce(ctx context.Context, task *runner.Task, r runner.Request, atomic bool, ready func(planned) error) (p planned, err error) {
	// A request that can't be planned changes nothing, so it is planned first.
	if p, err = l.draftReady(ctx, task, r, atomic, ready); err != nil {
		return p, err
	}
	if err := l.registerForOthers(ctx, task, r.Driver); err != nil {
		return p, err
	}
	// And once more, for good: what older code published until it was replaced is stale.
	return l.planned(ctx, task, r, atomic)
}

// draftReady plans a request, writes nothing, and asks ready of what is planned, if that is anything and ready is not nil.
func (l *lake) draftReady(ctx context.Context, task *runner.Task, r runner.Request, atomic bool, ready func(planned) error) (p planned, err error) {
	p, err = l.draft(ctx, task, r, atomic)
	if err == nil && len(p.Tasks) > 0 && ready != nil {
		if _, p.id, err = p.Encode(); err == nil {
			err = ready(p)
		}
	}
	return p, err
}

// registerForOthers is register where others compute, who need that code too: so whoever gives the table
// other code is told so.
func (l *lake) registerForOthers(ctx context.Context, task *runner.Task, driver manifests.Driver) error {
	before, err := task.Generation(ctx)
	if err != nil {
		return err
	}
	now, err := l.register(ctx, task, driver)
	if err == nil && before > 0 && now != before {
		l.note("job %s has other code here than its table had: from now on whatever computes it needs the code of this configuration", task.Job().Name)
	}
	return err
}

// register makes the code of this process the table's, if it is not yet, for a person, who is told
// what that ends.
func (l *lake) register(ctx context.Context, task *runner.Task, driver manifests.Driver) (generation uint64, err error) {
	table := l.tables[task.Job().Name]
	before := table.Version()
	if generation, err = task.Register(ctx, driver); err == nil && table.Version() != before {
		l.tellOfOtherCode(ctx, task, l.note)
	}
	return generation, err
}

// planned is writePlan for a process whose code the table has.
func (l *lake) planned(ctx context.Context, task *runner.Task, r runner.Request, atomic bool) (p planned, err error) {
	if p, err = l.draft(ctx, task, r, atomic); err == nil && len(p.Tasks) > 0 {
		p.id, err = plans.Write(ctx, l.store, p.File)
	}
	return p, err
}

// draft plans a request, and writes nothing.
func (l *lake) draft(ctx context.Context, task *runner.Task, r runner.Request, atomic bool) (p planned, err error) {
	if p.plan, err = task.Plan(ctx, r); err == nil {
		p.File = plans.New(p.plan, plans.About{Driver: r.Driver, Asked: askedFor(r), Order: string(r.Order), Atomic: atomic})
	}
	return p, err
}

// askedOf is in words of which rows a replay is.
func askedOf(r runner.Request) string {
	text := "replay of rows"
	if r.Stream != "" {
		text += " of " + r.Stream
	}
	if r.Hours != nil {
		return text + " " + r.Rows
	}
	text += fmt.Sprintf(" from position %d", r.From)
	if r.To > 0 {
		text += fmt.Sprintf(" to %d", r.To)
	}
	return text
}

// askedFor is a request in words. What it says of time are instants, so that it is the
// same whenever it is read.
func askedFor(r runner.Request) string {
	var words []string
	for _, within := range append([]window.Interval{r.Range}, r.Ranges...) {
		if within != (window.Interval{}) {
			words = append(words, rangeOf(within))
		}
	}
	switch {
	case r.Driver == manifests.DriverReplay:
		words = append(words, askedOf(r))
	case len(words) == 0:
		words = append(words, "all of time")
	}
	for _, state := range r.States {
		words = append(words, string(state))
	}
	if r.Again {
		words = append(words, "recompute")
	}
	return strings.Join(words, ", ")
}

// rangeOf is a range in words, which may be open at an end.
func rangeOf(i window.Interval) string {
	from, to := i.Start.UTC().Format(time.RFC3339), i.End.UTC().Format(time.RFC3339)
	switch start, until := i.OpenAt(); {
	case start && until:
		return "all of time"
	case start:
		return "until " + to
	case until:
		return "from " + from + " on"
	}
	return from + " to " + to
}

// inWords is a range as it is, or, where it is open at an end, in words.
func inWords(i window.Interval) string {
	if start, until := i.OpenAt(); start || until {
		return rangeOf(i)
	}
	return i.String()
}
