package main

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"strings"

	"strandline/internal/datafile"
	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/manifests"
)

// writeView writes a SELECT that reads a snapshot from its files, which lie at folder
// followed by each of paths, in the order of its receipts. Columns that older generations made and
// newer ones don't are NULL where they are missing.
func writeView(w *bufio.Writer, s *manifests.Snapshot, folder string, paths iter.Seq[[]byte]) {
	columns := s.Columns()
	list := func(text func(datafile.Column) string) string {
		return strings.Join(names(columns, text), ", ")
	}
	empty := "SELECT " + list(func(c datafile.Column) string {
		return fmt.Sprintf("NULL::%s AS %s", c.Type, duck.Ident(c.Name))
	}) + " WHERE false"
	some, uniform := s.Uniform()
	selected := list(func(c datafile.Column) string { return duck.Ident(c.Name) })
	switch {
	case !some:
		w.WriteString(empty)
	case uniform:
		w.WriteString("SELECT " + selected + " FROM read_parquet([")
		quote(w, folder, paths)
		w.WriteString("])")
	default:
		// The empty rows bring the columns that no file has any more.
		w.WriteString("SELECT " + selected + " FROM (" + empty + " UNION ALL BY NAME SELECT * FROM read_parquet([")
		quote(w, folder, paths)
		w.WriteString("], union_by_name = true))")
	}
}

// quote lists paths for SQL, each on a line of its own.
func quote(w *bufio.Writer, folder string, paths iter.Seq[[]byte]) {
	before := duck.AppendPath([]byte(",\n  '"), []byte(folder))
	skip := 1 // the first comma
	for path := range paths {
		line := duck.AppendPath(append(w.AvailableBuffer(), before[skip:]...), path)
		w.Write(append(line, '\''))
		skip = 0
	}
}

// bytesOf yields texts.
func bytesOf(texts []string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, text := range texts {
			if !yield([]byte(text)) {
				return
			}
		}
	}
}

// files are a snapshot's files, in order of time. Of their bytes only the size
// is held against the receipts: reading all of them is what verify does.
func files(s *manifests.Snapshot) []localfile.File {
	var out []localfile.File
	for r := range s.Each() {
		for _, f := range r.Files() {
			out = append(out, localfile.File{Key: manifests.DataKey(s.Table, r.Partition(), f.ID), Bytes: f.Bytes})
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
