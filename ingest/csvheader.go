package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"strandline/landing"
)

// bind takes the record that was just read as the header.
func (c *csvDecoding) bind() error {
	names := make([]string, len(c.next.cells))
	seen := map[string]bool{}
	for i, cell := range c.next.cells {
		name := string(cell.text)
		if seen[name] {
			return fmt.Errorf("%w: it has the column %q twice", ErrHeader, name)
		}
		quoted, err := jsontext.AppendQuote(nil, name)
		if err != nil {
			return fmt.Errorf("%w: column %d: %w", ErrHeader, i+1, err)
		}
		names[i], seen[name] = name, true
		c.header = append(c.header, heading{field: c.record.fields[name], name: quoted})
	}
	return c.checkComplete(names)
}

// checkComplete wants in the header a field of each column that the stream reads.
func (c *csvDecoding) checkComplete(names []string) error {
	wanted := []string{c.record.spec.EventTime.Column}
	for _, column := range c.record.columns {
		wanted = append(wanted, column.Name)
	}
	for _, column := range wanted {
		paths := c.record.spec.FieldsOf(column)
		if !slices.ContainsFunc(paths, func(p landing.Path) bool { return len(p) == 1 && slices.Contains(names, p[0]) }) {
			return fmt.Errorf("%w: it has no column %q (the nearest is %q); declare the columns as they are spelled there",
				ErrHeader, paths[0], nearest(paths[0].String(), names))
		}
	}
	return nil
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
