package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"strandline/engines"
	"strandline/requests"
)

// elsewhere are the flags of a backfill that another engine runs.
type elsewhere struct {
	on     string
	slices int
	detach bool
	place  *requests.Place // of the engine
}

func (e *elsewhere) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.on, "on", "", "have it run by `ENGINE` instead of here, which is kubernetes, and tell how far it is")
	cmd.Flags().IntVar(&e.slices, "slices", 0, "with --on, cut the plan into `N` slices, at most 1000; 0 is as the configuration says, or one for each 32 partitions")
	cmd.Flags().BoolVar(&e.detach, "detach", false, "with --on, end as soon as it is submitted")
}

func (e elsewhere) check(cmd *cobra.Command, rebuild bool, d drive) error {
	switch {
	case e.on == "" && changed(cmd, "slices", "detach") > 0:
		return misused(cmd, "--slices and --detach go with --on kubernetes")
	case changed(cmd, "on") > 0 && e.on != onKubernetes:
		return misused(cmd, "--on %q: want %s", e.on, onKubernetes)
	case e.on != "" && changed(cmd, "shard", "write-plan") > 0:
		return misused(cmd, "--on %s has a plan of its own worked: leave out --shard and --write-plan", e.on)
	case e.on != "" && rebuild:
		return misused(cmd, "--rebuild replaces the whole table in one edit, which one process does: leave out --on")
	case d.atomic && e.slices > 1:
		return misused(cmd, "--slices %d: what is published in one edit (--atomic) is one slice", e.slices)
	case e.slices < 0 || e.slices > requests.MaxSlices:
		return misused(cmd, "--slices %d: want 1 to %d, or 0 to have it decided", e.slices, requests.MaxSlices)
	case e.on != "" && d.parallel > requests.MaxSlices:
		return misused(cmd, "--parallel %d: want at most %d slices at a time", d.parallel, requests.MaxSlices)
	}
	return d.check(cmd)
}

