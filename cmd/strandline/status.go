package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func newStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status [TABLE]",
		Short: "Show what has landed and how the tables stand",
		Long: `Show each stream's head position and what has landed in it, and each table's
version and how many of its partitions are fresh, stale, missing, failed, held or
set aside. With TABLE, show its partitions one by one.

Show also up to which event time each stream is complete, its watermark, and what
holds it there: the way in that is furthest behind. See docs/watermark.md.

All of it is derived from the logs of the lake: no data file is read.`,
		Example: `  strandline status
  strandline status events_hourly
  strandline status events_hourly --json    with each partition's receipt`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.status(cmd, args) },
	}
}

func (a *app) status(cmd *cobra.Command, args []string) (err error) {
	ctx := cmd.Context()
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	jobs, err := l.jobs(args)
	if err != nil {
		return err
	}
	defer l.readAhead(ctx, jobs)()
	var damage error
	if len(args) == 0 {
		for _, s := range l.config.Streams {
			err := a.streamStatus(ctx, l.streams[s.Name])
			switch {
			case isDamage(err):
				damage = errors.Join(damage, err)
			case err != nil:
				return err
			}
			if err := l.streams[s.Name].Agrees(); err != nil && len(l.config.JobsFrom(s.Name)) == 0 { // else its jobs tell
				a.note("note: %v", err)
			}
		}
	}
	err = l.eachTask(ctx, jobs, func(task *runner.Task) error {
		survey := task.Overview
		if len(args) > 0 {
			survey = task.Survey
		}
		plan, err := survey(ctx)
		if err != nil {
			return err
		}
		return a.tableStatus(ctx, l.tables[plan.Job.Name], plan, a.unfit(ctx, task), len(args) > 0)
	})
	if err == nil {
		return damage
	}
	return joinNew(damage, err)
}

// streamFact is what --json says of a stream.
type streamFact struct {
	Stream   string           `json:"stream"`
	Head     landing.Position `json:"head_position"` // exclusive
	Arrivals int64            `json:"arrivals"`
	Rejects  int64            `json:"rejects"`
	Expired  landing.Position `json:"expired_up_to,omitempty"`   // exclusive
	Gone     int64            `json:"expired_rejects,omitempty"` // of the rejects, those that have expired
	Pending  int64            `json:"pending_rejects"`           // that have neither expired nor landed again
	watermarkFact
}

func (a *app) streamStatus(ctx context.Context, s *landing.Stream) error {
	if err := s.ReadOn(ctx); err != nil {
		return err
	}
	fact := streamFact{Stream: s.Spec().Stream, Head: s.Next()}
	s.View(func(state *landing.State) {
		fact.Arrivals, fact.Rejects = state.Arrived()
		fact.Expired, fact.Gone = state.ExpiredUpTo(), state.ExpiredRejects()
		fact.Pending = state.PendingRejects()
		fact.watermarkFact = watermarkOf(state, time.Now())
	})
	gone := ""
	if again := fact.Rejects - fact.Gone - fact.Pending; again > 0 {
		gone = fmt.Sprintf(", of which %d landed again", again)
	}
	if fact.Expired > 0 {
		gone += fmt.Sprintf("; raw rows below %d have expired", fact.Expired)
	}
	if fact.Gone > 0 {
		gone += fmt.Sprintf(", and %s with them", count(int(fact.Gone), "reject"))
	}
	return a.fact(fact, "stream %s: positions [0, %d) of %s, %s%s\n  %s\n", fact.Stream, fact.Head, count(int(fact.Arrivals), "arrival"), count(int(fact.Rejects), "reject"), gone, describeWatermark(fact.watermarkFact))
}

// tableFact is what --json says of a table.
type tableFact struct {
	Table      string               `json:"table"`
	Version    manifests.Version    `json:"version"`
	Generation uint64               `json:"generation"`
	Rows       int64                `json:"rows"`
	Watermark  *time.Time           `json:"watermark,omitempty"` // up to which all that it reads is complete
	Partitions map[window.State]int `json:"partitions"`
	// NeedsRebuild says that nothing but a rebuild can compute the partitions.
	NeedsRebuild bool `json:"needs_rebuild,omitempty"`
	// Codes tells how many partitions are the work of which code.
	Codes []manifests.Share `json:"codes"`
	// Refused counts results refused as non-deterministic, ever.
	Refused int64 `json:"refused_non_deterministic"`
}

func (a *app) tableStatus(ctx context.Context, t *manifests.Table, plan window.Plan, unfit error, each bool) error {
	snapshot, err := t.Snapshot(ctx)
	if err != nil {
		return err
	}
	fact := tableFact{
		Table: t.Name(), Version: snapshot.Version, Generation: snapshot.Definition.Generation,
		Rows: snapshot.Rows(), Refused: snapshot.Refused, Partitions: map[window.State]int{},
		Codes: snapshot.Shares(), NeedsRebuild: errors.Is(unfit, manifests.ErrNeedsRebuild),
	}
	if plan.Watermark.Known {
		fact.Watermark = &plan.Watermark.At
	}
	for _, s := range plan.Tasks {
		fact.Partitions[s.State]++
	}
	if plan.Fresh > 0 {
		fact.Partitions[window.Fresh] += plan.Fresh
	}
	err = a.fact(fact, "table %s: version %d, %s, %s\n", fact.Table, fact.Version,
		count(int(fact.Rows), "row"), describeTally(plan, unfit))
	if err != nil {
		return err
	}
	if !a.json && len(fact.Codes) > 1 {
		a.print("  published are %s\n", describeShares(fact.Codes))
	}
	if !a.json && fact.Refused > 0 {
		a.print("  %s refused as non-deterministic\n", count(int(fact.Refused), "result"))
	}
	if !each {
		return nil
	}
	return a.standing(t.Name(), plan.Tasks)
}
