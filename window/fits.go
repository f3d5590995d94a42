package window

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"strandline/internal/datafile"
	"strandline/manifests"
)

// ErrInput says that a table that a job reads is not what the job was compiled for: its
// key, its time or a column that the job reads is another one, or is not made any more.
var ErrInput = errors.New("an input is not as it was when the job was read")

// FitsTable is ErrInput if a table, the input at i, is not what the job was compiled for.
// A column that the table does not make yet is no fault, since its own job may be about to.
func (c *Compiled) FitsTable(i int, table *manifests.Snapshot) error {
	d, want := table.Definition, c.shapes[i].Table
	if d.Generation == 0 {
		return nil // nobody has made it yet
	}
	if !slices.EqualFunc(d.Key, want.Key, strings.EqualFold) {
		return c.unfit(i, rebuild, "has the key [%s], and the job was read for [%s]", strings.Join(d.Key, ", "), strings.Join(want.Key, ", "))
	}
	for _, column := range want.Columns {
		if made, is := named(d.Columns, column.Name); is && made.Type != column.Type {
			return c.unfit(i, rebuild, "has the column %s as %s, and the job was read for %s", made.Name, made.Type, column.Type)
		}
	}
	return nil
}

// MadeBy is ErrInput if a table, the input at i, does not make all that the job reads of
// it, by the code that its last writer had: what it does not make would be NULL.
func (c *Compiled) MadeBy(i int, table *manifests.Snapshot) error {
	d, in := table.Definition, c.Inputs[i]
	if err := c.FitsTable(i, table); err != nil || d.Generation == 0 {
		return err
	}
	if made, want := timeOf(d), c.shapes[i].Table.Time; len(d.Parts) > 0 && !strings.EqualFold(made, want) {
		return c.unfit(i, renew, "has the time %s, and the job was read for %s", made, want)
	}
	for _, column := range c.readColumns(c.shapes[i].columns(in)) {
		if _, made := named(d.Columns, column.Name); !made {
			return c.unfit(i, renew, "does not make the column %s, which the job reads", column.Name)
		}
	}
	return nil
}

// unfit is ErrInput with why, and what to do. remedy is how the table is made as this
// configuration has its job, if it does.
func (c *Compiled) unfit(i int, remedy, why string, args ...any) error {
	table := c.Inputs[i].Name
	do := "start again"
	if !c.shapes[i].Table.Foreign {
		do = fmt.Sprintf("strandline backfill %s %s comes first, or if the configuration was changed meanwhile, start again", table, remedy)
	}
	return fmt.Errorf("job %s: table %s %s: %w: %s", c.Name, table, fmt.Sprintf(why, args...), ErrInput, do)
}

// What makes the table of a job as its configuration says.
const (
	rebuild = "--rebuild"
	renew   = "--stale"
)

func named(columns []datafile.Column, name string) (datafile.Column, bool) {
	at := slices.IndexFunc(columns, func(c datafile.Column) bool { return strings.EqualFold(c.Name, name) })
	if at < 0 {
		return datafile.Column{}, false
	}
	return columns[at], true
}
