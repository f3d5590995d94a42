package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func newReplay(a *app) *cobra.Command {
	var d drive
	var r replay
	cmd := &cobra.Command{
		Use:   "replay JOB",
		Short: "Recompute the partitions that some rows belong to",
		Long: `Recompute and publish every partition that some rows belong to, fresh or not. A
partition whose receipt is reproduced stays as it is.

The rows are those at position N and later, up to and without --to-position if that is
given, or those by which they came:

  --arrival NAME           what landed under that name, or has it as its source: a file as
                           "strandline land" or a watched folder named it, a log that is
                           tailed too, an object as s3://bucket/key, a post as its answer
                           says (http:…); all that did, where several did. NAME@VERSION is one version (ETag) of an
                           object, and the SHA-256 of a content, or its first digits, that
                           content. Of a file that landed under another name, its path.
  --kafka TOPIC/N:A-B      records of partition N of a topic at offsets A up to, not
                           including, B
  --key K                  what was posted with that Idempotency-Key
  --landed-from, -to TIME  all that landed then, the end not included; with --kafka and
                           --key, only those among it

"strandline arrivals STREAM" lists names, positions and times. Where the job is computed
from several streams, also by way of tables that it reads, --stream says of which the
rows are, unless just one of them takes posts (--key) or reads topics (--kafka). Of a table it is recomputed from what that has now: replay the table's own job
first.

A partition is touched by rows of the hours of event time that it reads, and so where
its windows, dedup, before: and after: reach over its edge too. The hours are those of
just these rows: of segments that hold others beside them, the rows are read to tell.

"strandline replay submit" has the workers of the lake do it.`,
		Example: `  strandline replay events_hourly --from-position 0
  strandline replay events_hourly --from-position 1200 --to-position 1300 --dry-run
  strandline replay events_hourly --arrival monday.ndjson
  strandline replay events_hourly --kafka orders/3:1000-2000
  strandline replay events_hourly --landed-from 2026-03-01T12:00:00Z --landed-to 2026-03-01T13:00:00Z`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ask, err := r.asking(cmd, a)
			if err != nil {
				return a.jobFirst(args[0], err)
			}
			return a.drive(cmd, args[0], d, ask)
		},
	}
	d.flags(cmd)
	r.flags(cmd)
	cmd.AddCommand(newReplaySubmit(a))
	return leavesRoom(a, cmd)
}

// replay are the flags of the replay command.
type replay struct {
	from, to             int64
	stream               string
	arrivals             []string
	kafka, key           string
	landedFrom, landedTo string
}

// flags are those that say which rows.
func (r *replay) flags(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&r.from, "from-position", 0, "the first `POSITION` whose partitions are recomputed")
	cmd.Flags().Int64Var(&r.to, "to-position", 0, "the `POSITION` before which the rows end; without it they go on to the newest")
	cmd.Flags().StringVar(&r.stream, "stream", "", "the `STREAM` whose rows they are, where the job is computed from several")
	cmd.Flags().StringArrayVar(&r.arrivals, "arrival", nil, "the rows that landed under this `NAME`; may be given several times")
	cmd.Flags().StringVar(&r.kafka, "kafka", "", "the rows of the `OFFSETS` of a partition, as TOPIC/PARTITION:FROM-TO")
	cmd.Flags().StringVar(&r.key, "key", "", "the rows that were posted with this Idempotency-`KEY`")
	cmd.Flags().StringVar(&r.landedFrom, "landed-from", "", "the rows that landed at or after a `TIME` such as 2026-03-01T12:00:00Z, or 2026-03-01")
	cmd.Flags().StringVar(&r.landedTo, "landed-to", "", "the rows that landed before a `TIME`")
}

// asking is what a replay asks for.
func (r replay) asking(cmd *cobra.Command, a *app) (ask asking, err error) {
	rows, err := r.rows(cmd)
	if rows != nil {
		ask.find = a.found(*rows)
	}
	ask.request = func(window.Job) (runner.Request, error) {
		return runner.Request{Driver: manifests.DriverReplay, From: landing.Position(r.from), To: landing.Position(r.to), Stream: r.stream}, nil
	}
	return ask, err
}

