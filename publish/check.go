package publish

import (
	"fmt"
	"strings"
	"time"

	"strandline/internal/datafile"
	"strandline/window"
)

// CheckError says that a result may not be published, and why.
type CheckError struct{ Reason string }

func (e *CheckError) Error() string { return e.Reason }

func refuse(format string, args ...any) error {
	return &CheckError{Reason: fmt.Sprintf(format, args...)}
}

// checker looks at the rows of one result, in the order of its key.
type checker struct {
	partition window.Partition
	columns   []datafile.Column
	key       []int            // indexes into columns
	time      int              // of the column that says which partition a row belongs to
	last      []datafile.Value // the key of the row before; nil before the first
	outside   string           // why a row may lie outside the partition, for people
}

func newChecker(p window.Partition, columns []datafile.Column, key []string, timeColumn string) (*checker, error) {
	c := &checker{partition: p, columns: columns}
	for _, name := range key {
		i := indexOf(columns, name)
		if i < 0 {
			return nil, refuse("the key names %s, which the SQL does not make: select it, or change the key", name)
		}
		c.key = append(c.key, i)
	}
	c.time = indexOf(columns, timeColumn)
	if c.time < 0 || columns[c.time].Type.Kind != datafile.TimestampTZ {
		return nil, refuse("the SQL must select %s, a TIMESTAMP WITH TIME ZONE: it says which partition a row belongs to", timeColumn)
	}
	return c, nil
}

func indexOf(columns []datafile.Column, name string) int {
	for i, c := range columns {
		if strings.EqualFold(c.Name, name) {
			return i
		}
	}
	return -1
}

// row refuses a row with a NULL in its key, with the key of the row before it,
// or that does not belong to the partition. Rows come sorted by key,
// so equal keys are neighbours; it is an error of another kind if they do not.
func (c *checker) row(row []datafile.Value) error {
	for _, i := range c.key {
		if row[i].IsNull() {
			return refuse("key column %s is NULL in row (%s): a key must tell rows apart, so leave such rows out, or give them a value as coalesce(%s, …) does", c.columns[i].Name, c.describe(row), c.columns[i].Name)
		}
	}
	switch order := c.compare(row); {
	case order < 0:
		return fmt.Errorf("the engine did not write row (%s) where its key belongs, so that nobody can tell whether the key is there once: nothing is published; please report it", c.describe(row))
	case order == 0:
		return refuse("key (%s) is there more than once: add the column that tells the rows apart to the key, or aggregate them", c.describe(row))
	}
	return c.belongs(row)
}

// belongs refuses a row that does not lie in the partition.
func (c *checker) belongs(row []datafile.Value) error {
	column := c.columns[c.time].Name
	if row[c.time].IsNull() {
		return refuse("%s is NULL in row (%s), so that nobody can tell which partition it belongs to: leave such rows out, or give them a time", column, c.describe(row))
	}
	at := time.UnixMicro(row[c.time].Int64()).UTC()
	switch {
	case c.partition.Contains(at):
		return nil
	case strings.EqualFold(column, window.ColumnWindowStart):
		return refuse("row (%s) belongs to the window that starts at %s, outside partition %s, which is %s%s",
			c.describe(row), at.Format(time.RFC3339Nano), c.partition, c.partition.Interval, c.outside)
	}
	return refuse("row (%s) has the %s %s, outside partition %s, which is %s%s",
		c.describe(row), column, at.Format(time.RFC3339Nano), c.partition, c.partition.Interval, c.outside)
}

// compare holds a row's key against that of the row before it, and keeps it.
func (c *checker) compare(row []datafile.Value) int {
	order := 0
	if c.last == nil {
		c.last, order = make([]datafile.Value, len(c.key)), 1
	}
	for k, i := range c.key {
		if order == 0 {
			order = datafile.Compare(c.columns[i].Type, row[i], c.last[k])
		}
		if order != 0 {
			c.last[k] = row[i].Clone()
		}
	}
	return order
}

// describe names a row by its key, for people.
func (c *checker) describe(row []datafile.Value) string {
	var parts []string
	for _, i := range c.key {
		text := "NULL"
		if !row[i].IsNull() {
			text = c.text(i, row[i])
		}
		parts = append(parts, c.columns[i].Name+"="+text)
	}
	return strings.Join(parts, ", ")
}

func (c *checker) text(column int, v datafile.Value) string {
	if c.columns[column].Type.Kind == datafile.TimestampTZ {
		return time.UnixMicro(v.Int64()).UTC().Format(time.RFC3339Nano)
	}
	_, text, _ := strings.Cut(string(datafile.AppendCanonical(nil, c.columns[column].Type, v)), ":")
	if len(text) > 80 {
		text = text[:80] + "…"
	}
	return text
}
