package infer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"strandline/internal/datafile"
	"strandline/landing"
)

// column is a proposed column.
type column struct {
	name  string
	path  landing.Path
	typ   datafile.Type
	field *field
}

// columns proposes a column for each field, and names those that can't be one.
func (s *Sample) columns() (columns []column, without []string) {
	names := map[string]bool{}
	for _, l := range s.fields.leaves(nil, maxColumns) {
		name, ok := columnName(l.path, names)
		if !ok {
			without = append(without, l.path.String())
			continue
		}
		l.name = name
		columns = append(columns, l)
	}
	return columns, without
}

// leaves are the fields that become columns: of objects those within them, unless
// these are more than room.
func (f *fields) leaves(above landing.Path, room int) (out []column) {
	for _, one := range f.all {
		path := append(slices.Clone(above), one.name)
		if one.others == 0 && one.declared == nil && len(one.inner.all) > 0 {
			if inner := one.inner.leaves(path, room); len(out)+len(inner) <= room {
				out = append(out, inner...)
				continue
			}
		}
		out = append(out, column{path: path, typ: one.typ(), field: one})
	}
	return out
}

func (f *field) typ() datafile.Type {
	switch {
	case f.objects > 0:
		return datafile.Type{Kind: datafile.JSON}
	case f.declared != nil:
		return *f.declared
	case f.others == 0:
		return datafile.Type{Kind: datafile.Varchar}
	}
	return f.left[0]
}

// kept are names that a stream can't give its columns.
var kept = []string{
	landing.ColumnPosition, landing.ColumnEventTime, landing.ColumnLandedAt, landing.ColumnSource,
	landing.ColumnSourcePosition, landing.ColumnExtra, "__offset", "file_index", "window_start", "window_end",
}

// columnName makes of a path a name that no column has yet.
func columnName(path landing.Path, taken map[string]bool) (name string, ok bool) {
	unfit := func(part string) bool {
		return strings.TrimSpace(part) == "" || strings.ContainsFunc(part, unicode.IsControl)
	}
	name = strings.Join(path, "_")
	if slices.ContainsFunc(path, unfit) || len(name) > 200 {
		return "", false
	}
	if slices.Contains(kept, strings.ToLower(name)) {
		name += "_field"
	}
	for base, n := name, 2; taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	taken[strings.ToLower(name)] = true
	return name, true
}

// declaredDoubts are what speaks against types that a schema declares.
var declaredDoubts = map[datafile.Kind][]string{
	datafile.Float:     {floats},
	datafile.Double:    {floats},
	datafile.Timestamp: {zoneless},
	datafile.Blob:      {"bytes, of which the file does not say what they mean; VARCHAR if they are text in UTF-8"},
}

const (
	floats   = "a rounded number, and jobs can't add it up; if a DECIMAL holds it, better use that"
	zoneless = "texts without an offset: of which zone?"
)

// doubts says what speaks against a column's type.
func (c column) doubts(records int64) string {
	f := c.field
	var out []string
	if missing := records - f.others - f.objects; missing > 0 && f.others+f.objects > 0 {
		out = append(out, fmt.Sprintf("null or missing in %.3g %%", 100*float64(missing)/float64(records)))
	}
	switch {
	case f.declared != nil:
		out = append(out, declaredDoubts[f.declared.Kind]...)
	case f.others+f.objects == 0:
		out = append(out, "never had a value, so its type is a guess")
	case c.typ.Kind == datafile.JSON && f.objects > 0 && f.others > 0:
		out = append(out, "objects, and values that are none")
	case c.typ.Kind == datafile.Decimal:
		out = append(out, fmt.Sprintf("a value with more than %d decimals would be a reject", c.typ.Scale))
	case c.typ.Kind == datafile.Double:
		out = append(out, "DOUBLE rounds to some 16 digits, and jobs can't add it up; if a DECIMAL holds it, better use that")
	case c.typ.Kind == datafile.Timestamp:
		out = append(out, zoneless)
	case c.typ.Kind == datafile.Varchar && f.odd > 0:
		out = append(out, fmt.Sprintf("%d are NaN or infinite, which stay texts here; as a DOUBLE their records would be rejects", f.odd))
	case c.typ.Kind == datafile.Varchar && f.example != "" && f.example[0] != '"':
		out = append(out, "numbers or words, and texts")
	}
	return strings.Join(out, "; ")
}
