package ingest

import (
	"errors"
	"io"

	"github.com/klauspost/compress/s2"
)

// What framed snappy begins with, and the bytes that one of its chunks has at most.
const (
	snappyMagic = "\xff\x06\x00\x00sNaPpY"
	maxChunk    = 64 << 10
)

func openSnappy(r io.Reader, from *source) io.ReadCloser {
	chunks := &snappyChunks{r: r}
	chunks.plain = s2.NewReader(chunks.asked(), s2.ReaderMaxBlockSize(maxChunk))
	return unpacker{Reader: chunks, from: from, close: func() error { return nil }}
}

// snappyChunks tells framed snappy that ends within a chunk from one that is
// damaged, which its reader does not.
type snappyChunks struct {
	r     io.Reader
	plain io.Reader
	ended bool
}

// asked is what the chunks are read from.
func (s *snappyChunks) asked() io.Reader { return readFunc(s.readPacked) }

func (s *snappyChunks) readPacked(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.ended = s.ended || err == io.EOF
	return n, err
}

func (s *snappyChunks) Read(p []byte) (int, error) {
	n, err := s.plain.Read(p)
	if errors.Is(err, s2.ErrCorrupt) && s.ended {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
