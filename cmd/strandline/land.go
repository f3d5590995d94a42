package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"strandline/ingest"
	"strandline/internal/config"
	"strandline/internal/digest"
	"strandline/landing"
)

func newLand(a *app) *cobra.Command {
	var name string
	var as fileFormat
	var gap bool
	cmd := &cobra.Command{
		Use:   "land STREAM [FILE…|-|s3://BUCKET/KEY…]",
		Short: "Land files, objects or standard input in a stream",
		Long: `Land files in a stream, each whole and by one commit, and print the positions
that its rows were given. "-" is standard input. "s3://bucket/key" is an object, and
with a slash at its end all objects below that prefix. Without any, what the stream's
declared folder (dir), prefix (s3) and topics (kafka) hold now is taken in as
"strandline run" does, once. Compression is seen from the content.

A file whose content has landed before, under whatever name or compression, is
not landed again, so running the same command twice is safe. A row that can't be
read lands as a reject and does not stop the others: see "strandline rejects". A
file that can't be read as a whole (cut short, or a header without a declared
column) lands nothing; the other files of the command do. A file of rejects alone
lands, with a warning and exit code 0.

Offsets of a topic that the brokers removed before they landed, and a topic that was
deleted and made again, stop a stream's Kafka source (exit code 4). With --accept-gap
what is lost is recorded in the landing log, for ever, before what there is lands.

Where a declared table was computed from positions that the stream does not have
any more, its log has lost entries, and nothing is landed in their place (exit code 4).`,
		Example: `  strandline land events monday.ndjson tuesday.ndjson.gz
  zcat week.ndjson.gz | strandline land events - --name week
  strandline land events mended.ndjson --format ndjson     though the stream declares another
  strandline land events export.csv --format csv --delimiter ';'
  strandline land events s3://raw/events/monday.ndjson.gz
  strandline land events     what its dir, s3 and kafka hold now
  strandline land events --accept-gap     the same, though a topic lost some of it before`,
		Args: takes(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.land(cmd, args[0], args[1:], name, as, gap)
		},
	}
	cmd.Flags().StringVar(&name, "name", "stdin", "the `NAME` that standard input is known by as a source")
	cmd.Flags().StringVar(&as.format, "format", "", "the `FORMAT` that the named files have, where it is not the stream's")
	cmd.Flags().StringVar(&as.delimiter, "delimiter", "", "the `CHARACTER` between the cells of named files of CSV, where it is not what the stream declares; \\t is a tab")
	cmd.Flags().BoolVar(&gap, "accept-gap", false, "accept as lost, in the landing log, what the stream's topics have lost before it landed")
	return cmd
}

func (a *app) land(cmd *cobra.Command, streamName string, files []string, stdin string, as fileFormat, gap bool) (err error) {
	if stdin == "" {
		return misused(cmd, "--name is empty; a source needs a name to be known by")
	}
	if cmd.Flags().Changed("name") && !slices.Contains(files, "-") {
		return misused(cmd, "--name %s: it names standard input, which is -; a file is known by its own name", stdin)
	}
	ctx := cmd.Context()
	l, err := a.workLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	declared, err := l.config.Stream(streamName)
	if err != nil {
		return err
	}
	if err := l.checkLost(ctx, streamName); err != nil {
		return fmt.Errorf("land in stream %s: %w", streamName, err)
	}
	if err := l.declareWatermarks(ctx, streamName); err != nil {
		return err
	}
	if gap && (len(files) > 0 || declared.Kafka == nil) {
		return misused(cmd, "--accept-gap is for what a stream's own topics have lost: name a stream that declares kafka, and no files")
	}
	if gap {
		if err := a.acceptGap(ctx, l, declared); err != nil {
			return err
		}
	}
	if declared, err = as.of(declared, len(files) > 0); err != nil {
		return misused(cmd, "%v", err)
	}
	if len(files) == 0 {
		return a.landDeclared(cmd, l, declared)
	}
	var failed []error
	for len(files) > 0 && ctx.Err() == nil {
		// The other files are no worse for what is wrong with one.
		if isNoFile(files[0]) {
			failed = append(failed, a.landOther(ctx, l, declared, files[0], stdin))
			files = files[1:]
			continue
		}
		n := slices.IndexFunc(files, isNoFile)
		if n < 0 {
			n = len(files)
		}
		failed = append(failed, a.landFiles(ctx, l, declared, files[:n])...)
		files = files[n:]
	}
	return errors.Join(failed...)
}

// fileFormat is how files are written where it is not as their stream declares it; "" is as
// it does.
type fileFormat struct{ format, delimiter string }

// of is the stream as it would be declared for such files.
func (f fileFormat) of(declared config.Stream, named bool) (config.Stream, error) {
	if f.format != "" {
		if err := f.check(named); err != nil {
			return declared, err
		}
		csv := config.Format(ingest.FormatCSV)
		declared.CSV.Own = declared.Format != csv && config.Format(f.format) == csv // it may declare another delimiter one day
		declared.Format = config.Format(f.format)
	}
	if f.delimiter == "" {
		return declared, nil
	}
	c, err := delimiterOf(f.delimiter)
	switch {
	case err != nil:
		return declared, err
	case !named:
		return declared, fmt.Errorf("--delimiter %q: it is of files that are named, and none is", f.delimiter)
	case declared.Format != config.Format(ingest.FormatCSV):
		return declared, fmt.Errorf("--delimiter %q: only csv has a delimiter, and the format is %s: add --format csv if these files are CSV", f.delimiter, declared.Format)
	}
	declared.CSV.Delimiter, declared.CSV.Own = c, true
	return declared, nil
}

