package main

import (
	"context"
	"errors"
	"fmt"

	"strandline/internal/digest"
	"strandline/plans"
	"strandline/requests"
)

// ongoing is a request under way that does what is asked for anew, and its plan. What it has published drops out of
// what is planned now, so that the same asked for again is another plan of less.
type ongoing struct {
	*requests.Request
	file plans.File
}

// joinOrEnter returns the request under way that does all of a plan, or else has it entered as of the look that
// found none. If another comes in between, that is looked at in its turn: so of two who ask for the same at the same
// time the second joins the first.
func (l *lake) joinOrEnter(ctx context.Context, p planned, s requests.Submission, enter func(*requests.Look) error) (*ongoing, error) {
	for {
		looked, err := l.requests.Look(ctx)
		if err != nil {
			return nil, err
		}
		if r, err := l.doing(ctx, p, s, *looked); r != nil || err != nil {
			return r, err
		}
		if err := enter(looked); !errors.Is(err, requests.ErrSince) {
			return nil, err
		}
	}
}

// doing returns the request under way, of the same engine if that is named, that does all of a plan from the same
// input; nil if there is none, or it is of that very plan. Requests whose plans can't be read are passed over.
func (l *lake) doing(ctx context.Context, p planned, s requests.Submission, all requests.Look) (*ongoing, error) {
	if p.Again() { // of which no request tells whether it was done before or since
		return nil, nil
	}
	table, err := l.tables[p.Job].Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	var found *ongoing
	for _, r := range all {
		switch {
		case r.Ended() || r.Job != p.Job || r.Fingerprint != p.Fingerprint || r.Priority < s.Priority || s.On != "" && (r.On != s.On || elsewhereOf(r, s.Place) != nil):
		case r.Plan == p.id:
			return nil, nil
		case found == nil:
			if file, err := l.plans.read(ctx, r.Plan); err == nil && file.Atomic == p.Atomic && does(r, file, p.File, p.Progress(table)) {
				found = &ongoing{r, file}
			}
		}
	}
	return found, nil
}

// does tells whether a request does all of another plan that is not done: its slices that are not at their end yet have
// it, or those that are have tried it. That is not enough where nothing else is asked for.
func does(r *requests.Request, file, asked plans.File, far plans.Progress) bool {
	type work struct {
		partition string
		input     digest.Hash
	}
	does, tried := map[work]bool{}, map[work]bool{}
	for slice := range r.Slices {
		tasks, err := file.Slice(slice, r.Slices)
		if err != nil {
			return false // a log of requests that does not fit the plan tells nothing
		}
		of := tried
		if r.Lacks(slice) {
			of = does
		}
		for _, t := range tasks {
			of[work{t.Partition, t.Digest}] = true
		}
	}
	any := false
	for i, t := range asked.Tasks {
		if far.States[i] == plans.Done { // since it was planned
			continue
		}
		w := work{t.Partition, t.Digest}
		any = any || does[w]
		failed := far.States[i] == plans.Failed || far.States[i] == plans.Held
		if !does[w] && !(tried[w] && failed) {
			return false
		}
	}
	return any
}

// joined tells of a request under way in place of one that is submitted.
func (a *app) joined(r *ongoing) error {
	a.told(fmt.Sprintf("request %s does this already: %s of %s, %s; it is %s", r.Plan.Short(), r.Driver, r.Job, r.Asked, r.State()))
	f := submittedFact{Request: r.Plan.String(), Job: r.Job, Asked: r.Asked, State: r.State(), Before: r.State(), Partitions: r.Partitions, Slices: r.Slices}
	return a.fact(f, "%s\n", f.Request)
}
