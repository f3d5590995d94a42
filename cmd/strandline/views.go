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

// writeView writes a SELECT that reads a snapshot from its files, which list writes as a
// list of SQL, in the order of its receipts. Columns that older generations made and newer
// ones don't are NULL where they are missing.
func writeView(w *bufio.Writer, s *manifests.Snapshot, list func(*bufio.Writer)) {
	columns := s.Columns()
	joined := func(text func(datafile.Column) string) string {
		return strings.Join(names(columns, text), ", ")
	}
	empty := "SELECT " + joined(func(c datafile.Column) string {
		return fmt.Sprintf("NULL::%s AS %s", c.Type, duck.Ident(c.Name))
	}) + " WHERE false"
	read := func(byName bool) {
		before, after := datafile.ReadAround(byName)
		w.WriteString(before)
		list(w)
		w.WriteString(after)
	}
	some, uniform := s.Uniform()
	selected := joined(func(c datafile.Column) string { return duck.Ident(c.Name) })
	switch {
	case !some:
		w.WriteString(empty)
	case uniform:
		w.WriteString("SELECT " + selected + " FROM ")
		read(false)
	default:
		// The empty rows bring the columns that no file has any more.
		w.WriteString("SELECT " + selected + " FROM (" + empty + " UNION ALL BY NAME SELECT * FROM ")
		read(true)
		w.WriteString(")")
	}
}

// listOf writes a list of paths.
func listOf(paths []string) func(*bufio.Writer) {
	return func(w *bufio.Writer) { w.WriteString("[" + strings.Join(names(paths, duck.Path), ", ") + "]") }
}

// listIn writes a list of the files that lie in a folder and are named by lines, many at a
// time, each without its suffix. What all have is written once: of very many files the text
// is far shorter so, and SQL reads one text sooner than a list of many. Lines may end as
// editors of Windows have them: views are saved, and checked in.
func listIn(folder string, lines iter.Seq[[]byte]) func(*bufio.Writer) {
	return func(w *bufio.Writer) {
		w.WriteString("[" + duck.Path(folder+"/") + " || file || " + duck.Path(manifests.DataSuffix) + " FOR file IN string_split(replace('")
		var text []byte
		for some := range lines {
			text = duck.AppendPath(text, some)
			w.Write(text)
			text = append(text[:0], '\n')
		}
		w.WriteString("', chr(13), ''), chr(10))]")
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
