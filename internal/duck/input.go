package duck

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"strandline/internal/datafile"
)

// InputFile is a segment's file on this machine and the position of the row
// at offset 0 in it.
type InputFile struct {
	Path string
	Base int64
	// Origins say where columns are read from, by name, where the file was written
	// under another declaration; one that has none there is NULL. A nil map means
	// that the file has each column under its name and of its type.
	Origins map[string][]datafile.Origin
	// Below is the position below which rows are converted, where Origins want that.
	Below int64
}

// The columns of a segment's file that aren't declared ones, and the engine's
// number of a file in a scan, which no column may hide.
const (
	columnEventTime = "event_time"
	columnOffset    = "__offset"
	columnFileIndex = "file_index"
)

// builtIn are the columns that every input has, before the declared ones.
var builtIn = []datafile.Column{
	{Name: "position", Type: datafile.Type{Kind: datafile.BigInt}},
	{Name: columnEventTime, Type: datafile.Type{Kind: datafile.TimestampTZ}},
	{Name: "landed_at", Type: datafile.Type{Kind: datafile.TimestampTZ}},
	{Name: "source", Type: datafile.Type{Kind: datafile.Varchar}},
	{Name: "source_position", Type: datafile.Type{Kind: datafile.BigInt}},
}

var extra = datafile.Column{Name: "extra", Type: datafile.Type{Kind: datafile.Varchar}}

// InputView makes (or replaces) the TEMP view name, which reads segments as
// InputSQL does. An error of the engine is ErrIO.
func (s *Session) InputView(ctx context.Context, name string, files []InputFile, columns []datafile.Column) error {
	sql, err := InputSQL(files, columns)
	if err != nil {
		return fmt.Errorf("make view %s: %w", name, err)
	}
	return s.View(ctx, name, sql)
}

// View makes (or replaces) a TEMP view that reads files. The SQL being ours, an error of
// the engine is ErrIO: it reads the files' footers here.
func (s *Session) View(ctx context.Context, name, sql string) error {
	err := s.Exec(ctx, "CREATE OR REPLACE TEMP VIEW "+Ident(name)+" AS "+sql)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil, errors.Is(err, ErrMemory), errors.Is(err, ErrIO):
		return fmt.Errorf("make view %s: %w", name, err)
	}
	return fmt.Errorf("make view %s: %w: %v", name, ErrIO, err)
}

// InputSQL is a SELECT that reads segments: position, event_time, landed_at,
// source, source_position, the declared columns in their order and types, and
// extra. A value that a file has as another type, or within JSON, is converted as it
// would have been when it landed; one that can't be is an error of the query.
// Filters and the choice of columns reach into the files. Without files there are no
// rows, of the same types.
//
// A row's position is its file's base plus its offset; the bases are a list
// that is looked up by the number of the file, which costs a few per cent of a
// bare scan where a join costs some more, and a UNION of one scan a file twice
// the time with many files.
func InputSQL(files []InputFile, columns []datafile.Column) (string, error) {
	for _, c := range columns {
		if name := fold(c.Name); name == columnOffset || name == columnFileIndex {
			return "", fmt.Errorf("column %s: the name is taken by Strandline; declare the column under another", c.Name)
		}
	}
	all := append(append(append([]datafile.Column{}, builtIn...), columns...), extra)
	from := "SELECT " + joined(all, func(c datafile.Column) string { return "NULL::" + c.Type.String() + " AS " + Ident(c.Name) }) + " WHERE false"
	for _, alike := range writtenAlike(files) {
		scan, err := scanSQL(alike)
		if err == nil && alike[0].Origins != nil {
			scan, err = originsSQL(columns, alike[0], scan)
		}
		if err != nil {
			return "", err
		}
		from += "\nUNION ALL BY NAME " + scan
	}
	return "SELECT " + joined(all, func(c datafile.Column) string { return read(c) + " AS " + Ident(c.Name) }) + " FROM (\n" + from + "\n)", nil
}

// read is a column as jobs see it. What a file holds as another type is cast
// where it differs. Of a float's two zeros, which are one to digests, and of
// which dictionaries in Parquet files may keep either, only 0.0 is seen.
func read(c datafile.Column) string {
	cast := "CAST(" + Ident(c.Name) + " AS " + c.Type.String() + ")"
	if c.Type.Kind == datafile.Float || c.Type.Kind == datafile.Double {
		return cast + " + 0"
	}
	return cast
}

// scanSQL reads the files with all their columns, and position before them.
func scanSQL(files []InputFile) (string, error) {
	paths := make([]string, len(files))
	bases := make([]string, len(files))
	for i, file := range files {
		abs, err := filepath.Abs(file.Path)
		if err != nil {
			return "", fmt.Errorf("segment file %s: %w", file.Path, err)
		}
		paths[i], bases[i] = abs, strconv.FormatInt(file.Base, 10)
	}
	return fmt.Sprintf("SELECT ([%s]::BIGINT[])[file_index::BIGINT + 1] + %s AS position, * FROM %s",
		strings.Join(bases, ", "), Ident(columnOffset), ReadParquet(paths)), nil
}

// ReadParquet is a table function call for FROM that reads the files in their
// order, matching columns by name; one that a file lacks is NULL there.
func ReadParquet(paths []string) string {
	return datafile.ReadSQL("["+joined(paths, Path)+"]", true)
}
