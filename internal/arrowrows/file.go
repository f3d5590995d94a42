// Package arrowrows reads Arrow IPC, files and streams, row by row, as JSON that
// keeps every value.
package arrowrows

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"strandline/internal/jsonrow"
)

// How Arrow IPC begins and ends.
const (
	fileMagic   = "ARROW1"
	messageMark = "\xff\xff\xff\xff"
	streamEnd   = messageMark + "\x00\x00\x00\x00"
)

// File is Arrow IPC of one schema.
type File struct {
	schema *arrow.Schema
	memory *bounded
	// next returns the next batch, valid until the one after it, or io.EOF.
	next  func() (arrow.RecordBatch, error)
	close func() error
	texts jsonrow.Paths
}

// Open reads the schema of the Arrow IPC that copied holds in size bytes: a file, a
// stream, or streams of the same columns one after another. Its errors are those of
// package jsonrow, of room, or of the disk.
//
// A stream without the mark of its end is taken to be cut: the format allows to leave
// the mark out, but then nothing tells a whole stream from the first half of one.
func Open(copied *os.File, size int64, room jsonrow.Room) (f *File, err error) {
	head, tail := make([]byte, len(streamEnd)), make([]byte, len(fileMagic))
	if size < int64(len(head)) {
		return nil, fmt.Errorf("%w: %d bytes are too few for Arrow IPC", jsonrow.ErrCut, size)
	}
	if _, err := copied.ReadAt(head, 0); err != nil {
		return nil, err
	}
	if _, err := copied.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil, err
	}
	isFile := string(head[:len(fileMagic)]) == fileMagic
	switch {
	case isFile && string(tail) != fileMagic:
		return nil, fmt.Errorf("%w: its footer is missing", jsonrow.ErrCut)
	case !isFile && string(head[:len(messageMark)]) != messageMark:
		return nil, fmt.Errorf("%w: it is not Arrow IPC", jsonrow.ErrUnsupported)
	}
	f = &File{memory: &bounded{room: room, stored: size}}
	err = jsonrow.Guard("its schema", func() error {
		if isFile {
			return f.openFile(copied, size)
		}
		return f.openStreams(copied, size)
	})
	return f, err
}

func (f *File) openFile(copied *os.File, size int64) error {
	if err := checkFooter(copied, size); err != nil {
		return err
	}
	r, err := ipc.NewFileReader(io.NewSectionReader(copied, 0, size), ipc.WithAllocator(f.memory))
	if err != nil {
		return f.classed(err)
	}
	f.schema, f.close = r.Schema(), r.Close
	i := 0
	f.next = func() (arrow.RecordBatch, error) {
		if i == r.NumRecords() {
			return nil, io.EOF
		}
		i++
		return r.RecordBatchAt(i - 1)
	}
	return nil
}

func (f *File) openStreams(copied *os.File, size int64) error {
	streams, err := findStreams(copied, size)
	if err != nil {
		return err
	}
	r, err := f.openStream(copied, streams[0])
	if err != nil {
		return err
	}
	f.schema = r.Schema()
	f.close = func() error { r.Release(); return nil }
	f.next = func() (arrow.RecordBatch, error) {
		for {
			batch, err := r.Read()
			if err == nil {
				batch.Retain() // so that both kinds are released alike
				return batch, nil
			}
			if streams = streams[1:]; err != io.EOF || len(streams) == 0 {
				return nil, err
			}
			following, err := f.openStream(copied, streams[0])
			if err != nil {
				return nil, err
			}
			r.Release()
			if r = following; !isAlike(f.schema, r.Schema()) {
				return nil, fmt.Errorf("%w: the stream that begins at byte %d of it has other columns than the first (hand over each by itself)", jsonrow.ErrUnsupported, streams[0].from)
			}
		}
	}
	return nil
}

func (f *File) openStream(copied *os.File, at extent) (*ipc.Reader, error) {
	r, err := ipc.NewReader(io.NewSectionReader(copied, at.from, at.to-at.from), ipc.WithAllocator(f.memory))
	if err != nil {
		return nil, f.classed(err)
	}
	return r, nil
}

// isAlike tells whether two schemas have the same columns.
func isAlike(a, b *arrow.Schema) bool {
	return a.Endianness() == b.Endianness() && slices.EqualFunc(a.Fields(), b.Fields(), func(a, b arrow.Field) bool {
		return a.Name == b.Name && arrow.TypeEqual(a.Type, b.Type)
	})
}

// lostPanic is what the reader says before the words of a panic that it keeps nothing
// else of.
const lostPanic = "arrow/ipc: invalid message metadata: "

// classed puts an error of the reader into its class.
func (f *File) classed(err error) error {
	switch {
	case f.memory.err != nil:
		return f.memory.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", jsonrow.ErrCut, err)
	case strings.Contains(err.Error(), lostPanic):
		return jsonrow.Misfit("the head of a message")
	}
	return jsonrow.Damaged(err)
}

// Names returns the names of the columns.
func (f *File) Names() []string {
	names := make([]string, f.schema.NumFields())
	for i := range names {
		names[i] = f.schema.Field(i).Name
	}
	return names
}

// AsText makes the bytes at these places texts.
func (f *File) AsText(at jsonrow.Paths) { f.texts = at }

// Each calls fn with every row, in order, until fn returns an error, which is
// returned. A row that would have more than limit bytes has the problem
// jsonrow.ErrLong.
func (f *File) Each(limit int, fn func(jsonrow.Row) error) (err error) {
	defer func() { err = errors.Join(err, jsonrow.Guard("its end", f.close)) }()
	w := &writing{limit: limit, texts: f.texts}
	for position := int64(0); ; {
		batch, err := f.batch()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("after row %d: %w", position, err)
		}
		err = f.eachOf(batch, w, &position, fn)
		batch.Release()
		if err != nil {
			return err
		}
	}
}

// batch returns the next batch, or io.EOF.
func (f *File) batch() (batch arrow.RecordBatch, err error) {
	err = jsonrow.Guard("a batch", func() (err error) {
		if batch, err = f.next(); err != nil && err != io.EOF {
			return f.classed(err)
		}
		return err
	})
	return batch, err
}

// maxRows is how many rows a batch may have: of NULLs alone it takes no byte for any.
const maxRows = 1 << 24

func (f *File) eachOf(batch arrow.RecordBatch, w *writing, position *int64, fn func(jsonrow.Row) error) error {
	if n := batch.NumRows(); n > maxRows {
		return fmt.Errorf("%w: a batch has %d rows (write it in batches of %d at most)", jsonrow.ErrUnsupported, n, maxRows)
	}
	for i := range int(batch.NumRows()) {
		*position++
		var row jsonrow.Row
		err := jsonrow.Guard("a value", func() error { row = w.row(batch, i); return nil })
		if err != nil {
			return fmt.Errorf("row %d: %w", *position, err)
		}
		row.Position = *position
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}
