package avrorows

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"strandline/internal/jsonrow"
)

// orSeveral is err, or says that the file is several containers in one, whose second header was taken for a block.
func (f *File) orSeveral(err error) error {
	mark, unread := f.mark()
	if unread != nil {
		return err
	}
	if at := f.find(append(mark, magic...)); at >= 0 {
		return fmt.Errorf("%w: it is several containers in one, of which the second begins at byte %d: hand over each by itself", jsonrow.ErrUnsupported, at+int64(len(mark)))
	}
	return err
}

// mark returns the bytes that end the header of the first container, and each of its blocks.
func (f *File) mark() ([]byte, error) {
	r := bufio.NewReader(io.NewSectionReader(f.copied, int64(len(magic)), f.size-int64(len(magic))))
	for {
		entries, err := binary.ReadVarint(r)
		if err != nil {
			return nil, err
		}
		if entries == 0 {
			mark := make([]byte, 16)
			_, err = io.ReadFull(r, mark)
			return mark, err
		}
		if entries < 0 { // then the bytes of them all are told, too
			entries = -entries
			if _, err := binary.ReadVarint(r); err != nil {
				return nil, err
			}
		}
		for range 2 * entries { // a name and a value each
			n, err := binary.ReadVarint(r)
			if err == nil {
				_, err = io.CopyN(io.Discard, r, n)
			}
			if err != nil {
				return nil, err
			}
		}
	}
}

// find returns where these bytes begin, -1 if they are not there or the copy can't be read.
func (f *File) find(wanted []byte) int64 {
	chunk := make([]byte, min(1<<20, f.size))
	for from := int64(0); ; from += int64(len(chunk) - len(wanted)) {
		n, err := f.copied.ReadAt(chunk, from)
		if i := bytes.Index(chunk[:n], wanted); i >= 0 {
			return from + int64(i)
		}
		if err != nil || from+int64(n) >= f.size {
			return -1
		}
	}
}