// check tells whether there is such a format, and files to have it.
func (f fileFormat) check(named bool) error {
	names := make([]string, len(ingest.Formats))
	for i, format := range ingest.Formats {
		names[i] = string(format)
	}
	switch {
	case !slices.Contains(names, f.format):
		return fmt.Errorf("--format %q is not one of %s%s", f.format, strings.Join(names, ", "), config.DidYouMean(f.format, names))
	case !named:
		return fmt.Errorf("--format %s: it is of files that are named, and none is", f.format)
	}
	return nil
}

// delimiterOf reads a --delimiter. A tab is hard to type.
func delimiterOf(text string) (byte, error) {
	c := strings.ReplaceAll(text, `\t`, "\t")
	if len(c) != 1 || c[0] >= utf8.RuneSelf {
		return 0, fmt.Errorf("--delimiter %q: want one ASCII character, such as ';', or \\t for a tab", text)
	}
	return c[0], nil
}

// isNoFile tells arguments that name something else than a file.
func isNoFile(arg string) bool { return arg == "-" || isAddress(arg) }

// landFiles lands files, and returns what went wrong with any.
func (a *app) landFiles(ctx context.Context, l *lake, s config.Stream, paths []string) (failed []error) {
	files := make([]ingest.File, len(paths))
	for i, path := range paths {
		files[i] = ingest.File{Path: path, Name: path}
	}
	ingest.LandFiles(ctx, l.streams[s.Name], files, l.readOptions(s), func(_ int, o ingest.Outcome, err error) {
		if err == nil {
			err = a.landed(s.Name, o)
		}
		failed = append(failed, err)
	})
	return failed
}

// landOther lands standard input, or what an address names.
func (a *app) landOther(ctx context.Context, l *lake, s config.Stream, what, stdin string) error {
	if isAddress(what) {
		return a.landAddress(ctx, l, s, what)
	}
	outcome, err := ingest.LandReader(ctx, l.streams[s.Name], interruptible(ctx, a.in), stdin, l.readOptions(s))
	if err != nil {
		return err
	}
	return a.landed(s.Name, outcome)
}

// interruptible reads r until ctx ends. A read of a terminal or a pipe that
// waits for input can't be called off, so it is left behind.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	return out
}

func (l *lake) readOptions(s config.Stream) ingest.Options {
	return ingest.Options{Format: ingest.Format(s.Format), CSV: ingest.CSV(s.CSV), Optional: s.Optional, Scratch: l.scratch.Path()}
}

// landedFact is what --json says of one arrival.
type landedFact struct {
	Stream      string           `json:"stream"`
	Source      string           `json:"source"`
	Digest      string           `json:"digest,omitempty"` // none of what is not known again by its content
	From        landing.Position `json:"from_position"`    // inclusive
	To          landing.Position `json:"to_position"`      // exclusive
	Rows        int64            `json:"rows"`
	Rejects     int64            `json:"rejects"`
	Duplicate   bool             `json:"duplicate"`
	DuplicateOf string           `json:"duplicate_of,omitempty"`
	OnlyRejects int64            `json:"only_rejects,omitempty"` // what it landed as before, without a row
	SameName    bool             `json:"same_name,omitempty"`    // other content came under this name before
}

func (a *app) landed(stream string, o ingest.Outcome) error {
	fact := landedFact{
		Stream: stream, Source: o.Name, From: o.From, To: o.To,
		Rows: o.Rows(), Rejects: o.Rejects, Duplicate: o.Duplicate, DuplicateOf: o.DuplicateOf, OnlyRejects: o.OnlyRejects, SameName: o.SameName,
	}
	if o.Identity.Digest != (digest.Hash{}) {
		fact.Digest = o.Identity.Digest.String()
	}
	if o.Rows() == 0 && o.Rejects > 0 {
		a.note("strandline: no record of %s could be read as a row: is it in the format of stream %s? (strandline rejects %s --source %s shows why)", printable(o.Name), stream, stream, printable(o.Name))
	}
	return a.fact(fact, "%s\n", describeLanding(stream, o))
}

// asRejects says of a content that is there without a row what helps: landed as another
// format it is the same content, and does not land again.
func asRejects(stream string, o ingest.Outcome) string {
	if o.OnlyRejects == 0 {
		return ""
	}
	return fmt.Sprintf(", but as %[1]s and no row; in another format it is the same content. \"strandline rejects %[2]s --source %[3]s\" shows why; "+
		"with --retry it lands what a mended declaration reads, of CSV also with a --delimiter, and what it prints with --raw lands once it is mended",
		count(int(o.OnlyRejects), "reject"), stream, printable(o.DuplicateOf))
}

func describeLanding(stream string, o ingest.Outcome) string {
	name := printable(o.Name)
	if o.Duplicate {
		same := ""
		if o.DuplicateOf != o.Name {
			same = fmt.Sprintf(" as %s", printable(o.DuplicateOf))
		}
		return fmt.Sprintf("%s: nothing landed, its content is in stream %s already%s%s", name, stream, same, asRejects(stream, o))
	}
	text := fmt.Sprintf("%s: landed %s in stream %s", name, count(int(o.Rows()), "row"), stream)
	if o.Rows() > 0 {
		text += fmt.Sprintf(" at positions [%d, %d)", o.From, o.To)
	}
	if o.Rejects > 0 {
		text += fmt.Sprintf(", and %s (see strandline rejects %s)", count(int(o.Rejects), "reject"), stream)
	}
	if o.SameName {
		text += "; other content came under this name before, and stays"
	}
	return text
}
