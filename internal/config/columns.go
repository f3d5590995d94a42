package config

import (
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"strandline/internal/datafile"
	"strandline/landing"
)

// Columns that a job sees beside its stream's, and those that segments and the
// engine have for themselves.
const (
	columnWindowStart = "window_start"
	columnWindowEnd   = "window_end"
	columnOffset      = "__offset"
	columnFileIndex   = "file_index"
)

var reservedColumns = map[string]bool{
	landing.ColumnPosition: true, landing.ColumnEventTime: true, landing.ColumnLandedAt: true,
	landing.ColumnSource: true, landing.ColumnSourcePosition: true, landing.ColumnExtra: true,
	columnOffset: true, columnFileIndex: true, columnWindowStart: true, columnWindowEnd: true,
}

// maxColumnName is the longest name of a column, in bytes.
const maxColumnName = 255

// columns reads the columns of a stream, and what fields they are read from.
func (v value) columns(spec *landing.Spec) {
	if v.isEmpty(yaml.MappingNode) {
		v.problemAt(v.key, "declares no column")
	}
	known := columnFields{of: map[string][]landing.Path{}, by: map[string]string{}}
	seen := map[string]string{} // by name in small letters
	cut := false
	for _, e := range v.entries("a map of column names to types, such as {id: VARCHAR}") {
		if cut && strings.HasSuffix(e.name, ")") && e.isNothing() {
			cut = false // the other half of a type that was cut at its comma
			continue
		}
		low := strings.ToLower(e.name)
		if first, twice := seen[low]; twice {
			e.problemAt(e.key, "differs from column %q only by capitals, which SQL does not tell apart", first)
			continue
		}
		seen[low] = e.name
		e.columnNamed(low)
		c := datafile.Column{Name: e.name}
		if e.node.Kind == yaml.MappingNode {
			c.Type = e.columnOf(known)
		} else {
			c.Type, cut = e.columnType()
			known.add(e.value, e.name, landing.Path{e.name})
		}
		spec.Columns = append(spec.Columns, c)
	}
	known.flatten(spec.Columns)
	if len(known.of) > 0 {
		spec.Fields = known.of
	}
}

func (e entry) columnNamed(low string) {
	switch {
	case reservedColumns[low]:
		e.problemAt(e.key, "%s is a name that Strandline keeps for itself; a field of that name stays readable in the column extra", low)
	case strings.TrimSpace(e.name) == "" || len(e.name) > maxColumnName || strings.ContainsFunc(e.name, unicode.IsControl):
		e.problemAt(e.key, "want a column name of 1 to %d bytes without control characters", maxColumnName)
	}
}

// columnType reads a type. cut says that a comma outside of quotes cut it.
func (v value) columnType() (t datafile.Type, cut bool) {
	text, ok := v.text()
	if !ok {
		return t, false
	}
	if strings.Contains(text, "(") && !strings.Contains(text, ")") {
		v.problem(`%q is cut at its comma: inside { } put the type in quotes, as in "DECIMAL(18,3)"`, text)
		return t, true
	}
	t, err := datafile.ParseType(text)
	if err != nil {
		v.problem("%v", err)
	}
	return t, false
}
