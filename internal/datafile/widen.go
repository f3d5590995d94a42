package datafile

import "slices"

// Widens tells whether each value of a type has its equal, and only one, in another
// type, so that a column may become of that type and what was written stays true. A
// type widens to itself.
func (t Type) Widens(to Type) bool {
	switch {
	case t == to:
		return true
	case digits[t.Kind] > 0:
		return integerWidens(t.Kind, to)
	case t.Kind == Decimal:
		return to.Kind == Decimal && to.Scale >= t.Scale && to.Precision-to.Scale >= t.Precision-t.Scale
	case t.Kind == Float:
		return to.Kind == Double
	case t.Kind == Boolean || t.Kind == Date || t.Kind == UUID:
		return to.Kind == Varchar // as SQL writes it
	}
	return false
}

// Join returns the narrowest type that both types widen to; false if none does.
func (t Type) Join(other Type) (Type, bool) {
	for _, both := range append(joins, t.decimalWith(other), Type{Kind: Float}, Type{Kind: Double}, Type{Kind: Varchar}) {
		if t.Widens(both) && other.Widens(both) {
			return both, true
		}
	}
	return Type{}, false
}

// joins are the integer types, the narrowest first.
var joins = slices.Clip([]Type{{Kind: TinyInt}, {Kind: UTinyInt}, {Kind: SmallInt}, {Kind: USmallInt}, {Kind: Integer}, {Kind: UInteger}, {Kind: BigInt}, {Kind: UBigInt}})

// decimalWith is the DECIMAL with as many digits before and after the point as each of two
// types needs; invalid if it would have too many.
func (t Type) decimalWith(other Type) Type {
	whole := max(t.wholeDigits(), other.wholeDigits())
	d := Type{Kind: Decimal, Scale: max(t.Scale, other.Scale)}
	if d.Precision = whole + d.Scale; d.Precision > MaxPrecision || whole == 0 && d.Scale == 0 {
		return Type{}
	}
	return d
}

// wholeDigits are those before the point, of an integer or a DECIMAL.
func (t Type) wholeDigits() int {
	if t.Kind == Decimal {
		return t.Precision - t.Scale
	}
	if int(t.Kind) < len(digits) {
		return digits[t.Kind]
	}
	return 0
}

// digits is how many decimal digits an integer type needs.
var digits = [...]int{
	TinyInt: 3, SmallInt: 5, Integer: 10, BigInt: 19,
	UTinyInt: 3, USmallInt: 5, UInteger: 10, UBigInt: 20, Blob: 0,
}

// Bits of the integers that a FLOAT and a DOUBLE hold without a gap.
const (
	floatBits  = 24
	doubleBits = 53
)

func integerWidens(k Kind, to Type) bool {
	switch to.Kind {
	case Varchar:
		return true // as SQL writes it
	case Decimal:
		return to.Precision-to.Scale >= digits[k]
	case Float:
		return bitWidths[k] <= floatBits
	case Double:
		return bitWidths[k] <= doubleBits
	}
	if digits[to.Kind] == 0 {
		return false
	}
	from, into := integerRanges[k], integerRanges[to.Kind]
	return from.min <= into.min && from.max <= into.max
}
