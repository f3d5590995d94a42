package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newReplaySubmit(a *app) *cobra.Command {
	var r replay
	s := defaultSubmission
	cmd := &cobra.Command{
		Use:   "submit JOB",
		Short: "Put a replay into the lake, for any worker to run",
		Long: `Plan a replay as "strandline replay" does, which also says which rows it may be of, and put
the plan into the lake instead of running it, as "strandline backfill submit" does with a
backfill: any "strandline worker", and any "strandline run", of a configuration that has the job
works it. "strandline backfill list", show, pause, resume, resize and cancel are for it too.

Which partitions it is of, and from which rows they are computed, is decided now. Of those that
are fresh no receipt tells whether they have been recomputed: of these slices are counted, and one
that was broken off is done again as a whole, which changes nothing that is right. Submitting the
same again once it has ended does all of it again.`,
		Example: `  strandline replay submit events_hourly --arrival monday.ndjson
  strandline replay submit events_hourly --from-position 1200 --to-position 1300 --parallel 8`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ask, err := r.asking(cmd, a)
			if err = a.jobFirst(args[0], errors.Join(err, s.check(cmd))); err != nil {
				return err
			}
			return a.submit(cmd, args[0], ask, s)
		},
	}
	r.flags(cmd)
	s.flags(cmd)
	return cmd
}
