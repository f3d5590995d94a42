package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"strandline/landing"
)

// bind takes the names of the columns.
func (c *csvDecoding) bind(names []string) error {
	for i, name := range names {
		quoted, err := jsontext.AppendQuote(nil, name)
		if err != nil {
			return fmt.Errorf("%w: column %d: %w", ErrHeader, i+1, err)
		}
		c.header = append(c.header, heading{field: c.record.fields[name], name: quoted})
	}
	return c.checkNames(names, flat)
}

// namesSink is a Sink that wants to know how the columns of a source are called.
type namesSink interface{ Named(names []string) }

// flat tells whether a source that is a table of cells may have a field.
func flat(p landing.Path) bool { return len(p) == 1 }

// checkNames holds the names of a source's columns against the stream: each is
// there once, and all that the stream reads are there but those that are optional.
// may tells which of a column's fields can be there at all.
func (d *decoding) checkNames(names []string, may func(landing.Path) bool) error {
	seen := map[string]bool{}
	if sink, ok := d.sink.(namesSink); ok {
		sink.Named(names)
	}
	for _, name := range names {
		if seen[name] {
			return fmt.Errorf("%w: it has the column %q twice", ErrHeader, name)
		}
		seen[name] = true
	}
	wanted := []string{d.record.spec.EventTime.Column}
	for _, column := range d.record.columns {
		wanted = append(wanted, column.Name)
	}
	for _, column := range wanted {
		paths := d.record.spec.FieldsOf(column)
		there := func(p landing.Path) bool { return may(p) && seen[p[0]] }
		if !slices.Contains(d.optional, column) && !slices.ContainsFunc(paths, there) {
			return unlike{error: fmt.Errorf("%w: %s", ErrHeader, missing(paths[0], names)), mend: "declare the columns as they are spelled there, and those that may be missing as optional"}
		}
	}
	return nil
}

func missing(field landing.Path, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf("it has no column %q, and no other", field)
	}
	return fmt.Sprintf("it has no column %q (the nearest is %q)", field, nearest(field.String(), names))
}

// nearest returns the name that takes the fewest edits to become wanted,
// letter case aside.
func nearest(wanted string, names []string) string {
	return slices.MinFunc(names, func(a, b string) int { return edits(wanted, a) - edits(wanted, b) })
}

// edits is the Levenshtein distance of two names, letter case aside.
func edits(a, b string) int {
	to := []rune(strings.ToLower(b))
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range []rune(strings.ToLower(a)) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			cost := diagonal
			if r != to[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(to)]
}
