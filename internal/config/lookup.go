package config

import (
	"path/filepath"
	"slices"
	"strings"

	"strandline/internal/datafile"
	"strandline/landing"
	"strandline/window"
)

// LookupFile is a small table in a file, which a job reads beside its inputs.
type LookupFile struct {
	Name    string // as SQL calls it
	File    string // absolute
	Format  Format
	CSV     CSV // zero for other formats
	Columns []datafile.Column
}

// lookups reads the lookups of a job. None may be called as something else that its SQL
// reads.
func (v value) lookups(inputs []window.Input, from readable) []LookupFile {
	var out []LookupFile
	for _, e := range v.entries("a map of lookups, such as {airports: {file: ./airports.csv, columns: {iata: VARCHAR}}}") {
		e.named("lookup")
		if slices.ContainsFunc(inputs, func(in window.Input) bool { return in.Name == e.name }) {
			e.problemAt(e.key, "the job reads %s of this name too, and SQL could not tell the two apart; give the lookup another", from.kind(e.name))
		}
		out = append(out, e.lookup())
	}
	slices.SortFunc(out, func(a, b LookupFile) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (r readable) kind(name string) string {
	if _, is := r.streams[name]; is {
		return "a stream"
	}
	return "a table"
}

func (e entry) lookup() LookupFile {
	f := e.fields("file", "format", "delimiter", "csv", "columns")
	l := LookupFile{Name: e.name}
	if v, ok := f.need("file", "the file that holds its rows"); ok {
		if path, ok := v.text(); ok {
			l.File = v.under(path)
		}
	}
	if v, ok := f.get("format"); ok {
		format, _ := v.oneOf(formats...)
		l.Format = Format(format)
	} else if l.File != "" {
		l.Format = formatOf(l.File)
		if l.Format == "" {
			f.problemAt(f.key, "format is missing, and the name of the file does not tell it: one of %s", strings.Join(formats, ", "))
		}
	}
	l.CSV = f.csv(l.Format)
	if v, ok := f.need("columns", "a map of column names to types, such as {iata: VARCHAR}"); ok {
		var spec landing.Spec
		v.columns(&spec)
		l.Columns = spec.Columns
		if len(spec.Fields) > 0 {
			v.problem("the columns of a lookup are those of its file: want types alone")
		}
	}
	return l
}

// formatOf is what a file's name says of its format, with or without compression; or "".
func formatOf(path string) Format {
	for _, packed := range []string{".gz", ".zst", ".sz"} {
		path = strings.TrimSuffix(path, packed)
	}
	name := strings.TrimPrefix(filepath.Ext(path), ".")
	if slices.Contains(formats, name) {
		return Format(name)
	}
	return ""
}
