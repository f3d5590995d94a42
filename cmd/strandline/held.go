package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"strandline/manifests"
	"strandline/window"
)

func newHeld(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "held [TABLE]",
		Short: "List the results that a check withheld",
		Long: `List the results that were computed but not published, because a check that
their job declares did not pass, and what was wrong with them.

Look at one with "strandline query --candidate", then "strandline release" or
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
	for _, job := range jobs {
		snapshot, err := l.tables[job.Name].Snapshot(cmd.Context())
		if err != nil {
			return err
		}
		for _, c := range snapshot.Candidates() {
			if err := a.candidate(job.Name, c); err != nil {
				return err
			}
		}
	}
	return nil
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
		Use:   "release TABLE PARTITION",
		Short: "Publish a result that a check withheld",
		Long: `Publish a held result as it is, although a check did not pass. It is refused
where a result of newer input or of other code has been published since.`,
		Example: `  strandline release events_hourly 2026-03-01`,
		Args:    takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.edit(cmd, args[0], func(t *manifests.Table) (manifests.Version, error) {
				return t.Release(cmd.Context(), args[1])
			})
		},
	}
}

func newDrop(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "drop TABLE PARTITION",
		Short: "Forget a result that a check withheld",
		Long: `Forget a held result. What is published stays, and the stream does not compute
the partition again until rows come for it or the job changes.`,
		Example: `  strandline drop events_hourly 2026-03-01`,
		Args:    takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.edit(cmd, args[0], func(t *manifests.Table) (manifests.Version, error) {
				return t.Drop(cmd.Context(), args[1])
			})
		},
	}
}
