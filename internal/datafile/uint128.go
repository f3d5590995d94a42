package datafile

import (
	"encoding/binary"
	"math/bits"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// uint128 holds the 38 digits of the widest DECIMAL.
type uint128 struct{ hi, lo uint64 }

// mulAdd returns u*m + a modulo 2^128.
func (u uint128) mulAdd(m, a uint64) uint128 {
	carry, lo := bits.Mul64(u.lo, m)
	lo, c := bits.Add64(lo, a, 0)
	return uint128{hi: u.hi*m + carry + c, lo: lo}
}

// negate returns -u in two's complement.
func (u uint128) negate() uint128 {
	lo, borrow := bits.Sub64(0, u.lo, 0)
	hi, _ := bits.Sub64(0, u.hi, borrow)
	return uint128{hi: hi, lo: lo}
}

// decimal returns u, in two's complement, as a DECIMAL of that precision.
func (u uint128) decimal(precision int) Value {
	switch {
	case precision <= maxDigits32:
		return parquet.Int32Value(int32(u.lo))
	case precision <= maxDigits64:
		return parquet.Int64Value(int64(u.lo))
	default:
		return parquet.FixedLenByteArrayValue(u.bigEndian())
	}
}

func (u uint128) bigEndian() []byte {
	b := make([]byte, 0, 16)
	b = binary.BigEndian.AppendUint64(b, u.hi)
	return binary.BigEndian.AppendUint64(b, u.lo)
}

// decimalOf widens a DECIMAL of that precision to 128 bits in two's complement.
func decimalOf(precision int, v Value) (u uint128, neg bool) {
	switch {
	case precision <= maxDigits32:
		u = wide(int64(v.Int32()))
	case precision <= maxDigits64:
		u = wide(v.Int64())
	default:
		b := v.ByteArray()
		u = uint128{hi: binary.BigEndian.Uint64(b), lo: binary.BigEndian.Uint64(b[8:])}
	}
	return u, int64(u.hi) < 0
}

func wide(n int64) uint128 { return uint128{hi: uint64(n >> 63), lo: uint64(n)} }

// appendDigits appends u in decimal, 19 digits at a time.
func (u uint128) appendDigits(dst []byte) []byte {
	if u.hi == 0 {
		return strconv.AppendUint(dst, u.lo, 10)
	}
	const chunk = 10_000_000_000_000_000_000 // 10^19, the greatest power in 64 bits
	hi, rem := bits.Div64(0, u.hi, chunk)
	lo, rem := bits.Div64(rem, u.lo, chunk)
	dst = uint128{hi: hi, lo: lo}.appendDigits(dst)
	var scratch [20]byte
	tail := strconv.AppendUint(scratch[:0], rem, 10)
	for range 19 - len(tail) {
		dst = append(dst, '0')
	}
	return append(dst, tail...)
}
