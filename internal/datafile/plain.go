package datafile

import (
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"
)

// Plain is a value as most are that come as text: a part of a text that is somewhere else,
// or a number. It takes no pointer, and so fewer steps than a Value to be made and moved.
// Its zero value is NULL.
type Plain struct {
	number int64
	at     span
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
// of that type. Not ok says nothing about the number.
func PlainNumber(t *Type, n int64, fraction int) (p Plain, ok bool) {
	n, ok = shortNumber(t, n, fraction)
	return Plain{number: n, is: plainNumber}, ok
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

// AppendPlain is AppendDigested of a value that was made for the vector's type, and whose
// bytes are those of text.
func (v *Vector) AppendPlain(dst []byte, p *Plain, text []byte) ([]byte, error) {
	v.differ = v.rows > 0
	switch {
	case p.is == plainNull:
		v.appendNull()
		return AppendNull(dst), nil
	case p.is == plainText && v.typ.Kind == Varchar:
		dst = appendSpan(appendLength(dst, int(p.at.to-p.at.from)), text, p.at)
		return dst, v.appendPart(text, p.at)
	case p.is == plainNumber && v.typ.Kind == BigInt:
		v.appendWord(uint64(p.number))
		return appendSigned(dst, p.number), nil
	case p.is == plainNumber && v.typ.Kind == Decimal && !v.bytes:
		v.appendWord(uint64(p.number))
		return appendShortDecimal(dst, &v.typ, p.number), nil
	default:
		return dst, fmt.Errorf("holds a plain value that was not made for %s", v.typ)
	}
}

// numberValue returns a number that fits 64 bits as a BIGINT or a DECIMAL of that type.
func numberValue(t *Type, n int64) Value {
	if t.Kind == Decimal && t.Precision <= maxDigits32 {
		return parquet.Int32Value(int32(n))
	}
	return parquet.Int64Value(n)
}
