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
		dst = AppendCanonical(dst, cols[i].Type, row[i])
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
func AppendCanonical(dst []byte, t Type, v Value) []byte {
	if v.IsNull() {
		return append(dst, '-')
	}
	var scratch [64]byte
	switch t.Kind {
	case Varchar, JSON:
		text := v.ByteArray()
		return append(appendLength(dst, len(text)), text...)
	case Blob:
		b := v.ByteArray()
		return hex.AppendEncode(appendLength(dst, hex.EncodedLen(len(b))), b)
	case UUID:
		return appendUUID(append(dst, "36:"...), v.ByteArray())
	case Decimal:
		return appendText(dst, appendDecimal(scratch[:0], t, v))
	case Float:
		return appendText(dst, appendFloat(scratch[:0], float64(v.Float())))
	case Double:
		return appendText(dst, appendFloat(scratch[:0], v.Double()))
	case Boolean:
		return appendText(dst, strconv.AppendBool(scratch[:0], v.Boolean()))
	default:
		return appendText(dst, appendInteger(scratch[:0], t.Kind, v))
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

func appendInteger(dst []byte, k Kind, v Value) []byte {
	switch k {
	case BigInt, Timestamp, TimestampTZ:
		return strconv.AppendInt(dst, v.Int64(), 10)
	case UBigInt:
		return strconv.AppendUint(dst, v.Uint64(), 10)
	case UTinyInt, USmallInt, UInteger:
		return strconv.AppendUint(dst, uint64(v.Uint32()), 10)
	default:
		return strconv.AppendInt(dst, int64(v.Int32()), 10)
	}
}

func appendFloat(dst []byte, x float64) []byte {
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

func appendDecimal(dst []byte, t Type, v Value) []byte {
	u, neg := decimalOf(t.Precision, v)
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
