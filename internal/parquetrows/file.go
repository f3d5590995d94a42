// Package parquetrows reads Parquet files that others wrote, row by row, as JSON
// that keeps every value. The files of a lake itself are read by
// internal/datafile, which takes nothing but what Strandline writes.
package parquetrows

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"strandline/internal/jsonrow"
)

// File is a Parquet file that is read.
type File struct {
	pq      *parquet.File
	r       io.ReaderAt
	size    int64
	room    jsonrow.Room
	columns []*node
	leaves  []levels
	// unpacked is how many bytes the pages that were looked at have in all.
	unpacked int64
}

// Open reads the footer of the Parquet file of size bytes that copied is. It may
// append to it. Its errors are those of package jsonrow, of room, or of the disk.
func Open(copied *os.File, size int64, room jsonrow.Room) (*File, error) {
	if err := checkFrame(copied, size); err != nil {
		return nil, err
	}
	f := &File{r: copied, size: size, room: room}
	return f, jsonrow.Guard("its footer", func() error { return f.open(copied) })
}

func (f *File) open(copied *os.File) error {
	footer, begin, err := readFooter(copied, f.size)
	if err != nil {
		return err
	}
	if f.leaves, err = f.readSchema(footer.Schema); err != nil {
		return err
	}
	if err := f.checkBeginning(footer, begin); err != nil {
		return err
	}
	if f.size, err = f.rewrite(copied, footer); err != nil {
		return err
	}
	f.pq, err = parquet.OpenFile(copied, f.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.SkipMagicBytes(true))
	if err != nil {
		return jsonrow.Damaged(err)
	}
	return nil
}

// checkFrame looks at the file's first and last bytes before anything is
// allocated by what they say.
func checkFrame(r io.ReaderAt, size int64) error {
	const trailer = 8
	head, tail := make([]byte, len(magic)), make([]byte, trailer)
	if size < int64(len(magic)+trailer) {
		return fmt.Errorf("%w: %d bytes are too few for a Parquet file", jsonrow.ErrCut, size)
	}
	if _, err := r.ReadAt(head, 0); err != nil {
		return err
	}
	if _, err := r.ReadAt(tail, size-trailer); err != nil {
		return err
	}
	switch {
	case string(head) == "PARE" || string(tail[4:]) == "PARE":
		return fmt.Errorf("%w: it is encrypted", jsonrow.ErrUnsupported)
	case string(head) != magic:
		return fmt.Errorf("%w: it is not Parquet", jsonrow.ErrUnsupported)
	case string(tail[4:]) != magic:
		return fmt.Errorf("%w: its footer is missing", jsonrow.ErrCut)
	}
	if footer := int64(binary.LittleEndian.Uint32(tail)); footer > size-trailer-int64(len(magic)) {
		return fmt.Errorf("%w: its footer claims more bytes than the file has", jsonrow.ErrDamaged)
	}
	return nil
}

// Names returns the names of the file's columns, the outermost ones.
func (f *File) Names() []string {
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		names[i] = c.name
	}
	return names
}

// batch is how many rows are taken from the file at a time.
const batch = 64

// Each calls fn with every row of the file, in its order, until fn returns an
// error, which is returned. A row that would have more than limit bytes has the
// problem jsonrow.ErrLong.
func (f *File) Each(limit int, fn func(jsonrow.Row) error) error {
	position := int64(0)
	for i, group := range f.pq.RowGroups() {
		if empty, err := isEmpty(&f.pq.Metadata().RowGroups[i]); err != nil {
			return fmt.Errorf("row group %d: %w", i, err)
		} else if empty {
			continue
		}
		if err := jsonrow.Guard("a column", func() error { return f.checkGroup(i) }); err != nil {
			return fmt.Errorf("row group %d: %w", i, err)
		}
		if err := f.eachOf(group, limit, &position, fn); err != nil {
			return err
		}
	}
	return nil
}

// isEmpty tells whether a row group has no rows. The columns of such a one may have no
// pages, wherever they say that these begin.
func isEmpty(group *format.RowGroup) (bool, error) {
	if group.NumRows != 0 {
		return false, nil
	}
	for i := range group.Columns {
		if m := &group.Columns[i].MetaData; m.NumValues != 0 {
			return false, fmt.Errorf("%w: it has no rows, but column %s has %d values", jsonrow.ErrDamaged, m.PathInSchema, m.NumValues)
		}
	}
	return true, nil
}

func (f *File) eachOf(group parquet.RowGroup, limit int, position *int64, fn func(jsonrow.Row) error) (err error) {
	var rows parquet.Rows
	if err := jsonrow.Guard("a column", func() error { rows = group.Rows(); return nil }); err != nil {
		return fmt.Errorf("after row %d: %w", *position, err)
	}
	defer func() { err = errors.Join(err, jsonrow.Guard("a column", rows.Close)) }()
	buffer, a := make([]parquet.Row, batch), newAssembly(len(group.ColumnChunks()), limit)
	for left := group.NumRows(); left > 0; {
		n, err := take(rows, buffer[:min(batch, left)])
		if err != nil {
			return fmt.Errorf("after row %d: %w", *position, err)
		}
		for _, row := range buffer[:n] {
			*position++
			out := jsonrow.Row{Position: *position}
			err := jsonrow.Guard("a value", func() error { return a.row(f.columns, row, &out) })
			if err != nil {
				return fmt.Errorf("row %d: %w", *position, err)
			}
			if err := fn(out); err != nil {
				return err
			}
		}
		left -= int64(n)
	}
	return nil
}

// take reads the next rows, one at least.
func take(rows parquet.Rows, into []parquet.Row) (n int, err error) {
	err = jsonrow.Guard("a column", func() (err error) {
		n, err = rows.ReadRows(into)
		return err
	})
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return 0, jsonrow.Damaged(err)
	case n == 0:
		return 0, fmt.Errorf("%w: a row group has fewer rows than it says", jsonrow.ErrDamaged)
	}
	return n, nil
}
