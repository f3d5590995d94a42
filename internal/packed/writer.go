// Package packed writes values one after another in few bytes, and reads them
// back. It knows no fields and no versions: who reads must know what was written.
//
// It is for the checkpoints of large states and the like, where JSON would cost
// ten times the time and three times the bytes.
package packed

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"time"

	"strandline/internal/digest"
)

// Writer gathers what is written. The zero Writer is empty; Bytes may be set to
// write after something.
type Writer struct{ Bytes []byte }

// Append writes bytes that were written before by another Writer. Little more than
// them may be written after it without moving everything.
func (w *Writer) Append(bytes []byte) {
	const more = 1 << 10
	w.Bytes = append(slices.Grow(w.Bytes, len(bytes)+more), bytes...)
}

// Block writes how many bytes there are, and them.
func (w *Writer) Block(bytes []byte) {
	w.Uint(uint64(len(bytes)))
	w.Bytes = append(w.Bytes, bytes...)
}

// Uint writes a number; small ones take few bytes.
func (w *Writer) Uint(n uint64) { w.Bytes = binary.AppendUvarint(w.Bytes, n) }

// Int writes a number of either sign; those near 0 take few bytes.
func (w *Writer) Int(n int64) { w.Bytes = binary.AppendVarint(w.Bytes, n) }

// Bool writes yes or no.
func (w *Writer) Bool(yes bool) {
	if yes {
		w.Uint(1)
	} else {
		w.Uint(0)
	}
}

// Text writes any bytes.
func (w *Writer) Text(s string) {
	w.Uint(uint64(len(s)))
	w.Bytes = append(w.Bytes, s...)
}

// Hash writes 32 bytes.
func (w *Writer) Hash(h digest.Hash) { w.Bytes = append(w.Bytes, h[:]...) }

// Sum writes 16 bytes.
func (w *Writer) Sum(s digest.Sum128) {
	w.Bytes = binary.BigEndian.AppendUint64(w.Bytes, s.Hi)
	w.Bytes = binary.BigEndian.AppendUint64(w.Bytes, s.Lo)
}

// Time writes an instant to the nanosecond. It is read back in UTC.
func (w *Writer) Time(t time.Time) {
	w.Int(t.Unix())
	w.Uint(uint64(t.Nanosecond()))
}

// How an id is written.
const (
	idText = iota // as it is
	idHex         // the 16 bytes of its 32 digits
)

// idBytes is how many bytes the ids have that objects get.
const idBytes = 16

// ID writes a text that is most often the 32 hexadecimal digits of an object's
// id, which take half as many bytes.
func (w *Writer) ID(id string) {
	if !isHexID(id) {
		w.Uint(idText)
		w.Text(id)
		return
	}
	w.Uint(idHex)
	w.Bytes, _ = hex.AppendDecode(w.Bytes, []byte(id))
}

// isHexID tells whether id is just what encoding 16 bytes makes.
func isHexID(id string) bool {
	if len(id) != 2*idBytes {
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
