package ingest

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// openGzip reads members of gzip one after another. Zeros may follow, as blocks of tapes
// and of some writers are filled up; whatever else follows is said to.
func openGzip(r *bufio.Reader, from *source) (io.ReadCloser, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, from.blame(err)
	}
	z.Multistream(false)
	return unpacker{Reader: &gzipMembers{z: z, r: r}, from: from, close: z.Close}, nil
}

type gzipMembers struct {
	z *gzip.Reader
	r *bufio.Reader
}

func (m *gzipMembers) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		if err != io.EOF {
			return n, err
		}
		if n > 0 {
			return n, nil // the next call comes back here
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next begins the next member, or returns io.EOF where there is none.
func (m *gzipMembers) next() error {
	head, err := m.r.Peek(len(gzipMagic))
	switch {
	case err != nil && err != io.EOF:
		return err
	case len(head) > 0 && head[0] == 0 || len(head) == 0:
		return m.padding()
	case string(head) == gzipMagic:
		if err := m.z.Reset(m.r); err != nil {
			return unexpected(err)
		}
		m.z.Multistream(false)
		return nil
	case string(head) == gzipMagic[:len(head)]:
		return io.ErrUnexpectedEOF
	}
	return errAfterGzip
}

var errAfterGzip = errors.New("its gzip is whole, but what follows it is no gzip")

// padding reads zeros up to the end.
func (m *gzipMembers) padding() error {
	for {
		b, err := m.r.ReadByte()
		if err != nil {
			return err
		}
		if b != 0 {
			return errAfterGzip
		}
	}
}

// unexpected is an error within a member: its end is too early.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
