package datafile

import (
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"
)

// BlockRows is how many rows of a vector lie together.
const BlockRows = 1 << 13

// Vector holds values of one column, row after row, as bare numbers and bytes:
// what a Value takes, and what the collector would have to look at, is not spent on
// each. Rows are added at its end; a reset vector uses its memory again.
type Vector struct {
	typ    Type
	kind   parquet.Kind
	bytes  bool // whether values are bytes, or fit 64 bits
	takes  plainKind
	rows   int
	nulls  int
	differ bool  // not all rows were repeated from the first
	filled bool  // of all rows, which are the same, only the first is there
	text   int64 // bytes of all rows
	shared int   // if not 0, how many texts there are in slices that share numbers of them
	slices []*slice
	last   *slice
	spare  []*slice // of before the reset
}

// slice holds the values of BlockRows rows, the last one of a vector of fewer. It is
// never moved, so that a vector that grows copies nothing.
type slice struct {
	levels []byte   // of each row: 1, or 0 where it is NULL; none if no row is
	words  []uint64 // of each row that fits 64 bits, as Value has it
	spans  []span   // where each row's bytes are in text, or in lent; with codes, those of each code
	codes  []uint16 // of each row, or none
	shared []int32  // of each code, the number of its text in all slices
	text   []byte
	lent   []byte // if not nil, a text of somebody else that has the rows' bytes
}

// NewVector returns a vector of that type, without rows.
func NewVector(t Type) *Vector {
	kind := physical(t)
	bytes := kind == parquet.ByteArray || kind == parquet.FixedLenByteArray
	return &Vector{typ: t, kind: kind, bytes: bytes, takes: plainOf(t, bytes)}
}

// NewVectors returns a vector for each column.
func NewVectors(cols []Column) []*Vector {
	vectors := make([]*Vector, len(cols))
	for i, c := range cols {
		vectors[i] = NewVector(c.Type)
	}
	return vectors
}

// Len returns the number of rows.
func (v *Vector) Len() int { return v.rows }

// Size returns about how many bytes of memory the rows take if each is there.
func (v *Vector) Size() int64 { return 8*int64(v.rows) + v.text }

// Differs tells whether rows were added otherwise than by Repeat after the first.
func (v *Vector) Differs() bool { return v.differ }

// Reset forgets the rows.
func (v *Vector) Reset() {
	v.spare, v.slices = append(v.spare, v.slices...), v.slices[:0]
	v.rows, v.nulls, v.differ, v.filled, v.text = 0, 0, false, false, 0
}

// Append adds a row. What the value points to is copied. A value of another kind than
// the type is kept as is an error, and is not added.
func (v *Vector) Append(x Value) error { return v.append(&x) }

// AppendDigested is Append that also appends the value's canonical encoding to dst.
func (v *Vector) AppendDigested(dst []byte, x *Value) ([]byte, error) {
	if x.Kind() == v.kind {
		v.differ = v.rows > 0
		switch v.typ.Kind { // the types that most values are of
		case Varchar:
			text := x.ByteArray()
			return appendText(dst, text), v.appendText(text)
		case BigInt, TimestampTZ, Timestamp:
			v.appendWord(x.Uint64())
			return appendSigned(dst, x.Int64()), nil
		case Decimal:
			if !v.bytes {
				v.appendWord(x.Uint64())
				return appendDecimal(dst, &v.typ, x), nil
			}
		}
	}
	if err := v.append(x); err != nil {
		return dst, err
	}
	return appendCanonical(dst, &v.typ, x), nil
}

func (v *Vector) append(x *Value) error {
	v.differ = v.rows > 0
	switch {
	case x.IsNull():
		v.appendNull()
	case x.Kind() != v.kind || v.kind == parquet.FixedLenByteArray && len(x.ByteArray()) != 16:
		return fmt.Errorf("holds a value of kind %s where %s is kept as %s", x.Kind(), v.typ, v.kind)
	case v.bytes:
		return v.appendText(x.ByteArray())
	default:
		v.appendWord(x.Uint64())
	}
	return nil
}

// AppendInteger adds a row to a vector of BIGINT, TIMESTAMP or TIMESTAMPTZ.
func (v *Vector) AppendInteger(n int64) {
	v.differ = v.rows > 0
	v.appendWord(uint64(n))
}

// Integer returns a row of a vector of BIGINT, TIMESTAMP or TIMESTAMPTZ that is not NULL.
func (v *Vector) Integer(row int) int64 { return int64(v.word(row)) }

// Shift adds n to each row of a vector of BIGINT, none of which is NULL.
func (v *Vector) Shift(n int64) {
	for _, s := range v.slices {
		for i := range s.words {
			s.words[i] += uint64(n)
		}
	}
}

