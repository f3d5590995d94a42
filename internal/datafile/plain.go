package datafile

import (
	"math"

	"github.com/parquet-go/parquet-go"
)

// Plain is a value as most are that come as text: a part of a text that is somewhere else,
// or a number. It takes no pointer, and so fewer steps than a Value to be made and moved.
// Its zero value is NULL.
type Plain struct {
	number int64
	at     span  // of a text, or of a number's digits where its canonical encoding has them
	zeros  uint8 // that the encoding has after the digits
	is     plainKind
}

type plainKind uint8

const (
	plainNull plainKind = iota
	plainText
	plainNumber
)

// MaxPlainText is the size of a text, in bytes, that plain values are parts of.
const MaxPlainText = math.MaxInt32

// PlainText returns the VARCHAR that is at [from, to) of a text, in bytes.
func PlainText(from, to int) Plain {
	return Plain{at: span{uint32(from), uint32(to)}, is: plainText}
}

// PlainNumber returns n / 10^fraction, n having at most 18 digits, as a BIGINT or a DECIMAL
// of that type. It is at [from, to) of a text, as JSON writes it and without an exponent.
// Not ok says nothing about the number.
func PlainNumber(t *Type, n int64, fraction, from, to int) (p Plain, ok bool) {
	p = Plain{is: plainNumber}
	p.number, ok = shortNumber(t, n, fraction)
	zeros := 0
	if t.Kind == Decimal {
		zeros = t.Scale - fraction
	}
	// Of zero there may be a sign; without a fraction the encoding has a point of its own;
	// and if all digits are fraction it has no zero before the point.
	if n != 0 && (zeros == 0 || fraction > 0) && (t.Kind == BigInt || t.Precision > t.Scale) {
		p.at, p.zeros = span{uint32(from), uint32(to)}, uint8(zeros)
	}
	return p, ok
}

// PlainInteger returns the BIGINT, TIMESTAMP or TIMESTAMPTZ n, which is written at
// [from, to) of a text but for so many zeros at its end.
func PlainInteger(n int64, zeros, from, to int) Plain {
	p := Plain{number: n, is: plainNumber}
	if n != 0 {
		p.at, p.zeros = span{uint32(from), uint32(to)}, uint8(zeros)
	}
	return p
}

// IsNull tells whether it is NULL.
func (p *Plain) IsNull() bool { return p.is == plainNull }

// Value returns it as one of a type, whose bytes are those of text.
func (p *Plain) Value(t *Type, text []byte) Value {
	switch p.is {
	case plainText:
		return Text(text[p.at.from:p.at.to])
	case plainNumber:
		return numberValue(t, p.number)
	default:
		return Value{}
	}
}

// numberValue returns a number that fits 64 bits as a BIGINT or a DECIMAL of that type.
func numberValue(t *Type, n int64) Value {
	if t.Kind == Decimal && t.Precision <= maxDigits32 {
		return parquet.Int32Value(int32(n))
	}
	return parquet.Int64Value(n)
}
