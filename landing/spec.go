package landing

import (
	"strings"

	"strandline/internal/datafile"
)

// Spec declares a stream: what its rows are made of.
type Spec struct {
	Stream    string
	EventTime EventTime
	Columns   []datafile.Column // declared columns, in the order of the configuration
	// Fields are the fields of an arrival that a column is read from, by the
	// column's name, where it is not the one field of that name.
	Fields map[string][]Path `json:",omitempty"`
	// Watermark says how the stream's watermark follows what lands; zero is DefaultWatermark.
	Watermark Watermark `json:",omitzero"`
}

// FieldsOf returns the fields that a column is read from. It also tells where the
// event time is, whether or not that is a declared column.
func (s Spec) FieldsOf(column string) []Path { return fieldsOf(s.Fields, column) }

func fieldsOf(declared map[string][]Path, column string) []Path {
	if paths, ok := declared[column]; ok {
		return paths
	}
	return []Path{{column}}
}

// Path says where in an arrival a field is: the names that lead to it, from the
// outermost object on. It has one name or more.
type Path []string

// String joins the names with points, for messages and for formats whose fields
// are not nested.
func (p Path) String() string { return strings.Join(p, ".") }

// The columns every landed row has beside the declared ones. A stream may not
// declare a column of these names.
const (
	ColumnPosition       = "position"
	ColumnEventTime      = "event_time"
	ColumnLandedAt       = "landed_at"
	ColumnSource         = "source"
	ColumnSourcePosition = "source_position"
	ColumnExtra          = "extra"
)
