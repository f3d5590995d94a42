package datafile

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"strandline/internal/digest"
)

// Writer writes a data file one row group after the other, so that no more than
// one has to be in memory. It ends with a Close or an Abort.
type Writer struct {
	path   string
	cols   []Column
	file   *os.File // nil once it has ended
	hash   hash.Hash
	at     int64 // bytes that were written
	groups []format.RowGroup
	chunks []*chunk // as many columns are encoded or written at once
	all    []int32  // 0, 1, 2 …
}

// chunks are those of files that have ended, for others to use their memory again.
var chunks = sync.Pool{New: func() any { return new(chunk) }}

// Written says what a whole file is.
type Written struct {
	Bytes  int64
	Digest digest.Hash // SHA-256 of its bytes
}

// Create makes path a data file of the columns cols, in that order, without
// rows yet.
func Create(path string, cols []Column, effort Effort) (*Writer, error) {
	if err := checkColumns(cols); err != nil {
		return nil, fmt.Errorf("write data file %s: %w", path, err)
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("write data file: %w", err)
	}
	w := &Writer{path: path, cols: cols, file: file, hash: sha256.New()}
	width := runtime.GOMAXPROCS(0)
	if width > 1 {
		width *= 2 // no processor waits while one is written, or for the one that takes longest
	}
	for range width {
		c := chunks.Get().(*chunk)
		c.effort = effort
		w.chunks = append(w.chunks, c)
	}
	if err := w.write([]byte(magic)); err != nil {
		w.Abort()
		return nil, w.wrap(err)
	}
	return w, nil
}

// Group writes a row group of all rows of vectors, one for each column.
func (w *Writer) Group(vectors []*Vector) error {
	if err := checkVectors(w.cols, vectors); err != nil {
		return w.wrap(err)
	}
	for i := len(w.all); i < vectors[0].Len(); i++ {
		w.all = append(w.all, int32(i))
	}
	return w.GroupOf(vectors, w.all[:vectors[0].Len()])
}

// GroupOf writes a row group of the given rows of vectors, in that order.
func (w *Writer) GroupOf(vectors []*Vector, rows []int32) error {
	return w.GroupsOf(vectors, [][]int32{rows})
}

// GroupsOf is GroupOf several times. What is encoded side by side may be of different groups.
func (w *Writer) GroupsOf(vectors []*Vector, groups [][]int32) error {
	if err := checkVectors(w.cols, vectors); err != nil {
		return w.wrap(err)
	}
	if w.file == nil {
		return w.wrap(os.ErrClosed)
	}
	groups = slices.DeleteFunc(slices.Clone(groups), func(rows []int32) bool { return len(rows) == 0 })
	var g format.RowGroup
	return w.wrap(w.encodeEach(vectors, groups, func(group, column int, c *chunk) error {
		if column == 0 {
			g = format.RowGroup{NumRows: int64(len(groups[group])), FileOffset: w.at, Ordinal: int16(len(w.groups))}
		}
		err := w.column(&g, w.cols[column].Name, c)
		if err == nil && column == len(w.cols)-1 {
			w.groups = append(w.groups, g)
		}
		return err
	}))
}

// encodeEach encodes each column of each group, several at once where rows are many, and
// calls write with them in their order.
func (w *Writer) encodeEach(vectors []*Vector, groups [][]int32, write func(group, column int, c *chunk) error) error {
	columns, rows := len(vectors), 0
	for _, g := range groups {
		rows += len(g)
	}
	width := len(w.chunks)
	if rows < BlockRows {
		width = 1
	}
	done := make([]chan error, columns*len(groups))
	begun := 0
	defer func() {
		for _, d := range done[:begun] { // nothing is encoded any more when this returns
			<-d
		}
	}()
	for i := range done {
		for ; begun < min(i+width, len(done)); begun++ {
			done[begun] = w.begin(w.chunks[begun%width], vectors[begun%columns], groups[begun/columns], width > 1)
		}
		c := w.chunks[i%width]
		err := <-done[i]
		if err == nil {
			err = write(i/columns, i%columns, c)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", w.cols[i%columns].Name, err)
		}
	}
	return nil
}

// begin encodes rows, in a goroutine of its own if it is to be beside others. What it
// returns says how that ended, and is closed then.
func (w *Writer) begin(c *chunk, v *Vector, rows []int32, beside bool) chan error {
	done := make(chan error, 1)
	encode := func() { done <- c.encode(v, rows); close(done) }
	if beside {
		go encode()
	} else {
		encode()
	}
	return done
}

// column writes a column of a row group, as it was encoded.
func (w *Writer) column(g *format.RowGroup, name string, c *chunk) error {
	meta := c.meta
	meta.PathInSchema = []string{name}
	meta.TotalUncompressedSize, meta.TotalCompressedSize = c.plain, int64(c.out.Len())
	if meta.DataPageOffset > 0 {
		meta.DictionaryPageOffset = w.at
	}
	meta.DataPageOffset += w.at
	g.Columns = append(g.Columns, format.ColumnChunk{MetaData: meta})
	g.TotalByteSize += meta.TotalUncompressedSize
	g.TotalCompressedSize += meta.TotalCompressedSize
	return w.write(c.out.Bytes())
}

func (w *Writer) write(b []byte) error {
	w.hash.Write(b)
	n, err := w.file.Write(b)
	w.at += int64(n)
	return err
}

// Close ends the file and tells what it is. It waits for no disk: the file is one on its way
// to a store, which does so for what it keeps. On an error nothing is left.
func (w *Writer) Close() (Written, error) {
	end, err := footer(w.cols, w.groups)
	if err == nil {
		err = w.write(end)
	}
	if err != nil {
		w.Abort()
		return Written{}, w.wrap(err)
	}
	if err := w.file.Close(); err != nil {
		w.Abort()
		return Written{}, w.wrap(err)
	}
	w.end()
	return Written{Bytes: w.at, Digest: digest.Hash(w.hash.Sum(nil))}, nil
}

// Abort removes the file. After a Close it does nothing.
func (w *Writer) Abort() {
	if w.file == nil {
		return
	}
	_ = w.file.Close() // nothing that it would still write is wanted
	_ = os.Remove(w.path)
	w.end()
}

func (w *Writer) end() {
	for _, c := range w.chunks {
		chunks.Put(c)
	}
	w.file, w.chunks = nil, nil
}

func (w *Writer) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write data file %s: %w", w.path, err)
}
