// Package jsonrow writes the values of typed files as JSON that keeps all of
// them, so that there is one place where what arrives becomes what a stream
// declares: the reader of JSON records. A value that JSON has no form for is
// the text that it usually has.
package jsonrow

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Row is one row of a typed file.
type Row struct {
	Position int64  // from 1
	JSON     []byte // one object; valid until the next row
	Problem  error  // why it is no row; the JSON is then what can be shown of it
}

// Text appends a text. Bytes that are not UTF-8 stay as they are, so that the
// reader of the row finds them.
func Text(dst, text []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[from:i]...)
		from = i + 1
		if c < ' ' {
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		} else {
			dst = append(dst, '\\', c)
		}
	}
	return append(append(dst, text[from:]...), '"')
}

// Name appends the name of a member, with its colon, after a comma if it is not
// the first of its object.
func Name(dst []byte, name string) []byte {
	if last := dst[len(dst)-1]; last != '{' {
		dst = append(dst, ',')
	}
	return append(Text(dst, []byte(name)), ':')
}

// Null appends the value of what is not there.
func Null(dst []byte) []byte { return append(dst, "null"...) }

// Binary appends bytes as the text of their hexadecimal digits.
func Binary(dst, value []byte) []byte {
	return append(hex.AppendEncode(append(dst, '"'), value), '"')
}

// UUID appends 16 bytes as the text of a UUID.
func UUID(dst, u []byte) []byte {
	dst = append(dst, '"')
	for i, part := range [][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:16]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, part)
	}
	return append(dst, '"')
}

// Document appends a value that is JSON already. An error says that it is not.
func Document(dst, value []byte) ([]byte, error) {
	if !json.Valid(value) {
		const most = 64
		return Text(dst, value), fmt.Errorf("%.*q is not one JSON value", most, value)
	}
	return append(dst, value...), nil
}

// The whole numbers that a DOUBLE keeps exactly and that a BIGINT or DECIMAL may hold.
const mostExact = 1e38

// Float appends a number. A whole one below 10^38 has all its digits; another has
// the fewest that stand for no other DOUBLE. What is no number is the text NaN, Infinity or
// -Infinity.
func Float(dst []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...)
	case x == math.Trunc(x) && math.Abs(x) < mostExact:
		return strconv.AppendFloat(dst, x, 'f', 0, 64)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}

// Half returns what the 16 bits of a half-precision number stand for.
func Half(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&0x1f), float64(bits&0x3ff)
	if bits>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 0x1f && fraction == 0:
		return math.Inf(int(sign))
	case exponent == 0x1f:
		return math.NaN()
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1+fraction/1024, exponent-15)
}
