package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"strandline/plans"
	"strandline/requests"
)

func newSubmit(a *app) *cobra.Command {
	var b backfill
	s := defaultSubmission
	cmd := &cobra.Command{
		Use:   "submit JOB",
		Short: "Put a backfill into the lake, for any worker to run",
		Long: `Plan a backfill as "strandline backfill" does, and put the plan into the lake instead of
running it. Any "strandline worker", and any "strandline run", of a configuration that has the
job picks it up; they share its partitions, and others go on where one is killed. It prints
the id of the request, of which commands take the first 8 digits or more.

What is computed, and from which rows, is decided now, whenever it is run. Submitting the
same again is the same request, also when some of it is published by then: one that is under
way stays as it is, and one that has ended goes on with the slices of which something is left.
Where newer rows have landed for it, it is another. With --recompute one that has ended begins
anew, and it is another where something that was missing was published since.

The plan is cut into slices, each of which a worker runs as one piece of work; --parallel is
how many of them run at a time, on all workers together. --atomic publishes all partitions
in one edit or none, and makes one slice, which one worker runs.`,
		Example: `  strandline backfill submit events_hourly --from 2026-01-01 --to 2027-01-01
  strandline backfill submit events_hourly --last 30d --dry-run
  strandline backfill submit events_hourly --stale --priority low --max-failures 10`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.jobFirst(args[0], errors.Join(b.check(cmd), s.check(cmd))); err != nil {
				return err
			}
			return a.submit(cmd, args[0], a.asking(b), s)
		},
	}
	b.flags(cmd)
	s.flags(cmd)
	return cmd
}

// submission are the flags of submit beside those of a backfill.
type submission struct {
	manner
	dryRun           bool
	slices, parallel int
	priority         string
}

// defaultSubmission is what is submitted where nobody says otherwise.
var defaultSubmission = submission{parallel: 4, priority: "normal"}

func (s *submission) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.dryRun, "dry-run", false, "print what would be recomputed, and submit nothing")
	cmd.Flags().IntVar(&s.slices, "slices", 0, "cut the plan into `N` slices, at most 1000; 0 is one for each 32 partitions")
	cmd.Flags().IntVar(&s.parallel, "parallel", s.parallel, "run `N` slices at a time, on all workers together")
	cmd.Flags().StringVar(&s.priority, "priority", s.priority, "low, normal or high, or a `NUMBER`, of which the highest goes first")
	s.manner.flags(cmd)
}

func (s *submission) check(cmd *cobra.Command) error {
	switch _, err := parsePriority(s.priority); {
	case err != nil:
		return misused(cmd, "--priority %w", err)
	case s.atomic && s.slices > 1:
		return misused(cmd, "--slices %d: what is published in one edit (--atomic) is one slice", s.slices)
	case s.parallel < 1:
		return misused(cmd, "--parallel %d: want at least 1", s.parallel)
	case s.slices < 0 || s.slices > requests.MaxSlices:
		return misused(cmd, "--slices %d: want 1 to %d, or 0 to have it decided", s.slices, requests.MaxSlices)
	}
	return s.manner.check(cmd)
}

func parsePriority(text string) (int, error) {
	switch text {
	case "low":
		return requests.PriorityLow, nil
	case "normal":
		return requests.PriorityNormal, nil
	case "high":
		return requests.PriorityHigh, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%q: want low, normal, high or a number", text)
	}
	return n, nil
}

