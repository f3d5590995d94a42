package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"

	"strandline/engines"
	"strandline/internal/objstore"
	"strandline/requests"
)

func newRequests(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the backfills that were submitted, the newest first",
		Long: `List what was submitted, the newest first: the id, the job, what was asked for, where it
stands, how far it is and who asked. How far it is comes from its plan and the table, and so
from what is published, whoever has done it. The 200 that have ended last are listed.

Of what runs on Kubernetes the cluster is asked too, if the configuration has one. What has
ended there, and nobody followed, is entered in the lake.

It is waiting until a worker claims a slice, then running, or paused; in the end done,
failed in part (all was tried, and some partitions failed), failed (it could not go on) or
cancelled.`,
		Example: `  strandline backfill list
  strandline backfill list --json    one object a request`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listRequests(cmd.Context()) },
	}
}

func (a *app) listRequests(ctx context.Context) (err error) {
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	all, err := l.requests.List(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 && !a.json {
		a.note("nothing was submitted: strandline backfill submit does")
	}
	lookout := l.lookout(a.note)
	var wrong error
	for _, r := range all {
		f, damage, err := lookout.fact(ctx, r)
		if err == nil {
			err = a.fact(f, "%s\n", f.line())
		}
		if err != nil {
			return err
		}
		wrong = errors.Join(wrong, damage)
	}
	return wrong
}

// notEntered says of a lake that takes no entry what holds a request all the same.
func notEntered(use string, err error) error {
	if !errors.Is(err, objstore.ErrNotWritten) {
		return err
	}
	helps := "where the lake can be written again, say it again"
	if errors.Is(err, syscall.ENOSPC) {
		helps = "make room there, and say it again"
	}
	if use == "pause" || use == "cancel" {
		helps += "; to hold the request until then, stop what works on it: strandline worker and run"
	}
	return fmt.Errorf("%s could not be entered in the lake, and nothing is changed: %w; %s", use, err, helps)
}

// changing is a command that changes one request.
func changing(a *app, use, short, long string, change func(cmd *cobra.Command, l *lake, r steered) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " REQUEST", Short: short, Long: long, Example: "  strandline backfill " + use + " 3f2a9c41",
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			defer func() { err = notEntered(use, err) }()
			ctx := cmd.Context()
			l, err := a.writeLake(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, l.Close()) }()
			var r steered
			r.Request, err = l.requests.Find(ctx, args[0])
			if err == nil {
				r.Request, r.seen, err = l.lookout(a.note).look(ctx, r.Request)
			}
			if err != nil && !isDamage(err) {
				return err
			}
			if r.seen != nil && r.seen.elsewhere != nil && !r.seen.gone {
				return fmt.Errorf("nothing is changed: %w", r.seen.elsewhere)
			}
			if err := change(cmd, l, r); err != nil {
				return err
			}
			if r.Request, err = l.requests.Find(ctx, r.Plan.String()); err != nil {
				return err
			}
			f, damage, err := l.lookout(a.note).fact(ctx, r.Request)
			switch {
			case damage != nil:
				a.note("it is changed, though it can't be told how far it is: %v", damage)
			case err != nil:
				return err
			}
			return a.fact(f, "%s\n", f.line())
		},
	}
}

func newCancel(a *app) *cobra.Command {
	return changing(a, "cancel", "End a request; what is published stands",
		`End a request. Workers stop within seconds, between partitions: what is published stands,
and what they were computing is dropped. "strandline backfill resume" goes on with the rest
of its plan; so does submitting the same again, but where newer rows have landed it is planned
anew.

Of one on Kubernetes that can't be reached it says what may run still, and is to be said again.`,
		func(cmd *cobra.Command, l *lake, r steered) error {
			return l.cancel(cmd.Context(), r)
		})
}

func newPause(a *app) *cobra.Command {
	return changing(a, "pause", "Keep workers from a request until it is resumed",
		`Keep workers from a request until it is resumed. They stop within seconds, between
partitions. One on Kubernetes is paused there first: if that can't be reached, nothing is changed.`,
		func(cmd *cobra.Command, l *lake, r steered) error {
			ctx := cmd.Context()
			return l.steer(r, func(e engines.Engine) error { return e.Pause(ctx, r.Plan) }, func() error { return l.requests.Pause(ctx, r.Plan, who()) })
		})
}

func newResume(a *app) *cobra.Command {
	return changing(a, "resume", "Go on with a request that is paused, was cancelled or has failed",
		`Go on with a request that is paused, was cancelled or has failed, with what is left of its
plan: computed from the rows that it was planned with. To have newer rows, submit anew. What is
left is told by the table: what a rollback took back is published again, also of a request that
was done. Of one on Kubernetes whose Job has failed or is gone a new Job is made. One that was
planned with code which the table has no more is refused.`,
		func(cmd *cobra.Command, l *lake, r steered) error {
			ctx := cmd.Context()
			p, err := l.resumable(ctx, r.Request)
			if err != nil {
				return err
			}
			return l.resume(ctx, r, p)
		})
}

func newResize(a *app) *cobra.Command {
	var parallel int
	cmd := changing(a, "resize", "Change how many slices of a request run at a time",
		`Change how many slices of a request run at a time, on all workers together. With fewer,
those that run go on, and no other begins until enough have ended.`,
		func(cmd *cobra.Command, l *lake, r steered) error {
			if changed(cmd, "parallel") == 0 {
				return misused(cmd, "--parallel is missing: say how many slices are to run at a time, 1 to %d", requests.MaxSlices)
			}
			if parallel < 1 || parallel > requests.MaxSlices {
				return misused(cmd, "--parallel %d: want how many slices run at a time, 1 to %d", parallel, requests.MaxSlices)
			}
			ctx := cmd.Context()
			err := l.steer(r, func(e engines.Engine) error { return e.Resize(ctx, r.Plan, parallel) }, func() error { return l.requests.Resize(ctx, r.Plan, parallel, who()) })
			if err == nil {
				a.told(fmt.Sprintf("request %s runs %s at a time from now on", r.Plan.Short(), count(parallel, "slice")))
			}
			return err
		})
	cmd.Example += " --parallel 20"
	cmd.Flags().IntVar(&parallel, "parallel", 0, "run `N` slices at a time, on all workers together")
	return cmd
}
