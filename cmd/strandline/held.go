package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"strandline/internal/config"
	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/window"
)

func newHeld(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "held [TABLE]",
		Short: "List what is withheld for a person: by a check, since it came late, or since raw rows expired",
		Long: `List the results that were computed but not published, because a check that
their job declares did not pass, and what was wrong with them. List also the closed
partitions that rows came for, of a job that says "late: hold", with how many and how
late: release computes them again, drop leaves them as they are. List also the
partitions that rows came for after raw rows of theirs had expired (retain:):
what is published stands, since computed again it would have fewer rows. There is
no result of those to release; drop leaves them as they are, until more comes.

Look at a withheld result with "strandline query --candidate", then "strandline release" or
"strandline drop" it. It also ends when a newer result passes the checks.`,
		Example: `  strandline held
  strandline query --candidate "SELECT * FROM events_hourly"`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.held(cmd, args) },
	}
}

func (a *app) held(cmd *cobra.Command, args []string) (err error) {
	l, err := a.readLake(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	jobs, err := l.jobs(args)
	if err != nil {
		return err
	}
	told := 0
	for _, job := range jobs {
		snapshot, err := l.tables[job.Name].Snapshot(cmd.Context())
		if err != nil {
			return err
		}
		for _, c := range snapshot.Candidates() {
			if err := a.candidate(job.Name, c); err != nil {
				return err
			}
			told++
		}
		late, err := a.late(cmd.Context(), l, job)
		if err != nil {
			return err
		}
		told += late
	}
	if told == 0 {
		a.note("nothing is held")
	}
	return nil
}

// late surveys the partitions of a table that are held though no check did it: since rows
// came late, or came after raw rows of theirs had expired. Only a job that holds what is
// late, or a stream whose rows expired, has any, so that else no job is compiled.
func (l *lake) late(ctx context.Context, job config.Job) (plan window.Plan, err error) {
	var expired landing.Position
	for _, name := range job.Streams() {
		stream := l.streams[name]
		if err := stream.ReadOn(ctx); err != nil {
			return plan, err
		}
		stream.View(func(s *landing.State) { expired = max(expired, s.ExpiredUpTo()) })
	}
	if expired == 0 && job.Late != window.LateHold {
		return plan, nil
	}
	task, err := l.task(ctx, job)
	if err != nil {
		return plan, err
	}
	plan, err = task.Overview(ctx)
	plan.Tasks = slices.DeleteFunc(plan.Tasks, func(s window.Status) bool { return !s.Outlived() && !s.LateHeld() })
	return plan, err
}

// lateInputs are the inputs of the partitions of a table that late surveys.
func (l *lake) lateInputs(ctx context.Context, table string) (all []manifests.Late, err error) {
	job, err := l.config.Job(table)
	if err != nil {
		return nil, err
	}
	plan, err := l.late(ctx, job)
	if err != nil {
		return nil, err
	}
	for _, s := range plan.Tasks {
		all = append(all, manifests.Late{
			Partition: s.String(), Positions: plan.Read, InputRows: s.Input.Rows,
			InputDigest: s.Input.Digest, Fingerprint: plan.Fingerprint,
		})
	}
	return all, nil
}

// late lists what is held though no check did it, and counts it.
func (a *app) late(ctx context.Context, l *lake, job config.Job) (int, error) {
	plan, err := l.late(ctx, job)
	if err != nil {
		return 0, err
	}
	for _, s := range plan.Tasks {
		if err := a.fact(statusFact(job.Name, s), "%s  %-13s  %s  %s\n", job.Name, s, rowsOf(*s.Receipt), s.Reason()); err != nil {
			return 0, err
		}
	}
	return len(plan.Tasks), nil
}

func (a *app) candidate(table string, c manifests.Candidate) error {
	r := c.Receipt
	fact := partitionFact{
		Table: table, Partition: r.Partition, Start: r.Start, End: r.End, State: string(window.Held),
		Reason: strings.Join(c.Violations, "; "), Violations: c.Violations, InputRows: r.InputRows, InputDigest: r.InputDigest.String(), Receipt: &r,
	}
	return a.fact(fact, "%s  %-13s  %s  %s\n", table, r.Partition, rowsOf(r), fact.Reason)
}

func newRelease(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "release TABLE PARTITION…",
		Short: "Publish what is withheld for a person",
		Long: `Publish held results as they are, although a check did not pass: those of all the
partitions named, in one version, or none of them. It is refused where a result of
newer input or of other code has been published since, or a file of one is lost
or damaged.

A partition that rows came late for (late: hold) is computed again, with all its rows,
and published, or held if a check blocks that. Where both kinds are named, nothing is done unless all
of them are held. Then those that came late are published first, together in one
version, and the held results after them, in the next. If the second is refused, the
first stands; if one of the first fails, the second is not tried.

Of a partition that is held since raw rows of it expired there is no result to
release: see strandline drop.`,
		Example: `  strandline release events_hourly 2026-03-01`,
		Args:    takes(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.edit(cmd, args[0], func(l *lake, t *manifests.Table) (manifests.Version, error) {
				others, err := a.releaseLate(cmd.Context(), l, args[0], args[1:])
				if err != nil || len(others) == 0 {
					return t.Version(), err
				}
				scratch, err := l.scratch.Sub("held")
				if err != nil {
					return 0, err
				}
				version, err := publish.Release(cmd.Context(), l.store, t, scratch, others...)
				if errors.Is(err, manifests.ErrNotHeld) {
					err = l.noResult(cmd.Context(), args[0], others, err)
				}
				return version, err
			})
		},
	}
}

// noResult adds to the error of a release whose partitions are held, but not by a
// check.
func (l *lake) noResult(ctx context.Context, table string, partitions []string, err error) error {
	late, lookErr := l.lateInputs(ctx, table)
	if lookErr != nil {
		return errors.Join(err, lookErr)
	}
	for _, held := range late {
		if slices.Contains(partitions, held.Partition) {
			return fmt.Errorf("%w; %s is held since raw rows of it expired, so there is no result to release: strandline drop %s %s leaves it as it is published",
				err, held.Partition, table, held.Partition)
		}
	}
	return err
}

func newDrop(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "drop TABLE PARTITION…",
		Short: "Forget what is withheld for a person, and leave partitions as they are",
		Long: `Forget held results: those of all the partitions named, in one version, or none of
them. What is published stays, and the stream does not compute the partitions again
until rows come for them or the job changes.

A partition that is held since rows came late, or since raw rows of it expired, is left
as it is published, and is no longer listed until more rows come for it.`,
		Example: `  strandline drop events_hourly 2026-03-01
  strandline drop events_hourly 2026-03-01 2026-03-02`,
		Args: takes(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.edit(cmd, args[0], func(l *lake, t *manifests.Table) (manifests.Version, error) {
				late, lookErr := l.lateInputs(cmd.Context(), args[0])
				version, err := t.Drop(cmd.Context(), args[1:], late...)
				if errors.Is(err, manifests.ErrNotHeld) { // which it may be by what could not be looked at
					err = errors.Join(err, lookErr)
				}
				return version, err
			})
		},
	}
}
