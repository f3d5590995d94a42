package datafile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// ErrCorrupt says that a file is not a whole, undamaged Parquet file.
var ErrCorrupt = errors.New("damaged data file")

// readBuffer is how many bytes of a column are read at once, of a file that has as
// many.
const readBuffer = 64 << 10

// File is an open data file of this machine.
type File struct {
	path  string
	file  *os.File
	bytes int64
	cols  []Column
	pq    *parquet.File
}

// Open opens the data file at path, one of ours or one that the engine wrote.
// A file that isn't whole gives an error that is ErrCorrupt; a column of a
// type that Strandline doesn't store gives one that names it.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open data file: %w", err)
	}
	f := &File{path: path, file: file}
	if err := f.readFooter(); err != nil {
		return nil, fmt.Errorf("open data file %s: %w", path, errors.Join(err, file.Close()))
	}
	return f, nil
}

func (f *File) readFooter() error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	f.bytes = info.Size()
	if err := f.checkFrame(); err != nil {
		return err
	}
	return guard(func() error {
		f.pq, err = parquet.OpenFile(f.file, f.bytes,
			parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(int(min(readBuffer, f.bytes))))
		if err != nil {
			return corrupt(err)
		}
		if f.cols, err = columnsOf(f.pq); err != nil {
			return err
		}
		return f.checkChunks()
	})
}

// checkFrame looks at the file's first and last bytes before anything is
// allocated by what they say.
func (f *File) checkFrame() error {
	const trailer = 8
	if f.bytes < int64(len(magic)+trailer) {
		return fmt.Errorf("%w: %d bytes are too few for a Parquet file", ErrCorrupt, f.bytes)
	}
	var head [4]byte
	var tail [trailer]byte
	if _, err := f.file.ReadAt(head[:], 0); err != nil {
		return err
	}
	if _, err := f.file.ReadAt(tail[:], f.bytes-trailer); err != nil {
		return err
	}
	if string(head[:]) != magic || string(tail[4:]) != magic {
		return fmt.Errorf("%w: it does not begin and end as a Parquet file (it may be cut short)", ErrCorrupt)
	}
	if footer := int64(binary.LittleEndian.Uint32(tail[:4])); footer > f.bytes-trailer-int64(len(magic)) {
		return fmt.Errorf("%w: its footer claims more bytes than the file has", ErrCorrupt)
	}
	return nil
}

// checkChunks makes sure that the footer's numbers agree with each other and
// lie within the file.
func (f *File) checkChunks() error {
	rows := int64(0)
	for i, g := range f.pq.Metadata().RowGroups {
		if g.NumRows < 0 || len(g.Columns) != len(f.cols) {
			return fmt.Errorf("%w: row group %d has %d rows and %d columns of %d", ErrCorrupt, i, g.NumRows, len(g.Columns), len(f.cols))
		}
		for j := range g.Columns {
			m := &g.Columns[j].MetaData
			start := m.DataPageOffset
			if m.DictionaryPageOffset != 0 {
				start = m.DictionaryPageOffset
			}
			if m.Codec == format.Lz4Raw {
				// parquet-go makes room for it until it fits, which on bytes
				// that are not LZ4 never ends but with the memory.
				return fmt.Errorf("%w: column %q of row group %d claims to be LZ4, which neither Strandline nor its engine writes", ErrCorrupt, f.cols[j].Name, i)
			}
			if start < 0 || m.TotalCompressedSize < 0 || start > f.bytes-m.TotalCompressedSize || m.NumValues != g.NumRows {
				return fmt.Errorf("%w: column %q of row group %d does not lie within the file", ErrCorrupt, f.cols[j].Name, i)
			}
		}
		rows += g.NumRows
	}
	if rows != f.pq.NumRows() {
		return fmt.Errorf("%w: its row groups have %d rows and its footer says %d", ErrCorrupt, rows, f.pq.NumRows())
	}
	return nil
}

// Columns returns the columns in file order. The slice is the file's own.
func (f *File) Columns() []Column { return f.cols }

// Rows returns how many rows the file has.
func (f *File) Rows() int64 { return f.pq.NumRows() }

// Bytes returns the file's size.
func (f *File) Bytes() int64 { return f.bytes }

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

func corrupt(err error) error {
	if errors.Is(err, ErrCorrupt) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

// errMisfit says that what a file tells of itself is contradicted by its bytes, which
// parquet-go found out by a panic. What Go words then is of a program, not of a file.
var errMisfit = fmt.Errorf("%w: what its footer and its pages say does not fit together", ErrCorrupt)

// guard runs fn and turns a panic into ErrCorrupt. It stands around calls into
// parquet-go only, which on bytes that no writer made indexes out of range
// in places that its own checks miss: one damaged file must not end a program
// that serves other partitions. Code of a caller never runs inside it.
func guard(fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errMisfit
		}
	}()
	return fn()
}
