package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"strandline/internal/digest"
	"strandline/manifests"
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
// time the second joins the first. Where one that has ended is of the same, that is entered, to go on.
func (l *lake) joinOrEnter(ctx context.Context, p planned, s requests.Submission, enter func(*requests.Look, planned, requests.Submission) error) (*ongoing, error) {
	for {
		looked, err := l.requests.Look(ctx)
		if err != nil {
			return nil, err
		}
		if r, err := l.doing(ctx, p, s, *looked); r != nil || err != nil {
			return r, err
		}
		p, s, err := l.goesOn(ctx, p, s, *looked)
		if err != nil {
			return nil, err
		}
		if err := enter(looked, p, s); !errors.Is(err, requests.ErrSince) {
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

// goesOn returns, in place of what is planned and to be submitted, the plan of a request that has ended where that was
// asked for in the same words, by the same code, and what is left of it is all that is planned, of the same rows: what
// was published of it since, or lost, makes the plan another, and not what is asked for.
func (l *lake) goesOn(ctx context.Context, p planned, s requests.Submission, all requests.Look) (planned, requests.Submission, error) {
	if p.Again() || s.On != "" || slices.ContainsFunc(all, func(r *requests.Request) bool { return r.Plan == p.id }) {
		return p, s, nil
	}
	table, err := l.tables[p.Job].Snapshot(ctx)
	if err != nil {
		return p, s, err
	}
	for _, r := range all {
		if !r.Ended() || r.On != "" || r.Job != p.Job || r.Fingerprint != p.Fingerprint || r.Driver != p.Driver || r.Asked != p.Asked {
			continue
		}
		file, err := l.plans.read(ctx, r.Plan)
		if err != nil || file.Atomic != p.Atomic || file.Order != p.Order || !l.readsAlike(file, p.File) || !sameLeft(file, p.File, table) {
			continue
		}
		if s.Slices == p.DefaultSlices() {
			s.Slices = r.Slices
		}
		p.File, p.id = file, r.Plan
		s.Plan, s.Partitions = r.Plan, r.Partitions
		return p, s, nil
	}
	return p, s, nil
}

// readsAlike tells whether two plans of a job read the tables of others at the same versions: an older one may have
// expired since its request has ended.
func (l *lake) readsAlike(a, b plans.File) bool {
	job, err := l.config.Job(a.Job)
	return err == nil && !slices.ContainsFunc(job.Tables(), func(table string) bool { return a.Read[table] != b.Read[table] })
}

// sameLeft tells whether by the table the same is left of two plans, of the same rows.
func sameLeft(a, b plans.File, table *manifests.Snapshot) bool {
	return !a.Again() && maps.Equal(leftWork(a, table), leftWork(b, table))
}

// leftWork is what is not done of a plan by the table: its partitions, each with the digest of its input.
func leftWork(f plans.File, table *manifests.Snapshot) map[string]digest.Hash {
	left, far := map[string]digest.Hash{}, f.Progress(table)
	for i, t := range f.Tasks {
		if far.States[i] != plans.Done {
			left[t.Partition] = t.Digest
		}
	}
	return left
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
