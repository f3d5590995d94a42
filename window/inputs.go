package window

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/landing"
	"strandline/manifests"
)

// Input is a relation that a job reads rows of: a stream, or the table of another job.
type Input struct {
	Name  string // as SQL calls it
	Table bool   // it is a table
	// Before and After are how much event time is read beside what a partition's windows
	// are of: rows that others are held against. None is negative. Where one is not 0, all
	// rows of that stretch are seen, each with all windows that it lies in, whichever
	// partitions these start in; of other inputs, the windows that start in the partition.
	Before, After time.Duration
}

// FromStream are the inputs of a job that reads one stream.
func FromStream(name string) []Input { return []Input{{Name: name}} }

// At is how a position vector names the input.
func (in Input) At() string {
	if in.Table {
		return manifests.TableInput(in.Name)
	}
	return in.Name
}

// String says what the input is.
func (in Input) String() string {
	if in.Table {
		return "table " + in.Name
	}
	return "stream " + in.Name
}

// Lookup is a small table that a job may read, the same for all partitions.
type Lookup struct {
	Name    string            // as SQL calls it
	Columns []datafile.Column // position, which tells its rows apart, and the declared ones
	Content digest.Hash       // what its file holds
	Path    string            // a data file of this machine, with its rows; "": none are needed
}

// sole is the stream that the job reads, if it reads nothing else. What is digested
// of it is as it was before a job could read more.
func (j Job) sole() bool { return len(j.Inputs) == 1 && !j.Inputs[0].Table }

// Streams are the streams that the job reads.
func (j Job) Streams() (names []string) {
	for _, in := range j.Inputs {
		if !in.Table {
			names = append(names, in.Name)
		}
	}
	return names
}

// WhyOutside says why rows of a result may lie outside the partition, where the job reads
// beside it, or is "".
func (j Job) WhyOutside() string {
	for _, in := range j.Inputs {
		if in.Before > 0 || in.After > 0 {
			return fmt.Sprintf("; before and after read rows of %s beside the partition, so take the result's time from an input without them, or leave those rows out", in.Name)
		}
	}
	return ""
}

// Tables are the tables that the job reads.
func (j Job) Tables() (names []string) {
	for _, in := range j.Inputs {
		if in.Table {
			names = append(names, in.Name)
		}
	}
	return names
}

// StreamInput returns the job's input that is a stream, if it reads it.
func (j Job) StreamInput(stream string) (Input, bool) {
	for _, in := range j.Inputs {
		if !in.Table && in.Name == stream {
			return in, true
		}
	}
	return Input{}, false
}

// read tells whether something was computed from all inputs of the job.
func (j Job) read(at manifests.Positions) bool {
	for _, in := range j.Inputs {
		if _, read := at[in.At()]; !read {
			return false
		}
	}
	return true
}

// relations are the names of all that the job's SQL may read.
func (j Job) relations() (names []string) {
	for _, in := range j.Inputs {
		names = append(names, in.Name)
	}
	for _, l := range j.Lookups {
		names = append(names, l.Name)
	}
	return names
}

// Shape is what the rows of an input are made of.
type Shape struct {
	Stream landing.Spec // of a stream
	Table  TableShape   // of a table
}

// StreamShape is that of a stream.
func StreamShape(spec landing.Spec) Shape { return Shape{Stream: spec} }

// Shape is that of the job's table, to who reads it.
func (c *Compiled) Shape() Shape {
	return Shape{Table: TableShape{Columns: c.Columns, Key: c.Key, Time: c.TimeColumn()}}
}

// ShapeOf is that of a table that another process computes. It is an error if none has.
func ShapeOf(table *manifests.Snapshot) (Shape, error) {
	d := table.Definition
	if d.Generation == 0 {
		return Shape{}, fmt.Errorf("table %s is read, and nobody has computed it in this lake yet: start its own job first", table.Table)
	}
	return Shape{Table: TableShape{Columns: d.Columns, Key: d.Key, Time: timeOf(d), Foreign: true}}, nil
}

// timeOf is the column of a table that says to which partition a row belongs.
func timeOf(d manifests.Definition) string {
	for _, part := range d.Parts {
		if part.Name == partTime {
			return part.Value
		}
	}
	return ColumnWindowStart
}

// TableShape is what the rows of a table are made of.
type TableShape struct {
	Columns []datafile.Column
	Key     []string // tells its rows apart
	Time    string   // the column that is a row's event time to who reads the table
	Foreign bool     // another process has its job
}

// columns are the columns of an input that a job sees beside its event time and
// windows.
func (s Shape) columns(in Input) []datafile.Column {
	if in.Table {
		return s.Table.seen()
	}
	return s.Stream.Columns
}

// seen are the columns of a table that keep their names: those that every relation has
// of its own give way.
func (t TableShape) seen() (columns []datafile.Column) {
	for _, c := range t.Columns {
		if !slices.Contains(own, strings.ToLower(c.Name)) {
			columns = append(columns, c)
		}
	}
	return columns
}

// own are the columns of a table's relation that are not the table's.
var own = []string{ColumnWindowStart, ColumnWindowEnd, landing.ColumnEventTime}

// hidden is a column of the key that is not seen in the table's relation, under any name,
// or "".
func (t TableShape) hidden() string {
	for _, name := range t.Key {
		if slices.Contains(own, strings.ToLower(name)) && !strings.EqualFold(name, t.Time) {
			return name
		}
	}
	return ""
}

// unique are the columns that tell the rows of a table's relation apart: its key, with
// its time, which is called event_time there. None is hidden. The key of a job without windows tells the
// rows of one partition apart, and those of two have other times.
func (t TableShape) unique() (columns []string) {
	for _, name := range t.Key {
		if strings.EqualFold(name, t.Time) {
			name = landing.ColumnEventTime
		}
		columns = append(columns, name)
	}
	if !slices.Contains(columns, landing.ColumnEventTime) {
		columns = append(columns, landing.ColumnEventTime)
	}
	return columns
}
