package landing

import (
	"strandline/internal/datafile"
	"strandline/internal/digest"
)

// Position is a row's number in its stream, dense from 0, assigned when its
// segment is committed and never reused or changed. As a bound it is
// exclusive: "up to P" means the rows 0 … P-1.
type Position int64

// Row is one decoded arrival, before it has a position.
type Row struct {
	EventTime      int64            // microseconds since 1970-01-01T00:00:00Z
	SourcePosition int64            // where in its source: a line or record number, from 1
	Values         []datafile.Value // the stream's declared columns, in declared order
	Extra          string           // JSON object of the undeclared fields, "" where there are none
}

// PlainRow is a Row whose values are plain.
type PlainRow struct {
	EventTime      int64            // as of a Row
	SourcePosition int64            // as of a Row
	Text           []byte           // what the values are parts of
	Time           datafile.Plain   // EventTime
	Values         []datafile.Plain // the stream's declared columns, in declared order
	Extra          string           // as of a Row
}

// Reject is one arrival that could not be read as a row of its stream.
type Reject struct {
	SourcePosition int64       // line or record number, from 1
	Reason         string      // what is wrong with it, for a person
	Class          RejectClass // of Reason; it is counted when the reject is taken in, and not kept
	Raw            []byte      // the bytes as they came
	// Cut says that Raw is only the beginning of a record that was too long to keep.
	Cut bool
	// Format is how Raw is written, by the names that a stream's format has; "" is as
	// the stream declares.
	Format string
	// Context is what is needed beside Raw to read it again, such as the header of a
	// CSV file.
	Context string
	// Delimiter is what stands between the cells of Raw where its file was landed with another than
	// the stream declares; "" is as the stream does.
	Delimiter string
}

// Source says where an intake's rows come from.
type Source struct {
	Name string // as the user knows it: a path, or "stdin"; SourceName makes it UTF-8
	// Way is the way in by which its rows come, of which a stream has few: see Mark. Empty
	// where they say nothing of how far the stream has come.
	Way string
}

// Identity is what makes two arrivals the same arrival: the SHA-256 and the
// size of a file's decompressed content, whatever its name.
type Identity struct {
	Digest digest.Hash `json:"digest"`
	Size   int64       `json:"size"` // bytes, decompressed
}
