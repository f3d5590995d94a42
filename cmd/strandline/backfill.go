package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func newBackfill(a *app) *cobra.Command {
	var d drive
	var b backfill
	var e elsewhere
	cmd := &cobra.Command{
		Use:   "backfill JOB",
		Short: "Recompute the partitions of a range that are not fresh",
		Long: `Recompute and publish the partitions of a half-open range, --from included and
--to not, that are not fresh. Bounds are years, months, weeks (2026-W09), dates
(2026-03-01), hours (2026-03-01T15) or instants, in the job's time zone unless they
carry an offset, at the edges of partitions.

Without one of the two the range is open there. A bound that cuts a partition is refused,
unless --widen takes that in whole. --last 7d is of the partitions with any of the last 7
days, that of now among them, and --partition of those that it names, each of which must
be there: have rows, or be published. What range that is, is told.

Of a job that says "emit: on_close" partitions that are not closed are computed too, and it is
told which they are: the stream would wait, since rows are still expected.

All partitions are computed from the same input: the rows landed when the run
starts. What a stream publishes from newer input meanwhile stands. --dry-run prints them
in the order of the run, with what they cost and how long it takes as far as that is known.

Those that fail or are held stop no other (exit code 3); --max-failures ends the run once so many
have, and --atomic publishes nothing if one has. An interrupt ends it within seconds: what is
published stands, and starting it again does the rest. A second one exits at once.
With --json each step is an event.

Jobs that read the table are not computed too: a running "strandline run" renews them, or
"strandline backfill OTHER --stale" once this is done.

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
partition or the type of a column.

Several processes can share a backfill: --shard I/N does one of N parts of the partitions, of
about the same size, for arrays of a scheduler; --write-plan only puts the plan into the lake, for
"strandline work" to do slices of; and submit puts it there for the workers of the lake.

--on kubernetes has the partitions computed by pods of a cluster, as kubernetes of the
configuration says: docs/kubernetes.md. It puts the plan into the lake, makes a Job of it,
and tells how far it is by the table, until all is done. --max-failures counts partitions there too,
over all pods: the Job ends once so many have failed or were held.
Interrupted, it leaves the Job alone. The commands list, show, cancel, pause, resume and resize are for it too.`,
		Example: `  strandline backfill events_hourly --from 2026-03-01 --to 2026-04-01 --dry-run
  strandline backfill events_hourly --from 2026-03-01 --to 2026-04-01 --recompute
  strandline backfill events_hourly --last 7d --missing
  strandline backfill events_hourly --partition 2026-03-01 --partition 2026-03-04
  strandline backfill events_hourly --stale --dry-run     after the SQL was changed
  strandline backfill events_hourly --from 2026-01-01 --order oldest --max-failures 10
  strandline backfill events_hourly --rebuild
  strandline backfill events_hourly --last 90d --on kubernetes --parallel 40`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.jobFirst(args[0], errors.Join(b.check(cmd), b.together(cmd, d), e.check(cmd, b.rebuild, d))); err != nil {
				return err
			}
			if e.on != "" {
				return a.backfillOn(cmd, args[0], d, e, a.asking(b))
			}
			return a.drive(cmd, args[0], d, a.asking(b))
		},
	}
	d.flags(cmd)
	b.flags(cmd)
	e.flags(cmd)
	cmd.Flags().BoolVar(&b.rebuild, "rebuild", false, "recompute all partitions and replace the whole table")
	shardFlag(cmd, &b.shard)
	cmd.AddCommand(newSubmit(a), newRequests(a), newShow(a), newCancel(a), newPause(a), newResume(a), newResize(a))
	return leavesRoom(a, cmd)
}

// backfill are the flags of the backfill command.
type backfill struct {
	asked                  window.Asked
	again, rebuild         bool
	stale, missing, failed bool
	shard                  string
}