// backfillOn plans a backfill, hands it to an engine, and tells how far it is until it ends. A dry run asks the
// engine what that would say, and prints what would be computed.
func (a *app) backfillOn(cmd *cobra.Command, jobName string, d drive, e elsewhere, ask asking) (err error) {
	ctx := cmd.Context()
	l, err := a.openLake(ctx, d.dryRun, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	engine, err := l.engineOn(e.on)
	if err != nil {
		return err
	}
	task, r, err := l.asked(cmd, jobName, ask, d.manner)
	if err != nil {
		return err
	}
	if e.place, err = placeOf(ctx, engine); err != nil {
		return err
	}
	// Nothing is written, the code of the table least of all, before the engine would take it.
	ready := func(p planned) error { return l.ready(ctx, engine, e.submission(cmd, l, d, p)) }
	if d.dryRun {
		if _, err := l.draftReady(ctx, task, r, d.atomic, ready); err != nil {
			return err
		}
		return a.dryRun(ctx, task, r, d)
	}
	p, err := l.writePlanOnce(ctx, task, r, d.atomic, ready)
	if err != nil {
		return err
	}
	if len(p.Tasks) == 0 {
		return a.nothingSubmitted(p, jobName)
	}
	if err := l.lookout(a.note).all(ctx, jobName); err != nil {
		return err
	}
	p, s, err := a.beginOrJoin(ctx, l, engine, p, e.submission(cmd, l, d, p))
	if err != nil || e.detach {
		return err
	}
	return a.following(l, engine, p, s).follow(ctx)
}

// ready is the error that an engine would meet with a request, or its workers with the plan, as far as that shows.
func (l *lake) ready(ctx context.Context, engine engines.Engine, s requests.Submission) error {
	if _, err := l.onlyHere(ctx, s); err != nil {
		return err
	}
	if err := engine.Ready(ctx, refOf(s), optionsOf(s)); err != nil {
		return err
	}
	return l.workersFit(ctx, engine, s.Job, s.Fingerprint)
}

// beginOrJoin begins what is asked for, unless a request under way on the same engine does all of it. It returns the
// one to be followed.
func (a *app) beginOrJoin(ctx context.Context, l *lake, engine engines.Engine, p planned, s requests.Submission) (planned, requests.Submission, error) {
	r, err := l.joinOrEnter(ctx, p, s, func(looked *requests.Look, p planned, s requests.Submission) error {
		return a.begin(ctx, l, engine, p, s, looked)
	})
	if err != nil || r == nil {
		return p, s, err
	}
	p, s = planned{File: r.file, id: r.Plan}, r.Submission
	return p, s, errors.Join(a.joined(r), l.hand(ctx, engine, s, true))
}

// begin enters what is asked for in the lake, and has its engine begin it: so whatever an engine runs is listed.
// Of a request that had ended the engine comes first: who looks in between finds it ended still, and not
// with a Job that has done it once already and is taken for the new one. Not of one that was cancelled, since
// what works it asks the lake whether it is. What the engine has begun is entered, whatever came since it was looked.
func (a *app) begin(ctx context.Context, l *lake, engine engines.Engine, p planned, s requests.Submission, looked *requests.Look) error {
	before, err := l.onlyHere(ctx, s)
	if err == nil {
		s, err = l.left(ctx, p.File, s)
	}
	if err != nil {
		return err
	}
	if before != nil && before.Ended() && before.State() != requests.Cancelled {
		o := optionsOf(s)
		o.Anew = true
		if s.Work, err = engine.Submit(ctx, refOf(s), o); err != nil {
			if !unanswered(err) {
				return fmt.Errorf("request %s stays %s in the lake, since %s did not begin it: %w", s.Plan.Short(), before.State(), s.On, err)
			}
			return fmt.Errorf("request %[1]s stays %[2]s in the lake, and %[3]s did not say that it has begun it: once it answers, the same again makes sure, and strandline backfill show %[1]s tells: %[4]w", s.Plan.Short(), before.State(), s.On, err)
		}
		_, err = a.enter(ctx, l, p, s, nil)
		return err
	}
	live, err := a.enter(ctx, l, p, s, looked)
	if err != nil {
		return err
	}
	if live && before != nil { // it stays as it was asked for and resized, by whatever Job
		s.Parallel, s.MaxFailures, s.Priority, s.Tried = before.Parallel, before.MaxFailures, before.Priority, before.Tried
	}
	return l.hand(ctx, engine, s, live)
}

// submission is what is asked for of a plan.
func (e elsewhere) submission(cmd *cobra.Command, l *lake, d drive, p planned) requests.Submission {
	s := submission{slices: e.slices, parallel: d.parallel, priority: "normal", manner: d.manner}
	if d.atomic {
		s.slices = 1
	}
	if s.slices == 0 {
		s.slices = l.config.Kubernetes.Slices
	}
	if changed(cmd, "parallel") == 0 {
		s.parallel = defaultPods // and not as many as this machine has processors
	}
	asked := p.submission(s, who())
	asked.On, asked.Place = e.on, e.place
	return asked
}

// defaultPods is how many slices run at a time in a cluster where nobody says.
const defaultPods = 4

// onlyHere returns the request as it is, nil if it is not there, and an error if it is under
// way on another engine, or in another place.
func (l *lake) onlyHere(ctx context.Context, s requests.Submission) (before *requests.Request, err error) {
	before, err = l.requests.Find(ctx, s.Plan.String())
	switch {
	case errors.Is(err, requests.ErrNoRequest):
		return nil, nil
	case err != nil || before.Ended():
		return before, err
	case before.On == s.On:
		return before, elsewhereOf(before, s.Place)
	}
	return nil, fmt.Errorf("request %s is %s, for the workers of the lake: cancel it first (strandline backfill cancel %[1]s), or have them run it", s.Plan.Short(), before.State())
}