// rows are what the flags ask for by another thing than positions; nil: by these.
func (r replay) rows(cmd *cobra.Command) (*replayed, error) {
	positions, others := changed(cmd, "from-position", "to-position"), changed(cmd, "arrival", "kafka", "key")
	landed := changed(cmd, "landed-from", "landed-to")
	if err := given(cmd, "kafka", "key", "landed-from", "landed-to", "stream"); err != nil {
		return nil, err
	}
	switch {
	case slices.Contains(r.arrivals, ""):
		return nil, misused(cmd, "--arrival is empty: say the name under which the rows landed")
	case positions > 0 && others+landed > 0, others > 1, landed > 0 && changed(cmd, "arrival") > 0:
		return nil, misused(cmd, "positions, --arrival, --kafka and --key are ways to say which rows: choose one; --landed-from and --landed-to go alone, or with --kafka or --key")
	case positions+others+landed == 0:
		return nil, misused(cmd, "say of which rows, as --from-position N or --arrival NAME (strandline status shows the positions of each stream, strandline arrivals the names)")
	case positions > 0 && !cmd.Flags().Changed("from-position"):
		return nil, misused(cmd, "--to-position is the end of a range: say where it begins, as --from-position N")
	case r.from < 0, changed(cmd, "to-position") > 0 && r.to <= r.from:
		return nil, misused(cmd, "positions [%d, %d): want the first from 0 on, and the end, which is not included, after it", r.from, r.to)
	case positions > 0:
		return nil, nil
	}
	rows, err := r.chosen()
	if err != nil {
		return nil, misused(cmd, "%v", err)
	}
	return &rows, nil
}

// replayed are rows by what they came by.
type replayed struct {
	stream   string
	arrivals []string
	by       rowsBy // nil: of any source
	from, to time.Time
}

// words says which rows these are.
func (r replayed) words() string {
	switch {
	case len(r.arrivals) > 0:
		return "that landed as " + strings.Join(r.arrivals, ", ")
	case r.by != nil:
		return r.by.words() + r.during()
	}
	return "that landed" + r.during()
}

// chosen reads the flags.
func (r replay) chosen() (rows replayed, err error) {
	rows = replayed{stream: r.stream, arrivals: r.arrivals}
	if rows.from, err = instant("--landed-from", r.landedFrom); err != nil {
		return rows, err
	}
	if rows.to, err = instant("--landed-to", r.landedTo); err != nil {
		return rows, err
	}
	if !rows.from.IsZero() && !rows.to.IsZero() && !rows.from.Before(rows.to) {
		return rows, fmt.Errorf("--landed-from %s --landed-to %s: the time ends where it begins, or before", r.landedFrom, r.landedTo)
	}
	switch {
	case r.kafka != "":
		rows.by, err = byOffsets(r.kafka)
	case r.key != "":
		rows.by = byKey(r.key)
	}
	return rows, err
}

// instant reads the time that a flag gives, of which a date alone is its midnight in UTC; zero
// where it is not given.
func instant(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s %q: want a time such as 2026-03-01T12:00:00Z, or a date, which begins in UTC", flag, text)
}

// found completes the request of a replay by the hours of rows, and tells what was found.
func (a *app) found(rows replayed) func(context.Context, *lake, *runner.Task, *runner.Request) error {
	return func(ctx context.Context, l *lake, task *runner.Task, r *runner.Request) error {
		stream, err := task.Replays(l.ofWhich(task, rows))
		if err != nil {
			return err
		}
		if err := stream.Refresh(ctx); err != nil {
			return err
		}
		found, err := l.find(ctx, task, stream, rows)
		if err != nil {
			return fmt.Errorf("replay rows of stream %s: %w", stream.Spec().Stream, err)
		}
		a.note("replaying %s of stream %s, of %s of event time", count(int(found.Rows), "row"), stream.Spec().Stream, count(len(found.Hours), "hour"))
		if found.Gone > 0 {
			a.note("rows below position %d have expired, which some of these may be among: partitions of such rows can't be computed again", found.Gone)
		}
		r.Stream, r.Hours, r.Rows = stream.Spec().Stream, found.Hours, rows.words()
		return nil
	}
}

// ofWhich names the stream that rows are of: the one that was named or, of those that the
// job is computed from, the only one that takes posts, or has topics, where these are asked
// for; "" if that does not tell it.
func (l *lake) ofWhich(task *runner.Task, rows replayed) string {
	if rows.stream != "" {
		return rows.stream
	}
	var may []string
	for _, name := range task.Streams() {
		declared, err := l.config.Stream(name)
		if err != nil {
			continue
		}
		switch rows.by.(type) {
		case byKey:
			if declared.HTTP != nil {
				may = append(may, name)
			}
		case offsets:
			if declared.Kafka != nil {
				may = append(may, name)
			}
		}
	}
	if len(may) != 1 {
		return ""
	}
	return may[0]
}
