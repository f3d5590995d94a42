package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"strandline/internal/metrics"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func newRun(a *app) *cobra.Command {
	var once bool
	var parallel int
	poll := time.Second
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Follow what lands, and keep every table up to date",
		Long: `Follow what lands, by this process or another, and recompute and publish the
partitions that it makes stale. Streams that declare a folder (dir:) or a prefix of
a bucket (s3:) take in the files and objects that appear in it.

It serves posts to the streams that take them (http:) where "serve" says, and metrics at
/metrics. A post is answered when it has landed; with an Idempotency-Key it lands once.

It runs until it gets an interrupt, which is exit code 0, and needs nothing but the
lake to go on after it was killed. With --once it publishes what is missing or has
new data when it starts, and ends; what lands meanwhile may be left for the next run.
The exit code is then 3 for as long as partitions are failed or held. What is open of a
job that publishes on close (emit: on_close) stays so, and is counted. Partitions that
only the job's code made stale are left as they are until their data changes or a
backfill asks. What can't be computed since raw rows have expired (retain:) is not
tried; it is held where rows came for what is published, and else only counted. If
another process starts with a changed job, this one stops with exit code 4. A job whose
lookup can't be read, where the log of its table or of what it reads is damaged, or whose
stream is declared with a type or event time that its rows do not have, is left out, with those that read its table, and named.

Without --once it also submits the backfills that jobs repeat (schedule:), when they are
due, and runs what was submitted, by it or by "strandline backfill submit", as
"strandline worker" does: the stream goes first, and "backfill" in strandline.yaml says how
many of the --parallel partitions may be theirs.

Then it does upkeep too, as "maintenance" in strandline.yaml says: it merges
small segments every 10 minutes unless told otherwise, as "strandline compact" does, and
sweeps where asked, as "strandline sweep" does. It prints what was done as those would. Where a job is left
out for its lookup it does none, since it does not know what that job needs.`,
		Example: `  strandline run
  strandline run --once     settle what has landed, and end`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := drive{parallel: parallel}
			if err := d.check(cmd); err != nil {
				return err
			}
			if poll < time.Millisecond {
				return misused(cmd, "--poll %v: want at least 1ms", poll)
			}
			err := a.run(cmd.Context(), runner.StreamOptions{Parallel: parallel, Poll: poll, Once: once})
			if !once {
				err = unlessStopped(cmd.Context(), err)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "publish what is missing or has new data, and end; nothing is taken in from outside")
	cmd.Flags().IntVar(&parallel, "parallel", defaultParallel(), "recompute `N` partitions at a time")
	cmd.Flags().Var(durationFlag{&poll}, "poll", "how often to look for what other processes landed, as `DURATION`")
	return cmd
}

// unlessStopped is err, but nil where it only says that ctx has ended: to be stopped is how a
// process ends that would go on for ever, also while it starts.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (a *app) run(ctx context.Context, o runner.StreamOptions) (err error) {
	l, err := a.workLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	tasks, left, err := l.readyTasks(ctx)
	if err != nil {
		return err
	}
	unread, err := l.declareAll(ctx)
	if err != nil {
		return err
	}
	s := &streaming{app: a, lake: l, wake: make(chan struct{}, 1), metrics: metrics.New(), failed: map[string]error{}}
	o.Wake, o.Now = s.wake, time.Now
	o.Gate = runner.NewGate(o.Parallel, l.config.Backfill.Share.Of(o.Parallel), time.Now)
	o.Done, o.Trouble, o.Planned = s.done, s.trouble, s.planned
	o.Over = func(job string) { s.over(job, "it goes on") }
	o.InHand = newInHand(l, tasks, time.Now).has
	o.Registered = func(ctx context.Context, t *runner.Task) { l.tellOfOtherCode(ctx, t, s.note) }
	group, groupCtx := errgroup.WithContext(ctx)
	var startErr error
	if !o.Once {
		collectOften()
		if left != nil {
			s.trouble("run, without upkeep and without jobs that can't be run", left)
		}
		if unread != nil {
			s.trouble("run, without streams that can't be read", unread)
		}
		startErr = cmp.Or(s.start(groupCtx, group, tasks, left == nil), s.requests(groupCtx, group, tasks, o))
	}
	group.Go(func() error {
		if startErr != nil {
			return startErr // which ends what has been started before
		}
		return runner.Stream(groupCtx, tasks, o)
	})
	err = group.Wait()
	err = errors.Join(append(s.printErrs, err)...)
	if ctx.Err() == nil { // it ended by itself
		err = errors.Join(err, left, unread)
	}
	if o.Once && ctx.Err() == nil {
		for _, left := range a.settled(ctx, tasks) {
			err = joinNew(err, left) // which the stream may have said already
		}
		err = cmp.Or(err, s.someFailed())
	}
	return err
}

