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

// buffer holds the rows of the segment being filled, column by column, with
// what is needed to cluster and sum them up by bucket-hour.
type buffer struct {
	columns []datafile.Column // of the segment file: offset first
	source  datafile.Value
	landed  datafile.Value

	data    [][]datafile.Value // data[column][row]
	hours   []int64
	buckets map[int64]*Bucket
	arena   []byte // the bytes that values point to
	row     []datafile.Value
	text    []byte
	bytes   int64 // about how much memory the rows take
}

func newBuffer(declared []datafile.Column, source string, landedAt time.Time) *buffer {
	columns := segmentColumns(declared)
	return &buffer{
		columns: columns,
		source:  parquet.ByteArrayValue([]byte(source)),
		landed:  parquet.Int64Value(landedAt.UnixMicro()),
		data:    make([][]datafile.Value, len(columns)),
		buckets: map[int64]*Bucket{},
	}
}

func (b *buffer) len() int { return len(b.hours) }

func (b *buffer) add(r Row) {
	offset := int64(b.len())
	row := append(b.row[:0],
		parquet.Int64Value(offset), parquet.Int64Value(r.EventTime), b.landed,
		b.source, parquet.Int64Value(r.SourcePosition))
	for _, v := range r.Values {
		row = append(row, b.own(v))
	}
	extra := datafile.Value{}
	if r.Extra != "" {
		extra = b.own(parquet.ByteArrayValue([]byte(r.Extra)))
	}
	row = append(row, extra)
	b.row = row

	hour := floorHour(r.EventTime)
	bucket := b.buckets[hour]
	if bucket == nil {
		bucket = &Bucket{Hour: hour}
		b.buckets[hour] = bucket
	}
	b.text = datafile.AppendRow(b.text[:0], b.columns[1:], row[1:])
	bucket.add(digest.OfRow(b.text), offset)

	for i, v := range row {
		b.data[i] = append(b.data[i], v)
	}
	b.hours = append(b.hours, hour)
	b.bytes += int64(len(row))*24 + 8
}

// own copies what a value points to into the arena.
func (b *buffer) own(v datafile.Value) datafile.Value {
	kind := v.Kind()
	if v.IsNull() || kind != parquet.ByteArray && kind != parquet.FixedLenByteArray {
		return v
	}
	from := v.ByteArray()
	if cap(b.arena)-len(b.arena) < len(from) {
		b.arena = make([]byte, 0, max(1<<16, len(from))) // the old one lives on in its values
	}
	start := len(b.arena)
	b.arena = append(b.arena, from...)
	b.bytes += int64(len(from))
	held := b.arena[start:len(b.arena):len(b.arena)]
	if kind == parquet.FixedLenByteArray {
		return parquet.FixedLenByteArrayValue(held)
	}
	return parquet.ByteArrayValue(held)
}

// clustered returns the columns with rows ordered by bucket-hour and, within
// one, as they came; and the buckets in that order.
func (b *buffer) clustered() ([][]datafile.Value, []Bucket) {
	order := make([]int, b.len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(b.hours[x], b.hours[y]) })
	out := make([][]datafile.Value, len(b.data))
	for c, column := range b.data {
		out[c] = make([]datafile.Value, len(order))
		for to, from := range order {
			out[c][to] = column[from]
		}
	}
	buckets := make([]Bucket, 0, len(b.buckets))
	for _, bucket := range b.buckets {
		buckets = append(buckets, *bucket)
	}
	slices.SortFunc(buckets, func(x, y Bucket) int { return cmp.Compare(x.Hour, y.Hour) })
	return out, buckets
}
