package datafile

import (
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"
)

// sliceRows is how many rows a slice of a vector holds.
const sliceRows = 1 << 12

// Vector holds values of one column, row after row, as bare numbers and bytes:
// what a Value takes, and what the collector would have to look at, is not spent on
// each. Rows are added at its end; a reset vector uses its memory again.
type Vector struct {
	typ    Type
	kind   parquet.Kind
	bytes  bool // whether values are bytes, or fit 64 bits
	rows   int
	nulls  int
	size   int64
	slices []slice
	spare  []slice // of before the reset
}

// slice holds the values of sliceRows rows, the last one of a vector of fewer. It is
// never moved, so that a vector that grows copies nothing.
type slice struct {
	levels []byte   // of each row: 1, or 0 where it is NULL
	words  []uint64 // of each row that fits 64 bits, as Value has it
	spans  []span   // where each row's bytes are in text
	text   []byte
}

// span is a part of a text.
type span struct{ from, to uint32 }

// NewVector returns a vector of that type, without rows.
func NewVector(t Type) *Vector {
	kind := physical(t)
	return &Vector{typ: t, kind: kind, bytes: kind == parquet.ByteArray || kind == parquet.FixedLenByteArray}
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

// Size returns about how many bytes of memory the rows take.
func (v *Vector) Size() int64 { return v.size }

// Reset forgets the rows.
func (v *Vector) Reset() {
	v.spare, v.slices = append(v.spare, v.slices...), v.slices[:0]
	v.rows, v.nulls, v.size = 0, 0, 0
}

// Append adds a row. What the value points to is copied. A value of another kind than
// the type is kept as is an error, and is not added.
func (v *Vector) Append(x Value) error {
	switch {
	case x.IsNull():
		v.add(0, 0, span{})
		v.nulls++
		return nil
	case x.Kind() != v.kind || v.kind == parquet.FixedLenByteArray && len(x.ByteArray()) != 16:
		return fmt.Errorf("holds a value of kind %s where %s is kept as %s", x.Kind(), v.typ, v.kind)
	case v.bytes:
		return v.appendText(x.ByteArray())
	}
	v.add(1, x.Uint64(), span{})
	return nil
}

func (v *Vector) appendText(text []byte) error {
	s := v.last()
	at := len(s.text)
	if uint64(at)+uint64(len(text)) > math.MaxUint32 {
		return fmt.Errorf("holds more than 4 GiB in %d rows", len(s.levels)+1)
	}
	s.text = append(s.text, text...)
	v.size += int64(len(text))
	v.add(1, 0, span{uint32(at), uint32(at + len(text))})
	return nil
}

// Repeat adds a row that is as the last one, and takes no more memory for its bytes.
func (v *Vector) Repeat() error {
	row := v.rows - 1
	switch {
	case v.level(row) == 0:
		return v.Append(Value{})
	case !v.bytes:
		v.add(1, v.word(row), span{})
	case v.rows%sliceRows == 0:
		return v.appendText(v.textOf(row))
	default:
		s := v.last()
		v.add(1, 0, s.spans[len(s.spans)-1])
	}
	return nil
}

// rowBytes is what a row takes in a vector, beside its bytes.
const rowBytes = 9

// add adds a row of what the type's rows are kept as.
func (v *Vector) add(level byte, word uint64, at span) {
	s := v.last()
	s.levels = append(s.levels, level)
	if v.bytes {
		s.spans = append(s.spans, at)
	} else {
		s.words = append(s.words, word)
	}
	v.rows++
	v.size += rowBytes
}

// last returns the slice that takes the next row.
func (v *Vector) last() *slice {
	if v.rows == len(v.slices)*sliceRows {
		v.slices = append(v.slices, v.fresh())
	}
	return &v.slices[len(v.slices)-1]
}

func (v *Vector) fresh() slice {
	if last := len(v.spare) - 1; last >= 0 {
		s := v.spare[last]
		v.spare = v.spare[:last]
		return slice{levels: s.levels[:0], words: s.words[:0], spans: s.spans[:0], text: s.text[:0]}
	}
	if len(v.slices) == 0 {
		return slice{} // a vector of few rows takes little
	}
	s := slice{levels: make([]byte, 0, sliceRows)}
	if !v.bytes {
		s.words = make([]uint64, 0, sliceRows)
		return s
	}
	before := len(v.slices[len(v.slices)-1].text)
	s.spans, s.text = make([]span, 0, sliceRows), make([]byte, 0, before+before/16)
	return s
}

// present counts the rows that are not NULL.
func (v *Vector) present(rows []int32) int {
	if v.nulls == 0 {
		return len(rows)
	}
	n := 0
	for _, row := range rows {
		n += int(v.level(int(row)))
	}
	return n
}

// level is 1, or 0 for a row that is NULL.
func (v *Vector) level(row int) byte {
	return v.slices[uint(row)/sliceRows].levels[uint(row)%sliceRows]
}

// word returns a row's 64 bits.
func (v *Vector) word(row int) uint64 {
	return v.slices[uint(row)/sliceRows].words[uint(row)%sliceRows]
}

// textOf returns a row's bytes.
func (v *Vector) textOf(row int) []byte {
	s := &v.slices[uint(row)/sliceRows]
	at := s.spans[uint(row)%sliceRows]
	return s.text[at.from:at.to]
}

// sharesText tells whether the second row was repeated to be the first, near enough to
// lie in the same bytes.
func (v *Vector) sharesText(row, other int) bool {
	if !v.bytes || uint(row)/sliceRows != uint(other)/sliceRows {
		return false
	}
	s := &v.slices[uint(row)/sliceRows]
	a, b := s.spans[uint(row)%sliceRows], s.spans[uint(other)%sliceRows]
	return a == b
}