func (a *app) submit(cmd *cobra.Command, jobName string, ask asking, s submission) (err error) {
	ctx := cmd.Context()
	l, err := a.openLake(ctx, s.dryRun, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	task, r, err := l.asked(cmd, jobName, ask, s.manner)
	if err != nil {
		return err
	}
	if s.dryRun {
		return a.dryRun(ctx, task, r, drive{manner: s.manner, parallel: s.parallel})
	}
	p, err := l.writePlan(ctx, task, r, s.atomic)
	if err != nil {
		return err
	}
	if len(p.Tasks) == 0 {
		return a.nothingSubmitted(p, jobName)
	}
	if err := l.lookout(a.note).all(ctx, jobName); err != nil {
		return err
	}
	entry := p.submission(s, who())
	joined, err := l.joinOrEnter(ctx, p, entry, func(looked *requests.Look, p planned, entry requests.Submission) error {
		s, err := l.left(ctx, p.File, entry)
		if err == nil {
			_, err = a.enter(ctx, l, p, s, looked)
		}
		return err
	})
	if err != nil || joined == nil {
		return err
	}
	return a.joined(joined)
}

// submission is what is entered for a plan.
func (p planned) submission(s submission, by string) requests.Submission {
	slices := s.slices
	if slices == 0 {
		slices = p.DefaultSlices()
	}
	priority, _ := parsePriority(s.priority) // which was checked
	return requests.Submission{
		Plan: p.id, Job: p.Job, Fingerprint: p.Fingerprint, Driver: p.Driver, Asked: p.Asked, Partitions: len(p.Tasks),
		Slices: slices, Parallel: s.parallel, MaxFailures: s.maxFailures, Priority: priority, By: by,
	}
}

// enter submits a request, and tells what came of it. live says that it was being worked on
// before, and so stays as it was.
func (a *app) enter(ctx context.Context, l *lake, p planned, s requests.Submission, looked *requests.Look) (live bool, err error) {
	before, _, err := l.submit(ctx, p.File, s, nil, looked)
	if err != nil {
		return false, err
	}
	all, err := l.requests.List(ctx)
	if err != nil {
		return false, err
	}
	for _, other := range all {
		if other.Plan == s.Plan && before != nil && other.Slices != s.Slices {
			if before.Ended() && hasGoneOn(all, before) {
				a.note("request %s stays in %s, since workers have some of them still", s.Plan.Short(), count(other.Slices, "slice"))
			}
			s.Slices = other.Slices
		}
		if other.Job == s.Job && other.Plan != s.Plan && !other.Ended() && other.Fingerprint == s.Fingerprint {
			a.note("request %s of job %s, %s, is %s too: where both have a partition, the one that comes second finds it done, or renews it", other.Plan.Short(), other.Job, other.Asked, other.State())
		}
	}
	f := submittedFact{Request: s.Plan.String(), Job: s.Job, Asked: s.Asked, Partitions: s.Partitions, Slices: s.Slices}
	text := fmt.Sprintf("request %s: %s of %s, %s, in %s%s", s.Plan.Short(), s.Driver, s.Job, count(s.Partitions, "partition"), count(s.Slices, "slice"), leftOf(len(p.plan.Left)))
	switch {
	case before == nil:
		f.State = requests.Waiting
	case before.Ended() && hasGoneOn(all, before):
		f.State, f.Before = requests.Waiting, before.State()
		goesOn := "goes on"
		if p.Again() {
			goesOn = "begins anew"
		}
		text = fmt.Sprintf("request %s was %s, and %s", s.Plan.Short(), before.State(), goesOn)
	default:
		f.State, f.Before = before.State(), before.State()
		text = fmt.Sprintf("request %s is there already: it is %s%s", s.Plan.Short(), before.State(), anewOf(s))
	}
	a.told(text)
	return before != nil && !before.Ended(), a.fact(f, "%s\n", f.Request)
}

// anewOf tells how to have a new Job of what a cluster runs.
func anewOf(s requests.Submission) string {
	if s.On == "" {
		return ""
	}
	return fmt.Sprintf("; once it has begun its Job stays as it was made: for a new one, strandline backfill cancel %s, and submit again", s.Plan.Short())
}

// told tells a person of what was submitted. Standard output has the id alone, for who keeps it in
// a variable, and with --json one object that says all.
func (a *app) told(text string) {
	if !a.json {
		a.note("%s", text)
	}
}

// nothingSubmitted tells that there is nothing to submit: standard output stays empty.
func (a *app) nothingSubmitted(p planned, jobName string) error {
	a.told(jobName + ": nothing is to be computed" + leftOf(len(p.plan.Left)))
	if !a.json {
		return nil
	}
	return a.fact(submittedFact{Job: jobName, State: requests.Done}, "")
}

// hasGoneOn tells whether a request was submitted anew since it was so.
func hasGoneOn(all []*requests.Request, before *requests.Request) bool {
	return slices.ContainsFunc(all, func(r *requests.Request) bool { return r.Plan == before.Plan && r.Entry != before.Entry })
}

// submittedFact is a request as submit tells of it.
type submittedFact struct {
	Request    string                `json:"request,omitempty"` // none where nothing is to be computed
	Job        string                `json:"job"`
	Asked      string                `json:"asked,omitempty"`
	State      requests.RequestState `json:"state"`
	Before     requests.RequestState `json:"before,omitempty"` // what it was, if it is not new
	Partitions int                   `json:"partitions"`
	Slices     int                   `json:"slices"`
}

// left says in a submission what is left of it by the table: one that was done before may not be any more, as after a
// rollback.
func (l *lake) left(ctx context.Context, f plans.File, s requests.Submission) (requests.Submission, error) {
	table, err := l.tables[s.Job].Snapshot(ctx)
	if err != nil {
		return s, err
	}
	progress := f.Progress(table)
	s.Left, s.Tried = progress.LeftOf(s.Slices), triedBy(progress)
	return s, nil
}

// submit enters a request whose plan is in the lake. A sweep may have removed the plan, if it
// was there from long ago, until the request was entered, which keeps it; so it is looked for
// again.
func (l *lake) submit(ctx context.Context, f plans.File, s requests.Submission, due *requests.Due, looked *requests.Look) (before *requests.Request, entered bool, err error) {
	if before, entered, err = l.requests.Submit(ctx, s, due, looked); err != nil {
		return before, false, err
	}
	_, err = plans.Write(ctx, l.store, f)
	return before, entered, err
}

// who is the person that runs this program, and where.
func who() string {
	name := "somebody"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		return name
	}
	return name + "@" + host
}
