package datafile

import (
	"bytes"
	"math"
	"math/bits"

	"github.com/parquet-go/parquet-go"
)

// maxBound is the longest text, in bytes, that stands in a footer as a bound.
const maxBound = 256

// bounds are the least and the greatest of a column's values, in the order that
// Parquet defines for its type.
type bounds struct {
	some   bool // a value was added
	unsure bool // a reader could be misled by any bounds

	low, high       int64 // of values that fit 64 bits, as a vector has them
	least, greatest []byte
}

// add adds the values that a page has gathered. With NaN among them nothing can be said,
// nor of decimals in 16 bytes, on whose order not all readers agree.
func (b *bounds) add(t Type, p *page) {
	switch {
	case p.len() == 0:
		return
	case len(p.words) > 0:
		b.addWords(p.words, keyOf(t))
	case t.Kind == Decimal:
		b.unsure = true
	default:
		b.addTexts(p)
	}
	b.some = true
}

// addWords adds numbers, which compare as their keys do: as themselves if key is nil.
func (b *bounds) addWords(words []int64, key func(int64) (k int64, ok bool)) {
	if !b.some {
		b.low, b.high = words[0], words[0]
	}
	if key == nil {
		for _, w := range words {
			b.low, b.high = min(b.low, w), max(b.high, w)
		}
		return
	}
	low, _ := key(b.low)
	high, _ := key(b.high)
	for _, w := range words {
		k, ok := key(w)
		if !ok {
			b.unsure = true
			return
		}
		if k < low {
			low, b.low = k, w
		}
		if k > high {
			high, b.high = k, w
		}
	}
}

// keyOf returns what makes numbers of a type compare as they should, nil if they do.
func keyOf(t Type) func(int64) (k int64, ok bool) {
	switch t.Kind {
	case UTinyInt, USmallInt, UInteger:
		return func(w int64) (int64, bool) { return int64(uint32(w)), true }
	case UBigInt:
		return func(w int64) (int64, bool) { return w ^ math.MinInt64, true }
	case Float:
		return func(w int64) (int64, bool) { return realKey(float64(math.Float32frombits(uint32(w)))) }
	case Double:
		return func(w int64) (int64, bool) { return realKey(math.Float64frombits(uint64(w))) }
	default:
		return nil
	}
}

// realKey orders numbers by their bits: those of negative ones fall as they rise.
func realKey(x float64) (k int64, ok bool) {
	k = int64(math.Float64bits(x))
	if k < 0 {
		k ^= math.MaxInt64
	}
	return k, !math.IsNaN(x)
}

func (b *bounds) addTexts(p *page) {
	if !b.some {
		first := p.text[:p.offsets[1]]
		b.least, b.greatest = bytes.Clone(first), bytes.Clone(first)
	}
	least, greatest := b.least, b.greatest
	low, high := orderOf(least), orderOf(greatest)
	for i, end := range p.offsets[1:] {
		text := p.text[p.offsets[i]:end]
		order := orderOf(text)
		if order <= low && bytes.Compare(text, least) < 0 {
			least, low = text, order
		} else if order >= high && bytes.Compare(text, greatest) > 0 {
			greatest, high = text, order
		}
	}
	b.least, b.greatest = append([]byte{}, least...), append([]byte{}, greatest...)
	b.unsure = b.unsure || len(least) > maxBound || len(greatest) > maxBound
}

// orderOf returns a number for a text that is less than another's only if the text is.
func orderOf(text []byte) uint64 { return bits.ReverseBytes64(firstWord(text)) }

// plain returns the bounds as a footer has them, nil where there are none.
func (b *bounds) plain(kind parquet.Kind) (least, greatest []byte) {
	switch {
	case !b.some || b.unsure:
		return nil, nil
	case kind == parquet.ByteArray || kind == parquet.FixedLenByteArray:
		return b.least, b.greatest
	}
	low, high := b.low, b.high
	if kind == parquet.Float || kind == parquet.Double {
		low, high = widenZeros(kind, low, high)
	}
	return appendWord(nil, kind, low), appendWord(nil, kind, high)
}

// widenZeros makes a bound of either zero one for both: readers differ in which of them
// is the lesser.
func widenZeros(kind parquet.Kind, low, high int64) (int64, int64) {
	negative := int64(math.MinInt64)
	if kind == parquet.Float {
		negative = math.MinInt32
	}
	if low == 0 {
		low = negative
	}
	if uint64(high) == uint64(negative) || kind == parquet.Float && int32(high) == math.MinInt32 {
		high = 0
	}
	return low, high
}
