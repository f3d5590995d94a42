package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"strandline/ingest"
	"strandline/internal/config"
	"strandline/landing"
)

func newRejects(a *app) *cobra.Command {
	var want wanted
	cmd := &cobra.Command{
		Use:   "rejects STREAM",
		Short: "List the arrivals that could not be read as rows, and land them again",
		Long: `List what arrived in a stream and could not be read as a row: where it came from
(file and line), why, and its bytes. --json has all that is known of each, an object a
line, for other programs to read.

Where the declaration was at fault, mend it, and --retry lands what can be read now:
by one commit, under the source and position that the rejects have. What was landed
with a --format or --delimiter of its own is read by that. A file of CSV that landed
with the wrong delimiter, and so as rejects alone, lands by --retry with its --source
and the right --delimiter. What still can't be read
stays, and why is printed. Each reject lands once, however often and wherever the
command is run; those that have landed are listed with --all only.

Where the data was at fault, print the bytes with --raw (of CSV, with its header), mend
them, and land the result. Those of Parquet, Arrow and Avro are JSON, and so land with
--format ndjson. The reject itself stays in the list, as it came. Where
files of CSV have different headers, --source says of which.

Rejects expire with the rows that came with them (retain:); how many have is told on
standard error.`,
		Example: `  strandline rejects events --by-reason
  strandline rejects events --retry --dry-run
  strandline rejects events --retry
  strandline rejects events --retry --source monday.csv --delimiter ';'
  strandline rejects events --raw --source monday.ndjson > mend.ndjson   # then mend it, and
  strandline land events mend.ndjson --format ndjson
  strandline rejects events --json > rejects.ndjson`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.rejects(cmd, args[0], want) },
	}
	cmd.Flags().BoolVar(&want.raw, "raw", false, "print the bytes alone, one reject a line")
	cmd.Flags().BoolVar(&want.byReason, "by-reason", false, "count them by reason, whatever the values and numbers in it")
	cmd.Flags().BoolVar(&want.retry, "retry", false, "land those that can be read by now")
	cmd.Flags().BoolVar(&want.dryRun, "dry-run", false, "with --retry: land nothing, and say what would be")
	cmd.Flags().StringVar(&want.delimiter, "delimiter", "", "with --retry: the `CHARACTER` between the cells of records of CSV, whatever they were landed with; \\t is a tab")
	cmd.Flags().BoolVar(&want.all, "all", false, "also those that have landed again")
	cmd.Flags().StringVar(&want.source, "source", "", "only rejects of the source of that `NAME`")
	cmd.Flags().StringVar(&want.since, "since", "", "only rejects that landed at or after a `TIME` such as 2026-03-01T12:00:00Z, or 2026-03-01")
	return cmd
}

// wanted says which rejects are printed, and how.
type wanted struct {
	raw, byReason, retry, dryRun, all bool
	source, since, delimiter          string
}

// check tells which flags don't go together.
func (w wanted) check(json bool) error {
	switch {
	case w.raw && json:
		return errors.New("choose --raw or --json, not both")
	case w.dryRun && !w.retry:
		return errors.New("--dry-run goes with --retry")
	case w.delimiter != "" && !w.retry:
		return errors.New("--delimiter goes with --retry")
	case w.raw && w.byReason, w.retry && (w.raw || w.byReason || w.all):
		return errors.New("choose one of --raw, --by-reason and --retry; and --retry without --all")
	}
	if w.delimiter == "" {
		return nil
	}
	_, err := delimiterOf(w.delimiter)
	return err
}

// chooses returns the filter that the flags ask for.
func (w wanted) chooses() (func(landing.LandedReject) bool, error) {
	var since time.Time
	if w.since != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, w.since); err != nil {
			return nil, fmt.Errorf("--since %q: want a time such as 2026-03-01T12:00:00Z", w.since)
		}
	}
	return func(r landing.LandedReject) bool {
		return (w.all || !r.Retried) && (w.source == "" || landing.KnownAs(w.source) == landing.KnownAs(r.Source)) && !r.LandedAt.Before(since)
	}, nil
}

func (a *app) rejects(cmd *cobra.Command, name string, want wanted) (err error) {
	if err := want.check(a.json); err != nil {
		return misused(cmd, "%v", err)
	}
	chosen, err := want.chooses()
	if err != nil {
		return misused(cmd, "%v", err)
	}
	if want.retry {
		return a.retryRejects(cmd.Context(), name, chosen, want)
	}
	return a.listRejects(cmd.Context(), name, chosen, want)
}

