package main

import (
	"github.com/spf13/cobra"

	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func newBackfill(a *app) *cobra.Command {
	var d drive
	var b backfill
	cmd := &cobra.Command{
		Use:   "backfill JOB",
		Short: "Recompute the partitions of a range that are not fresh",
		Long: `Recompute and publish the partitions of a half-open range, --from included and
--to not, that are not fresh. Bounds are years, months, weeks (2026-W09), dates
(2026-03-01), hours (2026-03-01T15) or instants, in the job's time zone unless they
carry an offset, at the edges of partitions.

All partitions are computed from the same input: the rows landed when the run
starts. What a stream publishes from newer input meanwhile stands. A run that
was stopped is resumed by starting it again.

--recompute also recomputes fresh partitions, and compares: a receipt that is
reproduced stays as it is, other rows of the same input and code are refused as
non-deterministic (exit code 4). Published files found lost or damaged are repaired.

--stale renews the partitions that are stale and no others, of the whole table or of a
range: those that new rows came for, and those of old code, which nothing else renews
until new rows come. --missing and --failed ask for what was never published and for what
failed in the same way; several together ask for all of theirs.

A result that a check of the job blocks is held instead of published (exit code
3; "strandline held" lists them). Held partitions are not fresh: a backfill tries
them again, by the checks that the job has now.

--rebuild recomputes all partitions and replaces the whole table in one edit, or
leaves it as it is if one of them fails, or if newer input was published meanwhile
(exit code 4). It is the way to change a job's key, its
partition or the type of a column.`,
		Example: `  strandline backfill events_hourly --from 2026-03-01 --to 2026-04-01 --dry-run
  strandline backfill events_hourly --from 2026-03-01 --to 2026-04-01 --recompute
  strandline backfill events_hourly --stale --dry-run     after the SQL was changed
  strandline backfill events_hourly --rebuild`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := b.check(cmd); err != nil {
				return err
			}
			return a.drive(cmd, args[0], d, b.request)
		},
	}
	d.flags(cmd)
	cmd.Flags().StringVar(&b.from, "from", "", "the `BOUND` where the range begins, included")
	cmd.Flags().StringVar(&b.to, "to", "", "the `BOUND` where the range ends, not included")
	cmd.Flags().BoolVar(&b.again, "recompute", false, "recompute fresh partitions too, and compare them with their receipts")
	cmd.Flags().BoolVar(&b.stale, "stale", false, "recompute what is stale, because of data or code, and nothing else")
	cmd.Flags().BoolVar(&b.missing, "missing", false, "recompute what was never published, and nothing else")
	cmd.Flags().BoolVar(&b.failed, "failed", false, "recompute what failed, and nothing else")
	cmd.Flags().BoolVar(&b.rebuild, "rebuild", false, "recompute all partitions and replace the whole table")
	return cmd
}

// backfill are the flags of the backfill command.
type backfill struct {
	from, to               string
	again, rebuild         bool
	stale, missing, failed bool
}

func (b backfill) check(cmd *cobra.Command) error {
	ranged := cmd.Flags().Changed("from") || cmd.Flags().Changed("to")
	chosen := len(b.states()) > 0
	switch {
	case b.rebuild && (ranged || b.again || chosen):
		return misused(cmd, "--rebuild is of the whole table: it goes with no range, and with none of --recompute, --stale, --missing and --failed")
	case b.again && chosen:
		return misused(cmd, "--recompute asks for fresh partitions too, and --stale, --missing and --failed for none of them: choose")
	case ranged && (b.from == "" || b.to == ""), !ranged && !b.rebuild && !chosen:
		return misused(cmd, "give the range, as --from A --to B (B is not included), what is wanted of all partitions, as --stale, --missing or --failed, or --rebuild for the whole table")
	}
	return nil
}

// states are those that partitions must be in.
func (b backfill) states() (states []window.State) {
	for state, wanted := range map[window.State]bool{window.Stale: b.stale, window.Missing: b.missing, window.Failed: b.failed} {
		if wanted {
			states = append(states, state)
		}
	}
	return states
}

func (b backfill) request(job window.Job) (r runner.Request, err error) {
	r = runner.Request{Driver: manifests.DriverBackfill, Rebuild: b.rebuild, Again: b.again, States: b.states()}
	if b.from != "" {
		r.Range, err = window.ParseRange(b.from, b.to, job.Grain)
	}
	return r, err
}

func newReplay(a *app) *cobra.Command {
	var d drive
	var from int64
	cmd := &cobra.Command{
		Use:   "replay JOB --from-position N",
		Short: "Recompute the partitions that rows from a position on belong to",
		Long: `Recompute and publish every partition that a row at position N or later belongs
to, fresh or not. A partition whose receipt is reproduced stays as it is.

"strandline status" shows the positions of each stream.`,
		Example: `  strandline replay events_hourly --from-position 0`,
		Args:    takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("from-position") {
				return misused(cmd, "say where to start, as --from-position N (strandline status shows the positions)")
			}
			return a.drive(cmd, args[0], d, func(window.Job) (runner.Request, error) {
				return runner.Request{Driver: manifests.DriverReplay, From: landing.Position(from)}, nil
			})
		},
	}
	d.flags(cmd)
	cmd.Flags().Int64Var(&from, "from-position", 0, "the first `POSITION` whose partitions are recomputed")
	return cmd
}
