package arrowrows

import (
	"encoding/binary"
	"fmt"
	"os"

	"strandline/internal/jsonrow"
)

// message is where one of Arrow's messages ends, and its FlatBuffer: nil for the mark
// of a stream's end.
type message struct {
	meta flat
	end  int64
}

// messageAt reads what the message at an offset says of itself. It lies before end, else
// the error is jsonrow.ErrCut. Old writers put no mark before its length.
func messageAt(copied *os.File, at, end int64) (message, error) {
	length, at, err := wordAt(copied, at, end)
	if err == nil && length == marked {
		length, at, err = wordAt(copied, at, end)
	}
	if err != nil || length == 0 {
		return message{end: at}, err
	}
	if int64(length) > end-at {
		return message{}, errMessageCut
	}
	meta, err := section(copied, at, int64(length), end)
	if err != nil {
		return message{}, err
	}
	body := int64(0)
	if slot := meta.slot(meta.root(), 3); slot > 0 {
		body = meta.i64(slot)
	}
	if at += int64(length); body < 0 || body > end-at {
		return message{}, errMessageCut
	}
	return message{meta, at + body}, nil
}

// marked is the word that messages begin with.
const marked = 0xffffffff

var errMessageCut = fmt.Errorf("%w: a message does not end within it", jsonrow.ErrCut)

// wordAt returns the four bytes at an offset, and the offset after them.
func wordAt(copied *os.File, at, end int64) (word uint32, after int64, err error) {
	const size = 4
	if end-at < size {
		return 0, at, fmt.Errorf("%w: the mark of a stream's end is missing", jsonrow.ErrCut)
	}
	bytes := make([]byte, size)
	_, err = copied.ReadAt(bytes, at)
	return binary.LittleEndian.Uint32(bytes), at + size, err
}

// checkSchema looks at the schema that a message holds.
func (m message) checkSchema() error {
	if m.meta == nil {
		return fmt.Errorf("%w: a stream of it has no schema", jsonrow.ErrDamaged)
	}
	return m.meta.schema(m.meta.follow(m.meta.slot(m.meta.root(), 2)))
}
