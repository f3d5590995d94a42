package datafile

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// lanes has a 1 in each of its eight bytes, which are taken as lanes of their own, the
// first one lowest.
const lanes = 0x0101010101010101

// firstDigits returns the number that the digits are which eight bytes begin with, and how
// many these are.
func firstDigits(w uint64) (n int64, digits int) {
	w ^= lanes * '0'
	others := (w | (w + lanes*6)) & (lanes * 0xf0) // the lowest mark is right
	digits = bits.TrailingZeros64(others) / 8
	w <<= 64 - 8*uint(digits)    // zeros in front
	const pairs = 0xff_000000_ff // the first and the third of four, in lanes of 16 bits
	w = w*10 + w>>8
	w = (w&pairs)*(100+1_000_000<<32) + (w>>16&pairs)*(1+10_000<<32)
	return int64(w >> 32), digits
}

// toEightDigits returns a number below 10^8 as digits.
func toEightDigits(n uint64) uint64 {
	w := n/10_000 | n%10_000<<32
	halves := w * 10_486 >> 20 & 0x7f_0000_007f // each half of w by 100
	w = halves | (w-halves*100)<<16
	tens := w * 103 >> 10 & 0x000f_000f_000f_000f // each pair by 10
	return lanes*'0' + (tens | (w-tens*10)<<8)
}

// appendDigits appends a number in so many digits, which are no fewer than it has.
func appendDigits(dst []byte, n uint64, size int) []byte {
	if size > 8 {
		dst = appendDigits(dst, n/100_000_000, size-8)
		return binary.LittleEndian.AppendUint64(dst, toEightDigits(n%100_000_000))
	}
	at := len(dst)
	if cap(dst)-at < 8 {
		dst = slices.Grow(dst, 8)
	}
	binary.LittleEndian.PutUint64(dst[at:at+8], toEightDigits(n)>>(64-8*size))
	return dst[:at+size]
}

// digitsOf is how many digits a number has.
func digitsOf(n uint64) int {
	least := bits.Len64(n) * 1233 >> 12 // a bit is about 1233/4096 digits
	if n >= powers[least] {
		least++
	}
	return max(least, 1)
}
