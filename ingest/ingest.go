// Package ingest is where the outside comes in: it reads files, a watched
// folder or standard input, takes off compression, decodes what formats there are
// to typed rows, and hands them to a stream's landing together with their
// source's identity.
//
// Nothing is dropped and nothing is guessed. Every record of a source is a
// row, a reject with its reason and bytes, or a blank line. A bad record never
// stops its neighbours; a bad file (truncated compression, a header without a
// declared column) lands nothing at all.
package ingest

import (
	"cmp"
	"fmt"
	"slices"

	"strandline/internal/jsonrow"
	"strandline/landing"
)

// Sink takes what a Decoder reads, in the order of the source. A Row's Values
// and a Reject's Raw are only valid during the call. An error ends the decoding.
type Sink interface {
	Add(landing.Row) error
	Reject(landing.Reject) error
}

// Format is how a source writes its records.
type Format string

// The formats a stream may declare.
const (
	FormatNDJSON  Format = "ndjson" // one JSON object a line
	FormatJSON    Format = "json"   // one JSON value, several, or arrays of objects
	FormatCSV     Format = "csv"    // RFC 4180, the first record names the columns
	FormatParquet Format = "parquet"
	FormatArrow   Format = "arrow" // IPC, a file or a stream
	FormatAvro    Format = "avro"  // an object container
)

// Formats are all that a stream may declare.
var Formats = []Format{FormatNDJSON, FormatJSON, FormatCSV, FormatParquet, FormatArrow, FormatAvro}

// Limits that hold where Options leaves them at zero.
const (
	DefaultMaxRecord = 16 << 20  // bytes
	DefaultMaxWindow = 128 << 20 // bytes
)

// rawKept is how many bytes are kept of a record that is over the limit.
const rawKept = 64 << 10

// Room bounds what reading a typed file may take: Parquet, Arrow or Avro.
type Room = jsonrow.Room

// Options says how to read a source. The zero value reads NDJSON.
type Options struct {
	Format    Format
	CSV       CSV
	Optional  []string // declared columns that the header of a source may lack; they are NULL then
	Scratch   string   // the local folder for copies of files that can't be read in one pass; "" is the system's own
	MaxRecord int      // bytes of one line or record; a longer one is a reject; 0 means DefaultMaxRecord
	MaxWindow uint64   // bytes of history that zstd data may ask to be kept in memory; 0 means DefaultMaxWindow
	Room      Room     // what reading a typed file may take; 0 means as package jsonrow says
	Way       string   // by which way in the rows come, for the stream's watermark; "" is WayLand
}

// The ways in that have a fixed name. Those of Kafka are its partitions.
const (
	WayLand = "land" // a person or a program that lands files
	WayDir  = "dir"  // a folder that is watched
	WayS3   = "s3"   // a prefix of a bucket that is watched
	WayHTTP = "http" // posts
)

func (o Options) withDefaults() Options {
	if o.Format == "" {
		o.Format = FormatNDJSON
	}
	o.CSV = o.CSV.withDefaults()
	if o.MaxRecord <= 0 {
		o.MaxRecord = DefaultMaxRecord
	}
	if o.MaxWindow == 0 {
		o.MaxWindow = DefaultMaxWindow
	}
	o.Way = cmp.Or(o.Way, WayLand)
	return o
}

// Validate tells what is wrong with the options.
func (o Options) Validate() error {
	if o.Format != "" && !slices.Contains(Formats, o.Format) {
		return fmt.Errorf("format %q is not one that Strandline reads (use one of %s)", o.Format, Formats)
	}
	return o.CSV.validate()
}

// Counts says what became of a source's records.
type Counts struct {
	Rows    int64
	Rejects int64
	Cut     int64 // rejects of which the beginning alone is kept
	Blanks  int64 // blank lines between records
}

func (c *Counts) add(more Counts) {
	c.Rows, c.Rejects, c.Cut, c.Blanks = c.Rows+more.Rows, c.Rejects+more.Rejects, c.Cut+more.Cut, c.Blanks+more.Blanks
}
