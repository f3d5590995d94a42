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
	var from, to string
	var again bool
	cmd := &cobra.Command{
		Use:   "backfill JOB --from A --to B",
		Short: "Recompute the partitions of a range that are not fresh",
		Long: `Recompute and publish the partitions of a half-open range, A included and B
not, that are not fresh. Bounds are dates (2026-03-01), hours (2026-03-01T15) or
instants, in UTC unless they carry an offset, at the edges of partitions.

All partitions are computed from the same input: the rows landed when the run
starts. What a stream publishes from newer input meanwhile stands. A run that
was stopped is resumed by starting it again.`,
		Example: `  strandline backfill events_hourly --from 2026-03-01 --to 2026-04-01 --dry-run
  strandline backfill events_hourly --from 2026-03-01 --to 2026-04-01 --recompute`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.drive(cmd, args[0], d, func(job window.Job) (runner.Request, error) {
				within, err := window.ParseRange(from, to, job.Grain)
				return runner.Request{Driver: manifests.DriverBackfill, Range: within, Again: again}, err
			})
		},
	}
	d.flags(cmd)
	cmd.Flags().StringVar(&from, "from", "", "where the range begins, included")
	cmd.Flags().StringVar(&to, "to", "", "where the range ends, not included")
	cmd.Flags().BoolVar(&again, "recompute", false, "recompute fresh partitions too, and compare them with their receipts")
	_ = cmd.MarkFlagRequired("from")
	_ = cmd.MarkFlagRequired("to")
	return cmd
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
			return a.drive(cmd, args[0], d, func(window.Job) (runner.Request, error) {
				return runner.Request{Driver: manifests.DriverReplay, From: landing.Position(from)}, nil
			})
		},
	}
	d.flags(cmd)
	cmd.Flags().Int64Var(&from, "from-position", 0, "the first `POSITION` whose partitions are recomputed")
	_ = cmd.MarkFlagRequired("from-position")
	return cmd
}
