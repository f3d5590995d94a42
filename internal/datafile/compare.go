package datafile

import (
	"bytes"
	"cmp"
	"math"
)

// Compare tells whether a value of a type comes before (-1), with (0) or after
// (1) another in the order in which the engine sorts. Neither may be NULL.
// Values come together that AppendCanonical writes alike, and no others.
func Compare(t Type, a, b Value) int {
	switch t.Kind {
	case Varchar, JSON, Blob, UUID:
		return bytes.Compare(a.ByteArray(), b.ByteArray())
	case Float:
		return compareFloats(float64(a.Float()), float64(b.Float()))
	case Double:
		return compareFloats(a.Double(), b.Double())
	case Boolean:
		return cmp.Compare(ordinal(a.Boolean()), ordinal(b.Boolean()))
	case Decimal:
		return compareDecimals(t.Precision, a, b)
	case BigInt, Timestamp, TimestampTZ:
		return cmp.Compare(a.Int64(), b.Int64())
	case UBigInt:
		return cmp.Compare(a.Uint64(), b.Uint64())
	case UTinyInt, USmallInt, UInteger:
		return cmp.Compare(a.Uint32(), b.Uint32())
	default:
		return cmp.Compare(a.Int32(), b.Int32())
	}
}

// compareFloats puts NaN last, where cmp.Compare has it first.
func compareFloats(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return cmp.Compare(ordinal(math.IsNaN(a)), ordinal(math.IsNaN(b)))
	}
	return cmp.Compare(a, b)
}

func compareDecimals(precision int, a, b Value) int {
	switch {
	case precision <= maxDigits32:
		return cmp.Compare(a.Int32(), b.Int32())
	case precision <= maxDigits64:
		return cmp.Compare(a.Int64(), b.Int64())
	}
	// Two's complement, so the first byte has a sign, and the others none.
	x, y := a.ByteArray(), b.ByteArray()
	return cmp.Or(cmp.Compare(int8(x[0]), int8(y[0])), bytes.Compare(x, y))
}

func ordinal(b bool) int {
	if b {
		return 1
	}
	return 0
}
