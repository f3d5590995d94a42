package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Decompress returns the bytes of r with gzip (of any number of members), zstd
// (of any number of frames) or framed snappy taken off. Which it is, if any, is
// seen from the first bytes, never from a name. maxWindow bounds the memory that
// zstd data may ask for, in bytes; 0 means DefaultMaxWindow.
//
// Reads fail with ErrTruncated where the data ends early and with ErrCorrupt
// where it is damaged; nothing of such a source may be landed. Framed snappy
// alone has no end of its own: cut between two of its chunks it is whole. Close
// ends the decompression and leaves r open.
func Decompress(r io.Reader, maxWindow uint64) (io.ReadCloser, error) {
	source := &source{r: r}
	plain := bufio.NewReaderSize(source, 64<<10)
	head, err := plain.Peek(len(snappyMagic))
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case isBeginning(head, compressedMagics):
		return nil, errCutMagic
	case bytes.HasPrefix(head, []byte(gzipMagic)):
		return openGzip(plain, source)
	case isZstd(head):
		return openZstd(plain, source, maxWindow)
	case string(head) == snappyMagic:
		return openSnappy(plain, source), nil
	default:
		return io.NopCloser(plain), nil
	}
}

// isCompressed tells the beginning of what Decompress would decompress.
func isCompressed(head []byte) bool {
	return bytes.HasPrefix(head, []byte(gzipMagic)) || isZstd(head) || bytes.HasPrefix(head, []byte(snappyMagic))
}

const gzipMagic = "\x1f\x8b"

// compressedMagics are what compressed data begins with.
var compressedMagics = func() []string {
	all := []string{gzipMagic, zstdMagic, snappyMagic}
	for c := byte(0x50); c < 0x60; c++ {
		all = append(all, string([]byte{c})+skippableRest)
	}
	return all
}()

// What a zstd frame begins with, and a skippable one after its first byte.
const (
	zstdMagic     = "\x28\xb5\x2f\xfd"
	skippableRest = "\x2a\x4d\x18"
)

var errCutMagic = fmt.Errorf("%w (it has not even all of the bytes that tell its form)", ErrTruncated)

// isBeginning tells whether the bytes that are all there are may be the beginning of one of
// these, and are less than it.
func isBeginning(all []byte, magics []string) bool {
	return len(all) > 0 && slices.ContainsFunc(magics, func(magic string) bool {
		return len(all) < len(magic) && strings.HasPrefix(magic, string(all))
	})
}

// isZstd tells a zstd frame, or a skippable one before it.
func isZstd(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	skippable := head[0]&0xf0 == 0x50 && string(head[1:4]) == skippableRest
	return skippable || bytes.HasPrefix(head, []byte(zstdMagic))
}

func openZstd(r io.Reader, from *source, maxWindow uint64) (io.ReadCloser, error) {
	if maxWindow == 0 {
		maxWindow = DefaultMaxWindow
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, from.blame(err)
	}
	return unpacker{Reader: z, from: from, close: func() error { z.Close(); return nil }}, nil
}

// unpacker gives the decompressors' errors their class.
type unpacker struct {
	io.Reader
	from  *source
	close func() error
}

func (u unpacker) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = u.from.blame(err)
	}
	return n, err
}

func (u unpacker) Close() error { return u.close() }

// source remembers the error that reading ended with, so that a broken disk
// or a cancelled read is not taken for damaged data.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// blame classes an error of a decompressor that reads from s.
func (s *source) blame(err error) error {
	switch {
	case s.err != nil:
		return s.err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%w (%w)", ErrTruncated, err)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("%w: its zstd window is too large, compress it with a smaller one", ErrFormat)
	default:
		return fmt.Errorf("%w (%w)", ErrCorrupt, err)
	}
}
