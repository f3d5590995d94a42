package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"strandline/plans"
	"strandline/requests"
	"strandline/runner"
)

func newWorker(a *app) *cobra.Command {
	var parallel int
	o := requests.WorkerOptions{Lease: requests.DefaultLease, Poll: requests.DefaultPoll}
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run the backfills that were submitted to the lake",
		Long: `Run what "strandline backfill submit" has put into the lake, together with any number of
others, on any machine. Workers claim slices of requests in a log of the lake, so that in
the ordinary case nothing is computed twice; that they publish each partition once
does not depend on it. "strandline run" does the same beside its stream. On the machine of
one, this leaves it the processors whenever it wants them (--nice).

One that is killed, or gives no sign for its lease (--lease), loses its slices to others.
Should it only have slept, it finds that out when it wakes: whatever it computed meanwhile is
judged against the table as it is then, and what others published of the same or of
newer rows stands. An interrupt has it give back its slices at once, which is exit code 0.

A request of a job that this configuration does not have, or has other code of, is left to
others. One whose code was replaced in the table ends as failed: submit it again.

Of requests that another engine runs, such as Kubernetes, it enters the end where nobody
followed them.

With --once it ends when there is nothing that it could do, with exit code 3 if partitions
failed, or slices could not be run to their end.`,
		Example: `  strandline worker --parallel 8
  strandline worker --once     do what there is to do, and end`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := drive{parallel: parallel}
			if err := d.check(cmd); err != nil {
				return err
			}
			switch {
			case o.Poll < time.Millisecond:
				return misused(cmd, "--poll %v: want at least 1ms", o.Poll)
			case o.Lease < requests.LeastLease:
				return misused(cmd, "--lease %v: want at least %v", o.Lease, requests.LeastLease)
			}
			o.Slots = parallel
			err := a.work(cmd.Context(), o)
			if !o.Once {
				err = unlessStopped(cmd.Context(), err)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&o.Once, "once", false, "end when there is nothing to do")
	cmd.Flags().IntVar(&parallel, "parallel", defaultParallel(), "run `N` slices at a time")
	cmd.Flags().Var(durationFlag{&o.Poll}, "poll", "how often to look for requests, as `DURATION`; at most a second while it has work")
	cmd.Flags().Var(durationFlag{&o.Lease}, "lease", "after what `DURATION` without a sign of this worker others take its slices")
	return leavesRoom(a, cmd)
}

// work is the worker command.
func (a *app) work(ctx context.Context, o requests.WorkerOptions) (err error) {
	l, err := a.workLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	tasks, left, err := l.readyTasks(ctx)
	if err != nil {
		return err
	}
	if left != nil {
		a.note("strandline: requests of jobs that can't be run are left to others: %v", left)
	}
	said := newSaying(a)
	w := newWorking(l, tasks, o.Slots, runner.Slots{})
	w.done, w.tell = said.done, said.tell
	if o, err = w.options(o); err != nil {
		return err
	}
	o.Run = said.heard(o.Run)
	if !o.Once {
		a.note("waiting for requests in %s; interrupt to stop", l.config.Lake)
	}
	err = errors.Join(l.workBeside(ctx, requests.NewWorker(l.requests, o), o.Once, said.tell), said.err)
	if err == nil && o.Once {
		err = said.someFailed()
	}
	return err
}

// workBeside works, and looks after what other engines run beside it, or once before.
func (l *lake) workBeside(ctx context.Context, w *requests.Worker, once bool, tell func(format string, args ...any)) error {
	if once {
		if err := l.requests.Refresh(ctx); err != nil { // else both would tell it
			return err
		}
		return errors.Join(l.lookout(tell).all(ctx, ""), w.Work(ctx))
	}
	ctx, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { l.keepLooking(ctx, tell) })
	defer beside.Wait()
	defer stop()
	return w.Work(ctx)
}

// saying is what a worker prints, from several goroutines.
type saying struct {
	app *app

	mu     sync.Mutex
	err    error               // the first of standard output
	failed map[string]plans.ID // by table and name of the partitions whose last try failed, the request of that
	beside map[string]bool     // of these, those that were withheld for others
	broken map[sliceOf]bool    // the slices whose last try broke off
	ended  map[plans.ID]uint64 // the requests that ended as failed, since nobody can go on with them, as they were changed last by then
}

// sliceOf is a slice of a request.
type sliceOf struct {
	plan  plans.ID
	slice int
}

func newSaying(a *app) *saying {
	return &saying{app: a, failed: map[string]plans.ID{}, beside: map[string]bool{}, broken: map[sliceOf]bool{}, ended: map[plans.ID]uint64{}}
}

// heard returns run, which is heard of what comes of its slices.
func (s *saying) heard(run runs) runs {
	return func(ctx context.Context, r *requests.Request, slice int, enough <-chan struct{}) requests.Result {
		result := run(ctx, r, slice, enough)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.broken, sliceOf{r.Plan, slice})
		at, ended := s.ended[r.Plan]
		if ended && at != r.Changed { // it was resumed since
			delete(s.ended, r.Plan)
			ended = false
		}
		if result.Never && !ended { // else another of its slices has said so
			s.ended[r.Plan] = r.Changed
			s.app.note("strandline: request %s has ended as failed: %v", r.Plan.Short(), result.Err)
		}
		if result.Never {
			return result
		}
		if result.Err != nil && !result.Machine && ctx.Err() == nil {
			s.broken[sliceOf{r.Plan, slice}] = true
		}
		return result
	}
}

// runs is how a worker runs a slice.
type runs = func(ctx context.Context, r *requests.Request, slice int, enough <-chan struct{}) requests.Result

func (s *saying) done(r *requests.Request, o runner.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.app.done(r.Job, r.Driver, o); s.err == nil {
		s.err = err
	}
	name := r.Job + " " + o.Partition.String()
	delete(s.failed, name)
	delete(s.beside, name)
	if !o.OK() {
		s.failed[name] = r.Plan
	}
	if isWithheld(o) {
		s.beside[name] = true
	}
}

// someFailed says how to learn why partitions failed, or slices that could not be run; nil
// if none has.
func (s *saying) someFailed() error {
	shows := map[string]bool{}
	for _, plan := range s.failed {
		shows["strandline backfill show "+plan.Short()] = true
	}
	for broken := range s.broken {
		shows["strandline backfill show "+broken.plan.Short()] = true
	}
	for plan := range s.ended {
		shows["strandline backfill show "+plan.Short()] = true
	}
	what := count(len(s.failed)-len(s.beside), "partition") + someOf(len(s.beside), "withheld for others")
	if len(s.beside) == len(s.failed) {
		what = count(len(s.beside), "partition") + " withheld for others"
	}
	if len(shows) == 0 {
		return nil
	}
	var all []string
	if len(s.failed) > 0 {
		all = append(all, what)
	}
	if len(s.broken) > 0 {
		all = append(all, count(len(s.broken), "slice")+" could not be run to the end")
	}
	if len(s.ended) > 0 {
		all = append(all, count(len(s.ended), "request")+" ended as failed")
	}
	what = strings.Join(all, ", and ")
	return fmt.Errorf("%w: %s; to learn why: %s", errSomeFailed, what, strings.Join(slices.Sorted(maps.Keys(shows)), ", "))
}

func (s *saying) tell(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app.note("strandline: %s", withAdvice(fmt.Sprintf(format, args...)))
}
