package landing

import (
	"errors"
	"fmt"
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

// buffer holds the rows of the segment being filled, in the order they came,
// with what is needed to cluster and sum them up by bucket-hour.
type buffer struct {
	columns []datafile.Column  // of the segment file
	vectors []*datafile.Vector // its values
	buckets bucketing

	landedAt datafile.Value
	source   datafile.Value // of the rows to come
	moved    bool           // it is not that of the row before
	constant []byte         // canonical encoding of both
	text     []byte         // canonical encoding of the row being added
}

func newBuffer(declared []datafile.Column, source string, landedAt time.Time) *buffer {
	columns := segmentColumns(declared)
	b := &buffer{columns: columns, vectors: datafile.NewVectors(columns), landedAt: parquet.Int64Value(landedAt.UnixMicro())}
	b.from(source)
	return b
}

// from says that the rows from now on come from a source.
func (b *buffer) from(source string) {
	b.source, b.moved = parquet.ByteArrayValue([]byte(source)), true
	b.constant = datafile.AppendRow(b.constant[:0], b.columns[atLandedAt:atSourcePosition], []datafile.Value{b.landedAt, b.source})
}

// reset makes the buffer ready for the next segment. What clustered returned
// is no longer good.
func (b *buffer) reset() {
	for _, v := range b.vectors {
		v.Reset()
	}
	b.moved = true
	b.buckets.reset()
}

func (b *buffer) len() int { return b.buckets.rows }

// size is about how much memory the rows take, in bytes.
func (b *buffer) size() int64 {
	size := b.buckets.size()
	for _, v := range b.vectors {
		size += v.Size()
	}
	return size
}

// add takes in a row. A value that is not of its column's type is an error, after
// which the buffer can't be written.
func (b *buffer) add(r Row) error {
	if want := len(b.columns) - atDeclared - 1; len(r.Values) != want {
		return fmt.Errorf("it has %d values for %d declared columns", len(r.Values), want)
	}
	b.vectors[atOffset].AppendInteger(int64(b.len()))
	b.vectors[atEventTime].AppendInteger(r.EventTime)
	b.vectors[atSourcePosition].AppendInteger(r.SourcePosition)
	b.text = append(datafile.AppendInteger(b.text[:0], r.EventTime), b.constant...)
	b.text = datafile.AppendInteger(b.text, r.SourcePosition)
	if err := errors.Join(b.addConstant(), b.addDeclared(r.Values), b.addExtra(r.Extra)); err != nil {
		return err
	}
	if full := b.buckets.add(floorHour(r.EventTime), digest.OfRow(b.text)); full {
		b.endBlock()
	}
	return nil
}

// endBlock puts the rows of the last block in the order of its pieces.
func (b *buffer) endBlock() {
	order := b.buckets.endBlock()
	if order == nil {
		return
	}
	for _, v := range b.vectors {
		v.Reorder(order)
	}
	b.moved = b.moved || b.vectors[atSource].Differs() // the last row is another now
}

// addConstant adds what is nearly always as it was in the row before.
func (b *buffer) addConstant() error {
	if !b.moved {
		return errors.Join(b.vectors[atLandedAt].Repeat(), b.vectors[atSource].Repeat())
	}
	b.moved = false
	return errors.Join(b.vectors[atLandedAt].Append(b.landedAt), b.vectors[atSource].Append(b.source))
}

func (b *buffer) addDeclared(values []datafile.Value) (err error) {
	for i := range values {
		if b.text, err = b.vectors[atDeclared+i].AppendDigested(b.text, &values[i]); err != nil {
			return fmt.Errorf("column %s %w", b.columns[atDeclared+i].Name, err)
		}
	}
	return nil
}

func (b *buffer) addExtra(text string) (err error) {
	extra := datafile.Value{}
	if text != "" {
		extra = parquet.ByteArrayValue([]byte(text))
	}
	b.text, err = b.vectors[len(b.vectors)-1].AppendDigested(b.text, &extra)
	return err
}

// write writes the rows as a segment's file, clustered by bucket-hour and, within one,
// as they came.
func (b *buffer) write(path string) (datafile.Written, []Bucket, error) {
	out, err := datafile.Create(path, b.columns, datafile.Passing)
	if err != nil {
		return datafile.Written{}, nil, err
	}
	defer out.Abort()
	b.endBlock()
	rows, buckets := b.buckets.clustered()
	start := 0
	for _, end := range rowGroups(buckets) {
		if err := out.GroupOf(b.vectors, rows[start:end]); err != nil {
			return datafile.Written{}, nil, err
		}
		start = end
	}
	written, err := out.Close()
	return written, buckets, err
}
