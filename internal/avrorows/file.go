// Package avrorows reads Avro object container files, row by row, as JSON that keeps
// every value.
package avrorows

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"strandline/internal/jsonrow"
)

const magic = "Obj\x01"

// maxBlock is how many bytes a block may have, packed or not.
const maxBlock = 256 << 20

// File is an Avro object container file.
type File struct {
	copied  io.ReaderAt
	size    int64
	r       *ocf.Reader
	schema  *avro.SchemaNode
	written *tail
	texts   jsonrow.Paths
}

// Open reads the header of the container that copied is. Its errors are those of
// package jsonrow, or of the disk. room bounds how many bytes a block has without its
// compression; one is held at a time.
//
// The format has no mark of its end: a file that is cut between two blocks is whole.
func Open(copied *os.File, size int64, room jsonrow.Room) (f *File, err error) {
	head := make([]byte, min(len(magic), int(size)))
	if _, err := copied.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case len(head) < len(magic):
		return nil, fmt.Errorf("%w: %d bytes are too few for Avro", jsonrow.ErrCut, size)
	case string(head) != magic:
		return nil, fmt.Errorf("%w: it is no Avro object container", jsonrow.ErrUnsupported)
	}
	f = &File{copied: copied, size: size, written: &tail{r: io.NewSectionReader(copied, 0, size)}}
	return f, jsonrow.Guard("its header", func() error { return f.open(room) })
}

func (f *File) open(room jsonrow.Room) (err error) {
	f.r, err = ocf.NewReader(f.written, ocf.WithMaxBlockBytes(maxBlock), ocf.WithMaxDecompressedBlockBytes(room.Part(maxBlock)),
		ocf.WithDecodeOpts(avro.TaggedUnions(), avro.TagLogicalTypes()))
	if err != nil {
		return f.classed(unread(err))
	}
	if f.schema = f.r.Schema().Root(); f.schema.Type != "record" {
		return fmt.Errorf("%w: its schema is of %s, want a record", jsonrow.ErrUnsupported, f.schema.Type)
	}
	return nil
}

// tail is a reader that remembers whether its end was reached.
type tail struct {
	r     io.Reader
	ended bool
}

func (t *tail) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.ended = t.ended || err == io.EOF
	return n, err
}

// classed puts an error of the reader into its class.
func (f *File) classed(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) && f.written.ended {
		return fmt.Errorf("%w: %w", jsonrow.ErrCut, err)
	}
	return jsonrow.Damaged(limited(err))
}

// Names returns the names of the fields.
func (f *File) Names() []string {
	names := make([]string, len(f.schema.Fields))
	for i, field := range f.schema.Fields {
		names[i] = field.Name
	}
	return names
}

// AsText makes the bytes at these places texts.
func (f *File) AsText(at jsonrow.Paths) { f.texts = at }

// Each calls fn with every row, in order, until fn returns an error, which is
// returned. A row that would have more than limit bytes has the problem
// jsonrow.ErrLong.
func (f *File) Each(limit int, fn func(jsonrow.Row) error) (err error) {
	defer func() { err = errors.Join(err, f.r.Close()) }()
	w := newWriting(f.schema, limit, f.texts)
	for position := int64(1); ; position++ {
		row := jsonrow.Row{Position: position}
		err := jsonrow.Guard("a block", func() error {
			var value any
			if err := f.r.Decode(&value); err == io.EOF {
				return err
			} else if err != nil {
				return f.classed(err)
			}
			row.JSON, row.Problem = w.row(value)
			return nil
		})
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("row %d: %w", position, f.orSeveral(err))
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}
