package jsonrow

import (
	"math/big"
	"slices"
	"strconv"
)

// Decimal appends unscaled × 10^-scale.
func Decimal(dst []byte, unscaled int64, scale int) []byte {
	return point(dst, strconv.AppendInt(nil, unscaled, 10), scale)
}

// BigDecimal appends unscaled × 10^-scale, where unscaled is in two's complement,
// big endian, of any length.
func BigDecimal(dst, unscaled []byte, scale int) []byte {
	n := new(big.Int).SetBytes(unscaled)
	if len(unscaled) > 0 && unscaled[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(unscaled))))
	}
	return IntDecimal(dst, n, scale)
}

// IntDecimal is Decimal of a number of any size.
func IntDecimal(dst []byte, unscaled *big.Int, scale int) []byte {
	return point(dst, unscaled.Append(nil, 10), scale)
}

// point appends digits, with a sign or without, with a point before the last
// scale of them. A scale below zero puts as many zeros behind them, but for the
// number 0: JSON has no 000.
func point(dst, digits []byte, scale int) []byte {
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	if scale == 0 || scale < 0 && digits[0] == '0' {
		return append(dst, digits...)
	}
	if scale < 0 {
		return append(append(dst, digits...), slices.Repeat([]byte("0"), -scale)...)
	}
	if zeros := scale + 1 - len(digits); zeros > 0 {
		digits = append(slices.Repeat([]byte("0"), zeros), digits...)
	}
	whole := len(digits) - scale
	return append(append(append(dst, digits[:whole]...), '.'), digits[whole:]...)
}
