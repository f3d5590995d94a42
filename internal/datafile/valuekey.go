package datafile

import (
	"hash/maphash"
	"math/bits"
)

// valueKey tells values of a column apart: a number, or a text of up to 16 bytes, whole, and
// a longer text by its hash.
type valueKey struct {
	a, b uint64
	size int // of a text, in bytes
}

// wholeText is how many bytes of a text a key holds.
const wholeText = 16

// valueKeyOf returns the key of a row that is not NULL.
func valueKeyOf(v *Vector, row int) valueKey {
	switch {
	case v.shared > 0:
		s := v.slices[uint(row)/BlockRows]
		return valueKey{a: uint64(s.shared[s.codes[uint(row)%BlockRows]])}
	case !v.bytes:
		return valueKey{a: v.word(row)}
	}
	return keyOfText(v.textOf(row))
}

// keyOfText returns the key of a text.
func keyOfText(text []byte) valueKey {
	k := valueKey{size: len(text)}
	if len(text) > wholeText {
		k.a = maphash.Bytes(seed, text)
	} else {
		k.a, k.b = firstWord(text), firstWord(text[min(8, len(text)):])
	}
	return k
}

// isWhole tells whether equal keys are of equal values.
func (k valueKey) isWhole() bool { return k.size <= wholeText }

// hash can't be foreseen by who writes the values.
func (k valueKey) hash() uint64 {
	high, low := bits.Mul64(k.a^seeds[0], k.b^seeds[1]^uint64(k.size))
	return high ^ low
}

// seed and seeds are good for any process: hashes leave no trace in a file.
var (
	seed  = maphash.MakeSeed()
	seeds = [2]uint64{maphash.String(seed, "a") | 1, maphash.String(seed, "b") | 1}
)
