package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strandline/internal/datafile"
	"strandline/internal/duck"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func newReceipt(a *app) *cobra.Command {
	var at int64
	var sql bool
	cmd := &cobra.Command{
		Use:   "receipt TABLE PARTITION",
		Short: "Show a partition's receipt in full, or SQL to check it by hand",
		Long: `Show what a published partition was computed from and what came out: positions,
input digest, fingerprint and what of the job it is of, row digest, its files, and the arrivals and segments
that its rows came from. --at VERSION shows the receipt that stood then.

--sql prints statements for the plain DuckDB shell that derive the row digest
from the published files, and the input digest from the segments, without
Strandline: what they print is to be what the receipt says.`,
		Example: `  strandline receipt events_hourly 2026-03-01
  strandline receipt events_hourly 2026-03-01 --at 3 --json
  strandline receipt events_hourly 2026-03-01 --sql | duckdb`,
		Args: takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var version *manifests.Version
			if cmd.Flags().Changed("at") {
				if at < 1 {
					return misused(cmd, "--at %d: want a version such as 12", at)
				}
				v := manifests.Version(at)
				version = &v
			}
			return a.receipt(cmd, args[0], args[1], version, sql)
		},
	}
	cmd.Flags().Int64Var(&at, "at", 0, "the receipt as of `VERSION`")
	cmd.Flags().BoolVar(&sql, "sql", false, "print DuckDB SQL that derives the receipt's digests again")
	return cmd
}

// origin is what a receipt's rows of one stream came from.
type origin struct {
	in       window.Input
	stream   *landing.Stream
	hours    landing.Hours
	known    bool // the hours are those that were read, and not only those that are read now
	upTo     landing.Position
	segments []landing.Segment
	arrivals []landing.Arrival
	expired  error // landing.ErrExpired where the segments are not all there any more
}

