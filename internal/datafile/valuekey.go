package datafile

import (
	"encoding/binary"
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
	if !v.bytes {
		return valueKey{a: v.word(row)}
	}
	text := v.textOf(row)
	k := valueKey{size: len(text)}
	// The two parts of a text may share bytes: its size says which.
	switch n := len(text); {
	case n > wholeText:
		k.a = maphash.Bytes(seed, text)
	case n >= 8:
		k.a, k.b = binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[n-8:])
	case n >= 4:
		k.a, k.b = uint64(binary.LittleEndian.Uint32(text)), uint64(binary.LittleEndian.Uint32(text[n-4:]))
	case n > 0:
		k.a = uint64(text[0]) | uint64(text[n/2])<<8 | uint64(text[n-1])<<16
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