func (v *Vector) appendNull() {
	s := v.room()
	for n := v.rows % BlockRows; len(s.levels) < n; {
		s.levels = append(s.levels, 1)
	}
	s.levels = append(s.levels, 0)
	if v.bytes {
		s.spans = append(s.spans, span{})
	} else {
		s.words = append(s.words, 0)
	}
	v.rows++
	v.nulls++
}

func (v *Vector) appendWord(word uint64) {
	s := v.room()
	s.words = append(s.words, word)
	v.there(s)
}

func (v *Vector) appendText(text []byte) error {
	if uint64(len(text)) > math.MaxUint32 {
		return errTooLong
	}
	return v.appendPart(text, span{0, uint32(len(text))})
}

// appendPart adds a row of a part of a text.
func (v *Vector) appendPart(text []byte, part span) error {
	s := v.room()
	s.keep()
	from, size := len(s.text), part.to-part.from
	if uint64(from)+uint64(size) > math.MaxUint32 {
		return errTooLong
	}
	s.text = appendSpan(s.text, text, part)
	s.spans = append(s.spans, span{uint32(from), uint32(from) + size})
	v.text += int64(size)
	v.there(s)
	return nil
}

var errTooLong = fmt.Errorf("holds more than 4 GiB in %d rows", BlockRows)

// there counts in the row that was just added to a slice, and that is not NULL.
func (v *Vector) there(s *slice) {
	if len(s.levels) > 0 {
		s.levels = append(s.levels, 1)
	}
	v.rows++
}

// borrow is appendPart that need not copy: text stays as it is until Keep.
func (v *Vector) borrow(text []byte, part span) error {
	s, size := v.room(), int64(part.to-part.from)
	if !s.borrows(text) || v.text+size > math.MaxUint32 {
		return v.appendPart(text, part)
	}
	s.spans = append(s.spans, part)
	v.text += size
	v.there(s)
	return nil
}

// borrows tells whether the rows' bytes are, or can be, parts of a text of somebody else.
func (s *slice) borrows(text []byte) bool {
	switch {
	case len(text) == 0:
		return false
	case s.lent == nil && len(s.text) == 0:
		s.lent = text[:cap(text)]
	}
	return s.lent != nil && &s.lent[0] == &text[0]
}

// Keep copies what AppendPlain did not.
func (v *Vector) Keep() {
	for _, s := range v.slices {
		s.keep()
	}
}

func (s *slice) keep() {
	if s.lent == nil {
		return
	}
	from := s.lent
	s.lent = nil
	for i, at := range s.spans {
		begin := uint32(len(s.text))
		s.text = appendSpan(s.text, from, at)
		s.spans[i] = span{begin, uint32(len(s.text))}
	}
}

// room returns the slice that takes the next row.
func (v *Vector) room() *slice {
	if v.rows == len(v.slices)*BlockRows {
		v.last = v.fresh()
		v.slices = append(v.slices, v.last)
	}
	return v.last
}

func (v *Vector) fresh() *slice {
	if last := len(v.spare) - 1; last >= 0 {
		s := v.spare[last]
		v.spare = v.spare[:last]
		*s = slice{levels: s.levels[:0], words: s.words[:0], spans: s.spans[:0], codes: s.codes[:0], shared: s.shared[:0], text: s.text[:0]}
		return s
	}
	switch {
	case len(v.slices) == 0:
		return &slice{} // a vector of few rows takes little
	case !v.bytes:
		return &slice{words: make([]uint64, 0, BlockRows)}
	}
	before := len(v.last.text)
	return &slice{spans: make([]span, 0, BlockRows), text: make([]byte, 0, before+before/16)}
}

// present counts the rows that are not NULL.
func (v *Vector) present(rows []int32) int {
	switch v.nulls {
	case 0:
		return len(rows)
	case v.rows:
		return 0
	}
	n := 0
	for _, row := range rows {
		n += int(v.level(int(row)))
	}
	return n
}

// level is 1, or 0 for a row that is NULL.
func (v *Vector) level(row int) byte {
	s := v.slices[uint(row)/BlockRows]
	if at := uint(row) % BlockRows; at < uint(len(s.levels)) {
		return s.levels[at]
	}
	return 1
}

// word returns a row's 64 bits.
func (v *Vector) word(row int) uint64 {
	return v.slices[uint(row)/BlockRows].words[uint(row)%BlockRows]
}

// textOf returns a row's bytes. Those after it in memory are of other rows, or of none.
func (v *Vector) textOf(row int) []byte {
	text, at := v.spanOf(row)
	return text[at.from:at.to]
}

// spanOf returns where a row's bytes are.
func (v *Vector) spanOf(row int) (text []byte, at span) {
	s := v.slices[uint(row)/BlockRows]
	return s.bytes(), s.span(int(uint(row) % BlockRows))
}

// equal tells whether two rows, neither of them NULL, have the same value.
func (v *Vector) equal(row, other int) bool {
	if v.bytes {
		return string(v.textOf(row)) == string(v.textOf(other))
	}
	return v.word(row) == v.word(other)
}