// start has group read every source, and do upkeep where the tasks are all: no row that a
// job needs may expire, and nothing be merged that a table contradicts.
func (s *streaming) start(ctx context.Context, group *errgroup.Group, tasks []*runner.Task, all bool) error {
	for _, source := range []func(context.Context, *errgroup.Group) error{s.dirs, s.prefixes, s.topics, s.http} {
		if err := source(ctx, group); err != nil {
			return err
		}
	}
	if all {
		s.upkeep(ctx, group, tasks)
	}
	s.app.note("following %s of %s; interrupt to stop", count(len(s.lake.config.Streams), "stream"), s.lake.config.Lake)
	return nil
}

// someFailed counts the partitions whose last try failed, and says what to do; nil if none did.
func (s *streaming) someFailed() error {
	if len(s.failed) == 0 {
		return nil
	}
	damaged := 0
	for _, err := range s.failed {
		if errors.Is(err, window.ErrDamage) {
			damaged++
		}
	}
	again := "running it again tries once more"
	switch {
	case damaged == len(s.failed):
		again = "restore what strandline check-lake names from a copy of the lake, and run it again"
	case damaged > 0:
		again += fmt.Sprintf("; for %d of them first restore what strandline check-lake names from a copy of the lake", damaged)
	}
	return fmt.Errorf("%w: %s; %s", errSomeFailed, count(len(s.failed), "partition"), again)
}

// seeHeld says where to go from held partitions, if there are any.
func seeHeld(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", strandline held lists the %d", n)
}

// settled ends a run that was to settle everything: it tells how each table
// stands now, and errs of each where partitions are left that only a person can mend.
func (a *app) settled(ctx context.Context, tasks []*runner.Task) (left []error) {
	for _, task := range tasks {
		plan, err := task.Overview(ctx)
		if isDamage(err) {
			continue // the stream has left it out, and says so
		}
		if err != nil {
			left = append(left, err)
			continue
		}
		n := plan.Tally()
		if !a.json {
			a.print("%s: %s\n", plan.Job.Name, describeTally(plan, task.Fits(ctx)))
		}
		if bad := n[window.Failed] + n[window.Held]; bad > 0 {
			left = append(left, fmt.Errorf("job %s: %w: %s failed or held; strandline plan %s shows why%s",
				plan.Job.Name, errSomeFailed, count(bad, "partition"), plan.Job.Name, seeHeld(n[window.Held])))
		}
	}
	return left
}

// streaming is what the run command prints, from several goroutines.
type streaming struct {
	app     *app
	lake    *lake
	wake    chan struct{}
	metrics *metrics.Set

	mu        sync.Mutex
	printErrs []error
	failed    map[string]error // of partitions whose last try failed, why it did, by table and name
}

// tell prints what upkeep did. That it can't be printed ends no upkeep, but is told
// when the run ends.
func (s *streaming) tell(print func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := print(); err != nil {
		s.printErrs = append(s.printErrs, err)
	}
}

// planned counts how far a table is closed.
func (s *streaming) planned(plan window.Plan) {
	var late int64
	for _, held := range plan.Held {
		late += held.Late.Rows
	}
	s.metrics.Closing(plan.Job.Name, plan.Watermark.At, plan.Open, late)
}

func (s *streaming) done(job string, o runner.Outcome) {
	s.told(job, manifests.DriverStream, o)
	s.mu.Lock()
	defer s.mu.Unlock()
	name := job + " " + o.Partition.String()
	delete(s.failed, name)
	if !o.OK() && !errors.Is(o.Err, landing.ErrExpired) { // that is never tried again; settled tells of it
		s.failed[name] = o.Err
	}
}

// told counts a partition if anything was computed, and prints what became of it.
func (s *streaming) told(job string, driver manifests.Driver, o runner.Outcome) {
	if o.Verdict != manifests.Already || o.Err != nil {
		s.metrics.Recomputed(job, outcomeFact(job, driver, o).State)
		s.metrics.Repeated(job, o.Repeated)
	}
	s.tell(func() error { return s.app.done(job, driver, o) })
}

func (s *streaming) trouble(what string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app.note("strandline: %s (going on)", withAdvice(fmt.Sprintf("%s: %v", what, err)))
}

// over says that trouble has passed.
func (s *streaming) over(what, how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app.note("strandline: %s: %s", what, how)
}
