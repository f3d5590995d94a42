package datafile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go"
)

// maxBound is the longest text, in bytes, that stands in a footer as a bound.
const maxBound = 256

// bounds returns the least and the greatest value of rows, none of which is NULL, as a
// footer has them, in the order that Parquet defines for the type. It returns none where
// there is no value, or where a reader could be misled: with NaN among the values, and
// for decimals in 16 bytes, whose order not all readers agree on.
func bounds(v *Vector, rows []int32) (least, greatest []byte) {
	switch {
	case len(rows) == 0:
		return nil, nil
	case v.bytes:
		return textBounds(v, rows)
	case v.kind == parquet.Float:
		return realBounds(v, rows, func(w uint64) float64 { return float64(math.Float32frombits(uint32(w))) })
	case v.kind == parquet.Double:
		return realBounds(v, rows, math.Float64frombits)
	}
	switch v.typ.Kind {
	case UTinyInt, USmallInt, UInteger:
		return wordBounds(v, rows, func(w uint64) uint32 { return uint32(w) })
	case UBigInt:
		return wordBounds(v, rows, func(w uint64) uint64 { return w })
	default:
		return wordBounds(v, rows, func(w uint64) int64 { return int64(w) })
	}
}

func wordBounds[T cmp.Ordered](v *Vector, rows []int32, as func(uint64) T) (least, greatest []byte) {
	low, high := v.word(int(rows[0])), v.word(int(rows[0]))
	lowest, highest := as(low), as(high)
	for _, row := range rows[1:] {
		w := v.word(int(row))
		if x := as(w); x < lowest {
			low, lowest = w, x
		} else if x > highest {
			high, highest = w, x
		}
	}
	return v.plainWord(nil, low), v.plainWord(nil, high)
}

// realBounds widens bounds of zero to both zeros: which is the lesser is not agreed on.
func realBounds(v *Vector, rows []int32, as func(uint64) float64) (least, greatest []byte) {
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		x := as(v.word(int(row)))
		if math.IsNaN(x) {
			return nil, nil
		}
		lowest, highest = min(lowest, x), max(highest, x)
	}
	if lowest == 0 {
		lowest = math.Copysign(0, -1)
	}
	if highest == 0 {
		highest = 0
	}
	if v.kind == parquet.Float {
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(lowest))), binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(highest)))
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(lowest)), binary.LittleEndian.AppendUint64(nil, math.Float64bits(highest))
}

func textBounds(v *Vector, rows []int32) (least, greatest []byte) {
	if v.typ.Kind == Decimal {
		return nil, nil
	}
	least = v.textOf(int(rows[0]))
	greatest = least
	for _, row := range rows[1:] {
		if text := v.textOf(int(row)); bytes.Compare(text, least) < 0 {
			least = text
		} else if bytes.Compare(text, greatest) > 0 {
			greatest = text
		}
	}
	if len(least) > maxBound || len(greatest) > maxBound {
		return nil, nil
	}
	return append([]byte{}, least...), append([]byte{}, greatest...)
}
