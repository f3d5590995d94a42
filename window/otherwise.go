package window

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strandline/internal/duck"
	"strandline/internal/objstore"
	"strandline/landing"
)

const (
	relaidFiles    = 3    // so that no order of files is that of positions
	relaidRowGroup = 2048 // rows, the least the engine writes
)

// RecomputeOtherwise computes a partition of the rows that Recompute does, on
// purpose in another way: its rows are first laid out anew, in an order drawn
// from seed, in several files of small row groups, from files in reverse. A
// job whose result is not a pure function of its rows and what tells them apart
// gives itself away by it, the more surely on an engine with several threads.
// Errors are those of Recompute.
func (c *Compiled) RecomputeOtherwise(ctx context.Context, from Source, p Partition, seed uint64) (Output, error) {
	id, err := objstore.FreshID()
	if err != nil {
		return Output{}, err
	}
	dir := filepath.Join(from.Scratch, id)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return Output{}, fmt.Errorf("make a scratch folder: %w", err)
	}
	defer os.RemoveAll(dir)
	var relaid []fetched
	err = c.withFiles(ctx, from, p, func(files []fetched) (err error) {
		relaid, err = c.relay(ctx, from, p, files, seed, dir)
		return err
	})
	if err != nil {
		return Output{}, err
	}
	return c.compute(ctx, from, p, relaid)
}

// relay writes the partition's rows of all inputs, which are in files, into others in dir.
func (c *Compiled) relay(ctx context.Context, from Source, p Partition, files []fetched, seed uint64, dir string) ([]fetched, error) {
	session, err := from.Engine.Session(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	relaid := make([]fetched, len(files))
	for i, in := range c.Inputs {
		slices.Reverse(files[i].segments)
		slices.Reverse(files[i].paths)
		columns := c.shapes[i].columns(in)
		if !in.Table {
			columns = c.readColumns(columns)
		}
		if err := c.rawRows(ctx, session, i, files[i], columns); err != nil {
			return nil, c.classify(ctx, err)
		}
		relaid[i].upTo = files[i].upTo
		l := layout{in, c.shapes[i], c.readsOf(in, p.span()), seed}
		for share := range relaidFiles {
			path := filepath.Join(dir, fmt.Sprintf("%s-%d.parquet", in.Name, share))
			if err := session.Exec(ctx, l.sql(share, path)); err != nil {
				return nil, c.classify(ctx, fmt.Errorf("lay rows out anew: %w", err))
			}
			relaid[i].add(in, path)
		}
	}
	return relaid, nil
}

// add adds a file of rows that were laid out anew. A stream's have their positions for
// offsets, so the file's base is 0.
func (f *fetched) add(in Input, path string) {
	if in.Table {
		f.paths = append(f.paths, path)
		return
	}
	f.segments = append(f.segments, duck.InputFile{Path: path})
}

// layout is how rows of an input are laid out anew.
type layout struct {
	in    Input
	shape Shape
	reads span
	seed  uint64
}

// sql writes one share of the rows, in an order that what tells them apart has no part
// in.
func (l layout) sql(share int, path string) string {
	unique, columns := duck.Ident(landing.ColumnPosition), fmt.Sprintf("%[1]s AS __offset, * EXCLUDE (%[1]s)", duck.Ident(landing.ColumnPosition))
	if l.in.Table {
		var names []string
		for _, name := range l.shape.Table.unique() {
			names = append(names, duck.Ident(name))
		}
		unique = strings.Join(names, ", ")
		columns = fmt.Sprintf("* EXCLUDE (%s)", landing.ColumnEventTime)
		if at := l.shape.Table.Time; slices.Contains(own, strings.ToLower(at)) {
			columns += fmt.Sprintf(", %s AS %s", landing.ColumnEventTime, duck.Ident(at))
		}
	}
	return fmt.Sprintf(`COPY (
  SELECT %[1]s
  FROM %[2]s
  WHERE event_time >= make_timestamptz(%[3]d) AND event_time < make_timestamptz(%[4]d)
    AND hash(%[5]s, %[6]d::UBIGINT) %% %[7]d = %[8]d
  ORDER BY hash(%[6]d::UBIGINT, %[5]s), %[5]s
) TO %[9]s (FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE %[10]d, USE_TMP_FILE false)`,
		columns, duck.Ident(l.in.rawView()), l.reads.from, l.reads.to, unique, l.seed, relaidFiles, share, duck.Literal(path), relaidRowGroup)
}
