package landing

import (
	"cmp"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
	"strandline/internal/digest"
)

// columnOffset is the row's offset from its segment's Base, in a segment file.
const columnOffset = "__offset"

const microsPerHour = int64(time.Hour / time.Microsecond)

// segmentColumns returns the columns of a segment file.
func segmentColumns(declared []datafile.Column) []datafile.Column {
	columns := []datafile.Column{{Name: columnOffset, Type: datafile.Type{Kind: datafile.BigInt}}}
	columns = append(columns, digestedColumns(declared)...)
	return columns
}

// digestedColumns returns, in order, the columns that a landed row's digest is
// taken of: all but its position.
func digestedColumns(declared []datafile.Column) []datafile.Column {
	columns := []datafile.Column{
		{Name: ColumnEventTime, Type: datafile.Type{Kind: datafile.TimestampTZ}},
		{Name: ColumnLandedAt, Type: datafile.Type{Kind: datafile.TimestampTZ}},
		{Name: ColumnSource, Type: datafile.Type{Kind: datafile.Varchar}},
		{Name: ColumnSourcePosition, Type: datafile.Type{Kind: datafile.BigInt}},
	}
	columns = append(columns, declared...)
	return append(columns, datafile.Column{Name: ColumnExtra, Type: datafile.Type{Kind: datafile.JSON}})
}

// floorHour returns the bucket-hour of an instant in µs, floored also before
// 1970.
func floorHour(micros int64) int64 {
	hour := micros / microsPerHour
	if micros%microsPerHour < 0 {
		hour--
	}
	return hour
}

// Where a segment file's columns are, by index. The declared ones follow, and
// then extra.
const (
	atOffset = iota
	atEventTime
	atLandedAt
	atSource
	atSourcePosition
	atDeclared
)

// chunkRows is how many rows a chunk of a buffer holds.
const chunkRows = 1 << 10

// valueBytes is what a value takes in memory, beside the bytes it points to.
const valueBytes = 24

// buffer holds the rows of the segment being filled, in the order they came,
// with what is needed to cluster and sum them up by bucket-hour.
//
// Rows lie one after another in chunks, which are never moved, and without
// what is the same for all of them or follows from their order.
type buffer struct {
	columns []datafile.Column // of the segment file
	held    []int             // indexes of the columns that chunks hold
	sources []sourceRun       // of the rows, the last one of those to come

	chunks  [][]datafile.Value
	free    [][]datafile.Value // chunks of the segment before
	sorted  [][]datafile.Value // what clustered returns, by column
	hours   []int64            // of each row
	buckets sums
	arena   arena
	row     []datafile.Value // the one being added, as the file will hold it
	text    []byte
	bytes   int64 // about how much memory the rows take, but for the arena
}

// sourceRun says that rows from one on came from a source.
type sourceRun struct {
	row    int
	source datafile.Value
}

func newBuffer(declared []datafile.Column, source string, landedAt time.Time) *buffer {
	b := &buffer{columns: segmentColumns(declared), buckets: sums{}}
	b.row = make([]datafile.Value, len(b.columns))
	b.sorted = make([][]datafile.Value, len(b.columns))
	b.row[atLandedAt] = parquet.Int64Value(landedAt.UnixMicro())
	b.from(source)
	for i := range b.columns {
		if i != atOffset && i != atLandedAt && i != atSource {
			b.held = append(b.held, i)
		}
	}
	return b
}

// from says that the rows from now on come from a source.
func (b *buffer) from(source string) {
	b.row[atSource] = parquet.ByteArrayValue([]byte(source))
	if last := len(b.sources) - 1; last >= 0 && b.sources[last].row == b.len() {
		b.sources = b.sources[:last]
	}
	b.sources = append(b.sources, sourceRun{b.len(), b.row[atSource]})
	b.arena.bytes += int64(len(source))
}

// sourceOf returns the source of a row.
func (b *buffer) sourceOf(row int) datafile.Value {
	after, _ := slices.BinarySearchFunc(b.sources, row+1, func(run sourceRun, row int) int { return cmp.Compare(run.row, row) })
	return b.sources[after-1].source
}

// reset makes the buffer ready for the next segment. What clustered returned
// is no longer good.
func (b *buffer) reset() {
	b.free, b.chunks = append(b.free, b.chunks...), b.chunks[:0]
	b.hours, b.bytes, b.arena.bytes = b.hours[:0], 0, 0
	b.sources = append(b.sources[:0], sourceRun{source: b.row[atSource]})
	clear(b.buckets)
}

func (b *buffer) len() int { return len(b.hours) }

// size is about how much memory the rows take, in bytes.
func (b *buffer) size() int64 { return b.bytes + b.arena.bytes }

func (b *buffer) add(r Row) {
	offset := int64(b.len())
	b.row[atOffset] = parquet.Int64Value(offset)
	b.row[atEventTime] = parquet.Int64Value(r.EventTime)
	b.row[atSourcePosition] = parquet.Int64Value(r.SourcePosition)
	for i, v := range r.Values {
		b.row[atDeclared+i] = b.arena.own(v)
	}
	b.row[len(b.row)-1] = b.arena.text(r.Extra)

	hour := floorHour(r.EventTime)
	b.text = datafile.AppendRow(b.text[:0], b.columns[1:], b.row[1:])
	b.buckets.of(hour).add(digest.OfRow(b.text), offset)
	b.keep()
	b.hours = append(b.hours, hour)
}

// keep puts the row being added into the newest chunk.
func (b *buffer) keep() {
	if b.len()%chunkRows == 0 {
		b.chunks = append(b.chunks, b.freshChunk())
	}
	chunk := &b.chunks[len(b.chunks)-1]
	for _, c := range b.held {
		*chunk = append(*chunk, b.row[c])
	}
	b.bytes += int64(len(b.held))*valueBytes + 8
}

func (b *buffer) freshChunk() []datafile.Value {
	if last := len(b.free) - 1; last >= 0 {
		chunk := b.free[last][:0]
		b.free = b.free[:last]
		return chunk
	}
	return make([]datafile.Value, 0, chunkRows*len(b.held))
}

// kept returns what the chunks hold of a row.
func (b *buffer) kept(row int) []datafile.Value {
	start := row % chunkRows * len(b.held)
	return b.chunks[row/chunkRows][start : start+len(b.held)]
}

// clustered returns the columns with rows ordered by bucket-hour and, within
// one, as they came; and the buckets in that order.
func (b *buffer) clustered() ([][]datafile.Value, []Bucket) {
	order := make([]int, b.len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(b.hours[x], b.hours[y]) })
	out := b.sorted
	for c := range out {
		out[c] = slices.Grow(out[c][:0], len(order))[:len(order)]
	}
	for to, from := range order {
		out[atOffset][to] = parquet.Int64Value(int64(from))
		out[atLandedAt][to], out[atSource][to] = b.row[atLandedAt], b.sourceOf(from)
		for i, v := range b.kept(from) {
			out[b.held[i]][to] = v
		}
	}
	return out, b.buckets.sorted()
}
