package window

import (
	"fmt"
	"strings"
	"time"

	"strandline/internal/datafile"
)

// from names the inputs of the job.
func (j Job) from() string {
	var names []string
	for _, in := range j.Inputs {
		names = append(names, in.At())
	}
	return strings.Join(names, ", ")
}

// inputCode lists what of an input can change the job's result beside its rows. Of one
// stream alone its parts are named as they were before a job could read more.
func (c *Compiled) inputCode(in Input, shape Shape) (parts []Part) {
	beside := func(what string, by time.Duration) {
		if by > 0 {
			parts = append(parts, Part{what + in.Name, fmt.Sprint(by.Microseconds()), by.String()})
		}
	}
	beside(partBefore, in.Before)
	beside(partAfter, in.After)
	if in.Table {
		parts = append(parts, Part{Name: "time of " + in.Name, Value: shape.Table.Time})
	}
	before := in.Name + "."
	if c.sole() {
		before = ""
	}
	for _, column := range c.readColumns(shape.columns(in)) {
		parts = append(parts, columnPart(before, column))
		if paths, ok := shape.Stream.Fields[column.Name]; ok {
			parts = append(parts, Part{Name: "fields of " + before + column.Name, Value: fmt.Sprint(paths)})
		}
	}
	return parts
}

// lookupCode lists what a lookup is, if the job can read it.
func (c *Compiled) lookupCode(l Lookup) []Part {
	parts := []Part{{Name: PartLookup + l.Name, Value: l.Content.String()}}
	for _, column := range c.readColumns(l.Columns[1:]) {
		parts = append(parts, columnPart(l.Name+".", column))
	}
	return parts
}

// PartLookup begins the name of the part that is the content of a lookup.
const PartLookup = "lookup "

func columnPart(before string, column datafile.Column) Part {
	return Part{Name: "column " + before + column.Name, Value: column.Type.String()}
}
