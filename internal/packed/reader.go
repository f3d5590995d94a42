package packed

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"time"

	"strandline/internal/digest"
)

var errCut = errors.New("packed values end early or are none")

// Reader reads back what a Writer wrote. After an error it returns zero values
// only, so it is enough to look at Err or Done in the end.
type Reader struct {
	rest []byte
	err  error
}

// NewReader reads data, which must not change.
func NewReader(data []byte) *Reader { return &Reader{rest: data} }

// Err is not nil if something that was asked for was not there.
func (r *Reader) Err() error { return r.err }

// Done is Err, and an error also if something is left.
func (r *Reader) Done() error {
	if r.err == nil && len(r.rest) > 0 {
		return errors.New("packed values are followed by something else")
	}
	return r.err
}

// Rest is what is left to read.
func (r *Reader) Rest() []byte { return r.rest }

// More tells whether something is left.
func (r *Reader) More() bool { return len(r.rest) > 0 }

func (r *Reader) fail() {
	r.rest, r.err = nil, errCut
}

// take returns the next n bytes, or nil.
func (r *Reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.fail()
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// Uint reads what Writer.Uint wrote.
func (r *Reader) Uint() uint64 {
	if len(r.rest) > 0 && r.rest[0] < 0x80 {
		n := r.rest[0]
		r.rest = r.rest[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// Int reads what Writer.Int wrote.
func (r *Reader) Int() int64 {
	n := r.Uint()
	return int64(n>>1) ^ -int64(n&1)
}

// Count reads a number of things that follow and take at least that many bytes
// each, so that what is no count makes nobody set memory aside for it.
func (r *Reader) Count(least int) int {
	n := r.Uint()
	if n > uint64(len(r.rest)/max(1, least)) {
		r.fail()
		return 0
	}
	return int(n)
}

// Choice reads a number below n.
func (r *Reader) Choice(n int) int {
	i := r.Uint()
	if i >= uint64(n) {
		r.fail()
		return 0
	}
	return int(i)
}

// Bool reads what Writer.Bool wrote.
func (r *Reader) Bool() bool { return r.Choice(2) == 1 }

// Text reads what Writer.Text wrote.
func (r *Reader) Text() string { return string(r.take(r.Count(1))) }

// Block reads what Writer.Block wrote. The bytes are a part of what is read.
func (r *Reader) Block() []byte { return r.take(r.Count(1)) }

// Hash reads what Writer.Hash wrote.
func (r *Reader) Hash() (h digest.Hash) {
	copy(h[:], r.take(len(h)))
	return h
}

// Sum reads what Writer.Sum wrote.
func (r *Reader) Sum() digest.Sum128 {
	b := r.take(SumBytes)
	if b == nil {
		return digest.Sum128{}
	}
	return SumOf(b)
}

// SumBytes is how many bytes a Sum128 takes.
const SumBytes = 16

// SumOf reads the one that bytes begin with.
func SumOf(b []byte) digest.Sum128 {
	return digest.Sum128{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}
}

// Time reads what Writer.Time wrote.
func (r *Reader) Time() time.Time {
	seconds, nanos := r.Int(), r.Uint()
	if nanos >= uint64(time.Second) {
		r.fail()
	}
	if r.err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanos)).UTC()
}

// ID reads what Writer.ID wrote.
func (r *Reader) ID() string {
	if r.Choice(idHex+1) == idText {
		return r.Text()
	}
	var digits [2 * idBytes]byte
	b := r.take(idBytes)
	if b == nil {
		return ""
	}
	hex.Encode(digits[:], b)
	return string(digits[:])
}
