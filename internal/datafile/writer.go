package datafile

import (
	"errors"
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"
)

// Writer writes a data file one row group after the other, so that no more than
// one has to be in memory. It ends with a Close or an Abort.
type Writer struct {
	path string
	cols []Column
	file *os.File                    // nil once it has ended
	pq   *parquet.GenericWriter[any] // nil before the first group
}

// Create makes path a data file of the columns cols, in that order, without
// rows yet.
func Create(path string, cols []Column) (*Writer, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("write data file: %w", err)
	}
	return &Writer{path: path, cols: cols, file: file}, nil
}

// Group writes a row group, whose values are data[c][r]. How columns are
// encoded is chosen by the first.
func (w *Writer) Group(data [][]Value) error {
	if _, err := checkShape(w.cols, data, nil); err != nil {
		return w.wrap(err)
	}
	if w.pq == nil {
		w.begin(data)
	}
	return w.group(data, 0, len(data[0]))
}

// begin chooses how columns are encoded by a sample of their values.
func (w *Writer) begin(sample [][]Value) { w.pq = newWriter(w.file, w.cols, sample) }

func (w *Writer) group(data [][]Value, start, end int) error {
	for i, cw := range w.pq.ColumnWriters() {
		if err := writeColumn(cw, i, w.cols[i].Type, data[i][start:end]); err != nil {
			return w.wrap(fmt.Errorf("column %q: %w", w.cols[i].Name, err))
		}
	}
	return w.wrap(w.pq.Flush())
}

// Close ends the file and returns its size in bytes. The file is on disk (fsync)
// then, though its name in the folder may not be. On an error nothing is left.
func (w *Writer) Close() (bytes int64, err error) {
	if w.pq == nil {
		w.begin(make([][]Value, len(w.cols)))
	}
	if err := errors.Join(w.pq.Close(), w.file.Sync()); err != nil {
		w.Abort()
		return 0, w.wrap(err)
	}
	info, err := w.file.Stat()
	if err = errors.Join(err, w.file.Close()); err != nil {
		w.Abort()
		return 0, w.wrap(err)
	}
	w.file = nil
	return info.Size(), nil
}

// Abort removes the file. After a Close it does nothing.
func (w *Writer) Abort() {
	if w.file == nil {
		return
	}
	_ = w.file.Close() // nothing that it would still write is wanted
	_ = os.Remove(w.path)
	w.file = nil
}

func (w *Writer) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write data file %s: %w", w.path, err)
}
