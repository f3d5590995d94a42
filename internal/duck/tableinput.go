package duck

import (
	"context"
	"slices"

	"strandline/internal/datafile"
)

// TableView makes (or replaces) the TEMP view name of the columns in files that were
// written by a job or for one, at paths on this machine. A column that a file lacks is
// NULL there. sources says which column of the files one is, by its name, if that is
// called otherwise there. Without files there are no rows, of the same types. An
// error of the engine is ErrIO.
func (s *Session) TableView(ctx context.Context, name string, paths []string, columns []datafile.Column, sources map[string]string) error {
	return s.View(ctx, name, tableSQL(paths, columns, sources))
}

func tableSQL(paths []string, columns []datafile.Column, sources map[string]string) string {
	source := func(c datafile.Column) datafile.Column {
		if in, renamed := sources[c.Name]; renamed {
			c.Name = in
		}
		return c
	}
	var stored []datafile.Column // each once, though it may be two columns
	for _, c := range columns {
		if c = source(c); !slices.Contains(stored, c) {
			stored = append(stored, c)
		}
	}
	from := "SELECT " + joined(stored, func(c datafile.Column) string { return "NULL::" + c.Type.String() + " AS " + Ident(c.Name) }) + " WHERE false"
	if len(paths) > 0 {
		from += "\nUNION ALL BY NAME SELECT * FROM " + ReadParquet(paths)
	}
	return "SELECT " + joined(columns, func(c datafile.Column) string { return read(source(c)) + " AS " + Ident(c.Name) }) + " FROM (\n" + from + "\n)"
}