func (a *app) receipt(cmd *cobra.Command, table, partition string, at *manifests.Version, sql bool) (err error) {
	l, err := a.readLake(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	task, err := l.namedTask(cmd.Context(), table)
	if err != nil {
		return err
	}
	span := ""
	published, err := task.Published(cmd.Context(), at, func(s *manifests.Snapshot) []manifests.Receipt {
		r, is := s.Receipt(partition)
		if !is {
			span = publishedSpan(s.Receipts())
			return nil
		}
		return []manifests.Receipt{r}
	})
	if err != nil {
		return err
	}
	if len(published) == 0 {
		return fmt.Errorf("receipt of table %s: %w: %s is not published%s", table, runner.ErrNoPartition, partition, span)
	}
	s := published[0]
	from, err := l.origins(cmd.Context(), task, s)
	if err != nil {
		return err
	}
	var code *manifests.Definition // nil where it is not recorded
	if known, recorded, err := task.Code(cmd.Context(), at, s.Receipt.Fingerprint); err != nil {
		return err
	} else if recorded {
		code = &known
	}
	if sql {
		a.print("%s%s", l.prologue(), l.receiptSQL(table, s, from))
		return nil
	}
	if a.json {
		return writeJSON(a.out, l.receiptFact(table, s, from, code))
	}
	a.print("%s", l.describeReceipt(table, s, from, code))
	return nil
}

func publishedSpan(published []manifests.Receipt) string {
	if len(published) == 0 {
		return ": nothing is published"
	}
	return fmt.Sprintf(": there are %d, from %s to %s", len(published), published[0].Partition, published[len(published)-1].Partition)
}

// origins are those of all streams that the job reads.
func (l *lake) origins(ctx context.Context, task *runner.Task, s window.Status) ([]origin, error) {
	var out []origin
	job, known := s.ReadBy(task.Job())
	for _, in := range job.Inputs {
		if in.Table {
			continue
		}
		o := origin{in: in, known: known, stream: l.streams[in.Name], hours: job.Hours(in, s.Partition), upTo: landing.Position(s.Receipt.Positions[in.At()])}
		if err := o.find(ctx); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// find finds the segments with rows of the partition's bucket-hours below
// the receipt's positions, and the arrivals they came by.
func (o *origin) find(ctx context.Context) error {
	o.stream.View(func(state *landing.State) { o.segments, o.expired = state.SegmentsOf(o.hours, o.upTo) })
	if len(o.segments) == 0 {
		return nil
	}
	from, to := o.segments[0].Base, o.segments[len(o.segments)-1].End()
	return o.stream.Arrivals(ctx, from, to, func(arrival landing.Arrival) error {
		if slices.ContainsFunc(o.segments, func(g landing.Segment) bool { return g.Base < arrival.To && arrival.From < g.End() }) {
			o.arrivals = append(o.arrivals, arrival)
		}
		return nil
	})
}

// fullReceiptFact is what --json says of one receipt.
type fullReceiptFact struct {
	partitionFact
	Files    []string          `json:"files"` // where they are
	Segments []segmentFact     `json:"segments"`
	Arrivals []landing.Arrival `json:"arrivals"`
	// Code is what the fingerprint is of; null where it is not recorded.
	Code *manifests.Definition `json:"code"`
}

type segmentFact struct {
	Stream string           `json:"stream,omitempty"` // where there may be several
	ID     string           `json:"id"`
	URL    string           `json:"url"`
	From   landing.Position `json:"from"` // inclusive
	To     landing.Position `json:"to"`   // exclusive
}

func (l *lake) receiptFact(table string, s window.Status, from []origin, code *manifests.Definition) fullReceiptFact {
	fact := fullReceiptFact{partitionFact: statusFact(table, s), Files: l.fileURLs(table, s.Receipt), Code: code}
	for _, o := range from {
		fact.Arrivals = append(fact.Arrivals, o.arrivals...)
		for _, g := range o.segments {
			segment := segmentFact{ID: g.ID, URL: l.store.URL(o.stream.SegmentKey(g.ID)), From: g.Base, To: g.End()}
			if s.Receipt.Inputs != nil {
				segment.Stream = o.in.Name
			}
			fact.Segments = append(fact.Segments, segment)
		}
	}
	return fact
}

func (l *lake) fileURLs(table string, r *manifests.Receipt) []string {
	return names(r.Files, func(f manifests.File) string { return l.store.URL(manifests.DataKey(table, r.Partition, f.ID)) })
}

func (l *lake) describeReceipt(table string, s window.Status, from []origin, code *manifests.Definition) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-13s %s\n", name, fmt.Sprintf(format, args...))
	}
	r := s.Receipt
	line("partition", "%s of table %s, %s", r.Partition, table, s.Interval)
	state := string(s.State)
	if reason := s.Reason(); reason != "" {
		state += ": " + reason
	}
	line("state", "%s", state)
	for _, name := range slices.Sorted(maps.Keys(r.Positions)) {
		line("positions", "%s", strings.TrimPrefix(readOf(name, r.Positions[name]), "positions "))
	}
	line("input", "%s%s%s", count(int(r.InputRows), "row"), ofHours(from), repeatedOf(r.Repeated))
	line("input digest", "%s", orNone(r.InputDigest.String()))
	for _, name := range slices.Sorted(maps.Keys(r.Inputs)) {
		part := r.Inputs[name]
		line("of it", "%s of %s, digest %s", count(int(part.Rows), "row"), inputName(name), orNone(part.Digest.String()))
	}
	line("fingerprint", "%s", r.Fingerprint)
	line("code", "%s", describeCode(code))
	line("rows", "%d", r.Rows)
	line("row digest", "%s", r.RowDigest)
	line("columns", "%s", strings.Join(names(r.Columns, func(c datafile.Column) string { return c.Name + " " + c.Type.String() }), ", "))
	for i, f := range r.Files {
		line("file", "%s, %s\n%13s %s\n%13s SHA-256 %s", count(int(f.Rows), "row"), count(int(f.Bytes), "byte"), "", l.fileURLs(table, r)[i], "", f.Digest)
	}
	for _, o := range from {
		l.describeOrigin(o, line)
	}
	return b.String()
}

func (l *lake) describeOrigin(o origin, line func(name, format string, args ...any)) {
	if !o.known {
		line("note", "the code changed since: arrivals and segments are those of the bucket-hours that it reads now")
	}
	if o.expired != nil {
		line("note", "%v: arrivals and segments are not listed", o.expired)
	}
	for _, arrival := range o.arrivals {
		line("arrival", "%s, positions [%d, %d), landed at %s", arrival.CalledBy(), arrival.From, arrival.To, arrival.LandedAt.Format(time.RFC3339Nano))
	}
	for _, g := range o.segments {
		line("segment", "positions [%d, %d)\n%13s %s", g.Base, g.End(), "", l.store.URL(o.stream.SegmentKey(g.ID)))
	}
}

// ofHours says which bucket-hours of streams were read.
func ofHours(from []origin) (text string) {
	for _, o := range from {
		text += fmt.Sprintf(", of bucket-hours [%s, %s)", hourText(o.hours.From), hourText(o.hours.To))
		if len(from) > 1 {
			text += " of stream " + o.in.Name
		}
	}
	return text
}

func hourText(hour int64) string { return time.Unix(hour*3600, 0).UTC().Format("2006-01-02T15") }

func orNone(text string) string {
	if text == "" {
		return "none, since there are no rows"
	}
	return text
}

// receiptSQL prints statements that derive the receipt's digests again.
func (l *lake) receiptSQL(table string, s window.Status, from []origin) string {
	var b strings.Builder
	r := s.Receipt
	fmt.Fprintf(&b, "\n-- Receipt of partition %s of table %s.\n\n-- The row digest, from the published files. The receipt says\n-- %s\n", r.Partition, table, r.RowDigest)
	if len(r.Files) == 0 {
		b.WriteString("-- for no rows: there is no file.\n")
	} else {
		relation := datafile.ReadSQL("["+strings.Join(names(l.fileURLs(table, r), duck.Path), ", ")+"]", false)
		b.WriteString(datafile.DigestSQL(r.Columns, relation) + ";\n")
	}
	for _, o := range from {
		l.originSQL(&b, s, o)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Inputs)) {
		if table, is := manifests.InputTable(name); is {
			part := r.Inputs[name]
			fmt.Fprintf(&b, "\n-- Of table %s it read version %d. The receipt says\n-- %d %s\n", table, r.Positions[name], part.Rows, orNone(part.Digest.String()))
			fmt.Fprintf(&b, "-- which is of the receipts that stood then (strandline receipt %s PARTITION --at %d).\n", table, r.Positions[name])
		}
	}
	return b.String()
}

// originSQL writes statements that derive what was read of a stream.
func (l *lake) originSQL(b *strings.Builder, s window.Status, o origin) {
	rows, digest, of := s.Receipt.InputRows, s.Receipt.InputDigest, ""
	if part, is := s.Receipt.Inputs[o.in.At()]; is {
		rows, digest, of = part.Rows, part.Digest, " of stream "+o.in.Name
	}
	fmt.Fprintf(b, "\n-- The input's rows and digest%s, from the segments. The receipt says\n-- %d %s\n", of, rows, orNone(digest.String()))
	if !o.known {
		b.WriteString("-- The code changed since; if its windows did, so did the bucket-hours below.\n")
	}
	if o.expired != nil {
		fmt.Fprintf(b, "-- They can't be derived any more: %v.\n", o.expired)
		return
	}
	if len(o.segments) == 0 {
		b.WriteString("-- No segment has rows of it.\n")
		return
	}
	paths := names(o.segments, func(g landing.Segment) string { return duck.Path(l.store.URL(o.stream.SegmentKey(g.ID))) })
	b.WriteString(landing.InputDigestSQL(o.segments, paths, o.hours, o.upTo) + ";\n")
}
