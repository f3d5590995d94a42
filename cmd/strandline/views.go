package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"strandline/internal/datafile"
	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/manifests"
)

// viewSQL is a SELECT that reads a snapshot from the files at paths, which are
// those of its receipts in order. Columns that older generations made and
// newer ones don't are NULL where they are missing.
func viewSQL(s *manifests.Snapshot, paths []string) string {
	columns := s.Columns()
	list := func(text func(datafile.Column) string) string {
		return strings.Join(names(columns, text), ", ")
	}
	empty := "SELECT " + list(func(c datafile.Column) string {
		return fmt.Sprintf("NULL::%s AS %s", c.Type, duck.Ident(c.Name))
	}) + " WHERE false"
	if len(paths) == 0 {
		return empty
	}
	selected := list(func(c datafile.Column) string { return duck.Ident(c.Name) })
	if uniform(s) {
		return "SELECT " + selected + " FROM read_parquet([" + quoted(paths) + "])"
	}
	// The empty rows bring the columns that no file has any more.
	return "SELECT " + selected + " FROM (" + empty + " UNION ALL BY NAME SELECT * FROM read_parquet([" + quoted(paths) + "], union_by_name = true))"
}

// quoted lists paths for SQL, each on a line of its own.
func quoted(paths []string) string {
	var b strings.Builder
	if len(paths) > 0 {
		b.Grow(len(paths) * (len(paths[0]) + len("\n  '',")))
	}
	for i, path := range paths {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  ")
		b.WriteString(duck.Path(path))
	}
	return b.String()
}

// uniform tells whether every file of the snapshot has just its columns.
func uniform(s *manifests.Snapshot) bool {
	for r := range s.All() {
		if len(r.Files) > 0 && !slices.Equal(r.Columns, s.Columns()) {
			return false
		}
	}
	return true
}

// files are a snapshot's files, in order of time. Of their bytes only the size
// is held against the receipts: reading all of them is what verify does.
func files(s *manifests.Snapshot) []localfile.File {
	var out []localfile.File
	for r := range s.All() {
		for _, f := range r.Files {
			out = append(out, localfile.File{Key: manifests.DataKey(s.Table, r.Partition, f.ID), Bytes: f.Bytes})
		}
	}
	return out
}

// versions are the table versions that a query asks for with --at.
type versions struct {
	all   *manifests.Version
	named map[string]manifests.Version
	// candidate asks for what is held, as if it were released.
	candidate bool
}

// snapshot reads a table as of the version asked for, or as it is now.
func (l *lake) snapshot(ctx context.Context, table string, at versions) (*manifests.Snapshot, error) {
	version, named := at.named[table]
	if !named && at.all != nil {
		version, named = *at.all, true
	}
	if named {
		return l.tables[table].SnapshotAt(ctx, version)
	}
	snapshot, err := l.tables[table].Snapshot(ctx)
	if err == nil && at.candidate {
		snapshot = snapshot.WithCandidates()
	}
	return snapshot, err
}

func names[T any](of []T, name func(T) string) []string {
	out := make([]string, len(of))
	for i, x := range of {
		out[i] = name(x)
	}
	return out
}
