package landing

import (
	"time"

	"strandline/internal/datafile"
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
