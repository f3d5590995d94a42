package datafile

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// batch is how many values of a column are decoded at a time. A compaction reads hundreds of
// files side by side, each of which has room for so many of every column.
const batch = 128

// Scan calls fn for each row, in file order, with its values in the order of
// Columns. The slice and the bytes of its values are valid during that call only.
// Scan ends with fn's first error, as it is, or with one that is ErrCorrupt.
func (f *File) Scan(fn func(row []Value) error) error {
	cursors := make([]cursor, len(f.cols))
	row := make([]Value, len(f.cols))
	for g, rg := range f.pq.RowGroups() {
		if err := f.scanGroup(rg, cursors, row, fn); err != nil {
			var of *damage
			if errors.As(err, &of) {
				return fmt.Errorf("read data file %s: row group %d: %w", f.path, g, err)
			}
			return err
		}
	}
	return nil
}

// damage is an error of the file, as opposed to one of Scan's caller.
type damage struct{ err error }

func (d *damage) Error() string { return d.err.Error() }
func (d *damage) Unwrap() error { return d.err }

func (f *File) scanGroup(rg parquet.RowGroup, cursors []cursor, row []Value, fn func([]Value) error) (err error) {
	for c, chunk := range rg.ColumnChunks() {
		cursors[c].open(chunk, f.cols[c])
	}
	defer func() {
		for c := range cursors {
			if cerr := cursors[c].close(); err == nil && cerr != nil {
				err = &damage{cerr}
			}
		}
	}()
	for range rg.NumRows() {
		for c := range cursors {
			cur := &cursors[c]
			if cur.next == cur.have {
				if err := cur.fill(); err != nil {
					return &damage{err}
				}
			}
			row[c] = cur.values[cur.next]
			cur.next++
		}
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// cursor walks the values of one column of one row group. The page it stands
// in is kept until its last value has been passed, since values point into it.
type cursor struct {
	col    Column
	pages  parquet.Pages
	page   parquet.Page
	reader parquet.ValueReader
	values [batch]Value
	next   int
	have   int
}

func (c *cursor) open(chunk parquet.ColumnChunk, col Column) {
	c.col, c.pages, c.next, c.have = col, chunk.Pages(), 0, 0
}

// fill reads the next values, at least one.
func (c *cursor) fill() error {
	c.next, c.have = 0, 0
	err := guard(func() error {
		for c.have == 0 {
			if err := c.read(); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: column %q ends before its row group does", ErrCorrupt, c.col.Name)
	case err != nil:
		return fmt.Errorf("column %q: %w", c.col.Name, corrupt(err))
	}
	return nil
}

func (c *cursor) read() (err error) {
	if c.reader == nil {
		if c.page, err = c.pages.ReadPage(); err != nil {
			return err
		}
		c.reader = c.page.Values()
	}
	c.have, err = c.reader.ReadValues(c.values[:])
	if errors.Is(err, io.EOF) {
		err = nil
		if c.have == 0 {
			c.release()
		}
	}
	if err == nil {
		err = c.check()
	}
	return err
}

// check makes sure that the values are of the kind that the column's type is
// read as, so that nothing later has to.
func (c *cursor) check() error {
	want := physical(c.col.Type)
	for i := range c.values[:c.have] {
		v := &c.values[i]
		if !v.IsNull() && (v.Kind() != want || want == parquet.FixedLenByteArray && len(v.ByteArray()) != 16) {
			return fmt.Errorf("%w: it holds a value of kind %s where %s is kept as %s", ErrCorrupt, v.Kind(), c.col.Type, want)
		}
	}
	return nil
}

func (c *cursor) release() {
	if c.page != nil {
		parquet.Release(c.page)
	}
	c.page, c.reader = nil, nil
}

func (c *cursor) close() error {
	if c.pages == nil {
		return nil
	}
	pages := c.pages
	c.pages = nil
	return guard(func() error {
		c.release()
		return pages.Close()
	})
}