func (a *app) listRejects(ctx context.Context, name string, chosen func(landing.LandedReject) bool, want wanted) (err error) {
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	declared, err := l.config.Stream(name)
	if err != nil {
		return err
	}
	stream := l.streams[name]
	if err := stream.ReadOn(ctx); err != nil {
		return err
	}
	there, found := 0, 0
	each := func(tell func(landing.LandedReject) error) error {
		there, found = 0, 0
		return stream.Rejects(ctx, l.files, func(r landing.LandedReject) error {
			there++
			if !chosen(r) {
				return nil
			}
			found++
			return tell(r)
		})
	}
	if err := a.tellRejects(declared, want, each); err != nil {
		return err
	}
	switch {
	case found > 0:
	case there > 0:
		a.note("of %s in stream %s none is asked for (--source and --since choose, and --all lists those that have landed again too)", count(there, "reject"), name)
	default:
		a.note("stream %s has no rejects", name)
	}
	a.noteExpired(stream)
	return nil
}

// tellRejects prints rejects, of which each calls a function with one after the other.
func (a *app) tellRejects(s config.Stream, want wanted, each func(func(landing.LandedReject) error) error) error {
	switch {
	case want.raw:
		raw := a.rawRejects(ingest.Format(s.Format))
		if err := each(raw.look); err != nil {
			return err
		}
		if err := raw.begin(); err != nil {
			return err
		}
		return each(raw.print)
	case want.byReason:
		reasons := reasonCounts{}
		if err := each(reasons.add); err != nil {
			return err
		}
		return a.printReasons(s.Name, reasons)
	default:
		return each(a.printReject(s.Name))
	}
}

// printReject prints a reject.
func (a *app) printReject(stream string) func(landing.LandedReject) error {
	return func(r landing.LandedReject) error {
		again := ""
		if r.Retried {
			again = " (has landed again)"
		}
		return a.fact(newRejectFact(stream, r), "%s:%d: %s%s\n    %s\n", printable(r.Source), r.SourcePosition, r.Reason, again, excerpt(r.Raw))
	}
}

// noteExpired tells how many rejects of the stream can't be listed any more.
func (a *app) noteExpired(stream *landing.Stream) {
	var gone int64
	if stream.View(func(s *landing.State) { gone = s.ExpiredRejects() }); gone > 0 {
		a.note("besides, %s of stream %s expired with the rows that came with them (retain:)", count(int(gone), "reject"), stream.Spec().Stream)
	}
}

// rejectFact is what --json says of a reject. Raw is there where the bytes are
// text, and RawBase64 where they are not.
type rejectFact struct {
	Stream    string    `json:"stream"`
	Source    string    `json:"source"`
	Line      int64     `json:"source_position"`
	Reason    string    `json:"reason"`
	LandedAt  time.Time `json:"landed_at"`
	Retried   bool      `json:"landed_again,omitempty"`
	Raw       *string   `json:"raw,omitempty"`
	RawBase64 string    `json:"raw_base64,omitempty"`
	Cut       bool      `json:"cut,omitempty"` // only the beginning of the bytes was kept
	Format    string    `json:"format,omitempty"`
	Context   string    `json:"context,omitempty"`   // such as the header of a CSV file
	Delimiter string    `json:"delimiter,omitempty"` // that it was landed with, where it is not the stream's
}

func newRejectFact(stream string, r landing.LandedReject) rejectFact {
	fact := rejectFact{
		Stream: stream, Source: r.Source, Line: r.SourcePosition, Reason: r.Reason, LandedAt: r.LandedAt,
		Retried: r.Retried, Cut: r.Cut, Format: r.Format, Context: r.Context, Delimiter: r.Delimiter,
	}
	if utf8.Valid(r.Raw) {
		text := string(r.Raw)
		fact.Raw = &text
	} else {
		fact.RawBase64 = base64.StdEncoding.EncodeToString(r.Raw)
	}
	return fact
}

// excerpt shows the beginning of a reject's bytes safely on a terminal.
func excerpt(raw []byte) string {
	const most = 160
	if len(raw) <= most {
		return strconv.Quote(string(raw))
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(string(raw[:most])), len(raw))
}