// flags are those that say which partitions are asked for, of the table as it stands.
func (b *backfill) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.asked.From, "from", "", "the `BOUND` where the range begins, included")
	cmd.Flags().StringVar(&b.asked.To, "to", "", "the `BOUND` where the range ends, not included")
	cmd.Flags().BoolVar(&b.asked.Widen, "widen", false, "take in whole the partitions that --from or --to cut")
	cmd.Flags().Var(durationFlag{&b.asked.Last}, "last", "the partitions with any of the last `DURATION`, such as 7d, up to that of now")
	cmd.Flags().StringArrayVar(&b.asked.Partitions, "partition", nil, "the partition of this `NAME`; may be given several times")
	cmd.Flags().BoolVar(&b.again, "recompute", false, "recompute fresh partitions too, and compare them with their receipts")
	cmd.Flags().BoolVar(&b.stale, "stale", false, "recompute what is stale, because of data or code, and nothing else")
	cmd.Flags().BoolVar(&b.missing, "missing", false, "recompute what was never published, and nothing else")
	cmd.Flags().BoolVar(&b.failed, "failed", false, "recompute what failed, and nothing else")
}

func (b backfill) check(cmd *cobra.Command) error {
	bounds, ways := changed(cmd, "from", "to") > 0, changed(cmd, "last", "partition")
	if bounds {
		ways++
	}
	ranged := ways > 0
	chosen := len(b.states()) > 0
	switch {
	case b.rebuild && (ranged || b.again || chosen):
		return misused(cmd, "--rebuild is of the whole table: it goes with no range, and with none of --recompute, --stale, --missing and --failed")
	case b.again && chosen:
		return misused(cmd, "--recompute asks for fresh partitions too, and --stale, --missing and --failed for none of them: choose")
	case ways > 1:
		return misused(cmd, "--from and --to, --last and --partition are three ways to give the range: choose one")
	case changed(cmd, "last") > 0 && b.asked.Last <= 0:
		return misused(cmd, "--last %s: want more than 0, such as 7d", window.FormatDuration(b.asked.Last))
	case b.asked.Widen && !bounds:
		return misused(cmd, "--widen is for --from and --to that cut a partition; --last and --partition are whole")
	case changed(cmd, "from") > 0 && b.asked.From == "", changed(cmd, "to") > 0 && b.asked.To == "":
		return misused(cmd, "--from and --to want a bound, such as 2026-03-01; leave out the one that the range is open at")
	case !ranged && !b.rebuild && !chosen:
		return misused(cmd, "give the range, as --from A --to B (B is not included; one of them alone is open at the other end), --last 7d or --partition P, what is wanted of all partitions, as --stale, --missing or --failed, or --rebuild for the whole table")
	}
	return nil
}

// together says which of the flags can't be had with one another, since one edit is no work to share.
func (b backfill) together(cmd *cobra.Command, d drive) error {
	switch {
	case b.rebuild && changed(cmd, "shard") > 0:
		return misused(cmd, "--rebuild replaces the whole table in one edit, so no --shard of it can")
	case b.rebuild && d.onlyPlan:
		return misused(cmd, "--rebuild replaces the whole table in one edit, which is no work to share: leave out --write-plan, and run it here")
	case d.atomic && changed(cmd, "shard") > 0:
		return misused(cmd, "--atomic publishes all partitions in one edit, of which a --shard does some: leave out one of both")
	}
	return given(cmd, "shard")
}

// changed counts the flags that were given.
func changed(cmd *cobra.Command, flags ...string) (n int) {
	for _, flag := range flags {
		if cmd.Flags().Changed(flag) {
			n++
		}
	}
	return n
}

// given is an error if one of the flags was given with nothing, as by a variable that is not set: that
// must not ask for all there is.
func given(cmd *cobra.Command, flags ...string) error {
	for _, flag := range flags {
		if changed(cmd, flag) > 0 && cmd.Flags().Lookup(flag).Value.String() == "" {
			return misused(cmd, "--%s is empty: leave it out, or say which", flag)
		}
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
	r = runner.Request{Driver: manifests.DriverBackfill, Rebuild: b.rebuild, Again: b.again, States: b.states(), Named: len(b.asked.Partitions) > 0}
	r.Ranges, err = b.asked.Intervals(job.Grain, time.Now())
	return r, err
}

// asking is what a backfill asks for, and tells of a range that a person did not write so.
func (a *app) asking(b backfill) asking {
	return asking{request: func(job window.Job) (runner.Request, error) {
		r, err := b.request(job)
		if err == nil {
			r.Shard, err = a.shard(b.shard)
		}
		if err == nil && (b.asked.Last > 0 || b.asked.Widen) {
			a.note("the range is %s", inWords(r.Ranges[0]))
		}
		return r, err
	}}
}
