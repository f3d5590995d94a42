package datafile

import (
	"encoding/hex"
	"math"
	"strconv"
)

// AppendRow appends the canonical encoding of a row, whose digest
// (digest.OfRow) is what receipts add up: the canonical encodings of its
// values one after another, row[i] as of type cols[i].Type.
//
// Names are not part of the encoding and the order is the caller's: whoever
// compares two digests has to give the columns in the same order.
func AppendRow(dst []byte, cols []Column, row []Value) []byte {
	for i := range cols {
		dst = appendCanonical(dst, &cols[i].Type, &row[i])
	}
	return dst
}

// AppendCanonical appends the canonical encoding of one value: "-" for NULL,
// and otherwise the length of its text in bytes, ":" and the text. It can be
// read in one way only, however values are strung together. The text is
//
//   - the decimal digits of an integer, of a DATE's days and of a TIMESTAMP's or
//     TIMESTAMPTZ's microseconds since 1970;
//   - a DECIMAL with exactly scale fraction digits, as SQL writes it: -0.500 (and
//     without the 0 before the point where scale = precision: -.500);
//   - true or false;
//   - a FLOAT or DOUBLE in scientific form with 16 fraction digits, which tells
//     all of them apart: 1.5000000000000000e+00, nan, inf, -inf. The two zeros
//     are one, as they are to the engine, which may write either for both;
//   - the bytes of a VARCHAR or JSON as they are;
//   - a UUID as 8-4-4-4-12 and a BLOB as hexadecimal digits, in lower case.
//
// CanonicalSQL says the same in SQL.
func AppendCanonical(dst []byte, t Type, v Value) []byte { return appendCanonical(dst, &t, &v) }

// AppendInteger appends the canonical encoding of a BIGINT, or of the microseconds of a
// TIMESTAMP or TIMESTAMPTZ.
func AppendInteger(dst []byte, n int64) []byte { return appendSigned(dst, n) }

// AppendNull appends the canonical encoding of NULL, of any type.
func AppendNull(dst []byte) []byte { return append(dst, '-') }

// appendCanonical reads the value where it is: copied just after it was made, its parts
// would have to reach memory first.
func appendCanonical(dst []byte, t *Type, v *Value) []byte {
	if v.IsNull() {
		return AppendNull(dst)
	}
	switch t.Kind {
	case Varchar, JSON:
		return appendText(dst, v.ByteArray())
	case BigInt, Timestamp, TimestampTZ:
		return appendSigned(dst, v.Int64())
	case UBigInt:
		return appendNumber(dst, v.Uint64(), false)
	case UTinyInt, USmallInt, UInteger:
		return appendNumber(dst, uint64(v.Uint32()), false)
	case TinyInt, SmallInt, Integer, Date:
		return appendSigned(dst, int64(v.Int32()))
	case Decimal:
		return appendDecimal(dst, t, v)
	case Blob:
		b := v.ByteArray()
		return hex.AppendEncode(appendLength(dst, hex.EncodedLen(len(b))), b)
	case UUID:
		return appendUUID(append(dst, "36:"...), v.ByteArray())
	case Float:
		return appendFloat(dst, float64(v.Float()))
	case Double:
		return appendFloat(dst, v.Double())
	default:
		return appendText(dst, strconv.AppendBool(make([]byte, 0, 8), v.Boolean()))
	}
}

func appendLength(dst []byte, n int) []byte {
	switch {
	case n < 10:
		return append(dst, '0'+byte(n), ':')
	case n < 100:
		return append(dst, '0'+byte(n/10), '0'+byte(n%10), ':')
	default:
		return append(strconv.AppendUint(dst, uint64(n), 10), ':')
	}
}

func appendText(dst, text []byte) []byte { return append(appendLength(dst, len(text)), text...) }

func appendSigned(dst []byte, n int64) []byte {
	if n < 0 {
		return appendNumber(dst, -uint64(n), true)
	}
	return appendNumber(dst, uint64(n), false)
}

// appendNumber appends an integer of that magnitude.
func appendNumber(dst []byte, n uint64, negative bool) []byte {
	size := digitsOf(n)
	return appendDigits(appendSize(dst, size, negative), n, size)
}

// appendSize appends the length of a number of so many bytes, and its sign.
func appendSize(dst []byte, size int, negative bool) []byte {
	if negative {
		return append(appendLength(dst, size+1), '-')
	}
	return appendLength(dst, size)
}

// appendFloat appends the text of a number in scientific form.
func appendFloat(dst []byte, x float64) []byte {
	var scratch [32]byte
	return appendText(dst, scientific(scratch[:0], x))
}

func scientific(dst []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "nan"...) // of any sign and payload
	case math.IsInf(x, 1):
		return append(dst, "inf"...)
	case math.IsInf(x, -1):
		return append(dst, "-inf"...)
	case x == 0:
		x = 0 // of any sign
	}
	return strconv.AppendFloat(dst, x, 'e', 16, 64)
}

func appendUUID(dst, b []byte) []byte {
	for i, end := range [...]int{4, 6, 8, 10, 16} {
		start := [...]int{0, 4, 6, 8, 10}[i]
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, b[start:end])
	}
	return dst
}

func appendDecimal(dst []byte, t *Type, v *Value) []byte {
	var scratch [64]byte
	switch {
	case t.Precision <= maxDigits32:
		return appendShortDecimal(dst, t, int64(v.Int32()))
	case t.Precision <= maxDigits64:
		return appendShortDecimal(dst, t, v.Int64())
	default:
		return appendText(dst, plainDecimal(scratch[:0], t, v))
	}
}

// appendShortDecimal appends n / 10^scale.
func appendShortDecimal(dst []byte, t *Type, n int64) []byte {
	u := uint64(n)
	if n < 0 {
		u = -u
	}
	least := t.Scale // digits
	if t.Precision > t.Scale {
		least++
	}
	size := max(least, digitsOf(u))
	if t.Scale > 0 {
		size++
	}
	dst = appendSize(dst, size, n < 0)
	if t.Scale == 0 {
		return appendDigits(dst, u, size)
	}
	if whole := size - 1 - t.Scale; whole > 0 {
		dst = appendDigits(dst, u/powers[t.Scale], whole)
	}
	return appendDigits(append(dst, '.'), u%powers[t.Scale], t.Scale)
}

func plainDecimal(dst []byte, t *Type, v *Value) []byte {
	u, neg := decimalOf(t.Precision, *v)
	if neg {
		u = u.negate()
		dst = append(dst, '-')
	}
	var scratch [48]byte
	digits := u.appendDigits(scratch[:0])
	whole := len(digits) - t.Scale
	switch {
	case whole > 0:
		dst = append(dst, digits[:whole]...)
	case t.Precision > t.Scale:
		dst = append(dst, '0')
	}
	if t.Scale == 0 {
		return dst
	}
	dst = append(dst, '.')
	for ; whole < 0; whole++ {
		dst = append(dst, '0')
	}
	return append(dst, digits[max(whole, 0):]...)
}
