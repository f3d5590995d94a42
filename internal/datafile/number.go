package datafile

import (
	"fmt"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// number is a decimal literal taken apart but not yet computed, so that an
// exponent of any size costs nothing: its value is the digits in text, with
// the point left out, times 10 to the power of exp.
type number struct {
	neg    bool
	digits []byte // from the first to the last significant digit, may contain one '.'
	count  int    // how many digits that is; 0 for zero
	exp    int
}

// maxExponent bounds a literal's exponent. It is far beyond any range that is
// checked afterwards and beyond the length of any text.
const maxExponent = 1 << 48

// scanNumber reads [sign] digits [. digits] [e [sign] digits], with a digit on
// at least one side of the point.
func scanNumber(text []byte) (n number, ok bool) {
	rest := text
	if len(rest) > 0 && (rest[0] == '-' || rest[0] == '+') {
		n.neg, rest = rest[0] == '-', rest[1:]
	}
	whole := countDigits(rest)
	end, fraction := whole, 0
	if end < len(rest) && rest[end] == '.' {
		fraction = countDigits(rest[end+1:])
		end += 1 + fraction
	}
	if whole+fraction == 0 {
		return number{}, false
	}
	if n.exp, ok = scanExponent(rest[end:]); !ok {
		return number{}, false
	}
	n.exp -= fraction
	n.trim(rest[:end], whole+fraction)
	return n, true
}

// powers are those of 10 that 64 bits hold.
var powers = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

func countDigits(text []byte) int {
	for i, c := range text {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(text)
}

func scanExponent(text []byte) (exp int, ok bool) {
	if len(text) == 0 {
		return 0, true
	}
	if text[0] != 'e' && text[0] != 'E' {
		return 0, false
	}
	digits, neg := text[1:], false
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		neg, digits = digits[0] == '-', digits[1:]
	}
	if len(digits) == 0 || countDigits(digits) != len(digits) {
		return 0, false
	}
	for _, c := range digits {
		exp = min(exp*10+int(c-'0'), maxExponent)
	}
	if neg {
		exp = -exp
	}
	return exp, true
}

// trim keeps the significant digits: zeros in front mean nothing, zeros at
// the end are moved into the exponent.
func (n *number) trim(digits []byte, count int) {
	for len(digits) > 0 && (digits[0] == '0' || digits[0] == '.') {
		if digits[0] == '0' {
			count--
		}
		digits = digits[1:]
	}
	for len(digits) > 0 && (digits[len(digits)-1] == '0' || digits[len(digits)-1] == '.') {
		if digits[len(digits)-1] == '0' {
			count--
			n.exp++
		}
		digits = digits[:len(digits)-1]
	}
	n.digits, n.count = digits, count
}

// fit says how a number meets a type.
type fit int

const (
	fits fit = iota
	needsRounding
	tooLarge
)

// scaled returns |n| times 10^scale when that is a whole number of at most
// maxDigits (≤ 38) digits. The work is bounded by maxDigits.
func (n *number) scaled(scale, maxDigits int) (u uint128, f fit) {
	if n.count == 0 {
		return uint128{}, fits
	}
	zeros := n.exp + scale // to be appended to the digits
	if n.count+zeros > maxDigits {
		return uint128{}, tooLarge
	}
	if zeros < 0 {
		return uint128{}, needsRounding
	}
	for _, c := range n.digits {
		if c != '.' {
			u = u.mulAdd(10, uint64(c-'0'))
		}
	}
	for range zeros {
		u = u.mulAdd(10, 0)
	}
	return u, fits
}

// integerRange is what an integer type holds: -min … max.
type integerRange struct{ min, max uint64 }

var integerRanges = [...]integerRange{
	TinyInt: {1 << 7, math.MaxInt8}, SmallInt: {1 << 15, math.MaxInt16},
	Integer: {1 << 31, math.MaxInt32}, BigInt: {1 << 63, math.MaxInt64},
	UTinyInt: {0, math.MaxUint8}, USmallInt: {0, math.MaxUint16},
	UInteger: {0, math.MaxUint32}, UBigInt: {0, math.MaxUint64},
}

func parseInteger(t Type, text []byte) (Value, error) {
	if v, ok := parseShort(&t, text); ok {
		return v, nil
	}
	n, ok := scanNumber(text)
	if !ok {
		return Value{}, isNot(t, text)
	}
	u, f := n.scaled(0, 20)
	r := integerRanges[t.Kind]
	limit := r.max
	if n.neg {
		limit = r.min
	}
	switch {
	case f == needsRounding:
		return Value{}, fmt.Errorf("%s is not a whole number, as %s must be", quote(text), article(t))
	case f == tooLarge || u.hi != 0 || u.lo > limit:
		return Value{}, fmt.Errorf("%s is outside the range of %s", quote(text), article(t))
	}
	v := int64(u.lo)
	if n.neg {
		v = -v
	}
	if t.Kind == BigInt || t.Kind == UBigInt {
		return parquet.Int64Value(v), nil
	}
	return parquet.Int32Value(int32(v)), nil
}

func parseDecimal(t Type, text []byte) (Value, error) {
	if v, ok := parseShort(&t, text); ok {
		return v, nil
	}
	n, ok := scanNumber(text)
	if !ok {
		return Value{}, isNot(t, text)
	}
	u, f := n.scaled(t.Scale, t.Precision)
	switch f {
	case needsRounding:
		return Value{}, fmt.Errorf("%s does not fit %s without rounding", quote(text), t)
	case tooLarge:
		return Value{}, fmt.Errorf("%s is outside the range of %s", quote(text), article(t))
	}
	if n.neg {
		u = u.negate()
	}
	return u.decimal(t.Precision), nil
}

func parseFloat(t Type, text []byte) (Value, error) {
	if _, ok := scanNumber(text); !ok {
		// strconv would also take NaN, Inf, hexadecimal and underscores.
		return Value{}, fmt.Errorf("%w (want a finite decimal number)", isNot(t, text))
	}
	bitSize := 64
	if t.Kind == Float {
		bitSize = 32
	}
	x, err := strconv.ParseFloat(string(text), bitSize)
	if err != nil {
		return Value{}, fmt.Errorf("%s is outside the range of %s", quote(text), article(t))
	}
	if t.Kind == Float {
		return parquet.FloatValue(float32(x)), nil
	}
	return parquet.DoubleValue(x), nil
}
