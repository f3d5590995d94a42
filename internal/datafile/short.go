package datafile

import "encoding/binary"

// ScanShort reads what most numbers are, from a place on: [-] digits [. digits], of at most
// 18 digits. It returns the number without its point, how many of its digits are fraction,
// and the place after it. Not ok says nothing about what is there.
func ScanShort(text []byte, at int) (n int64, fraction, end int, ok bool) {
	negative := at < len(text) && text[at] == '-'
	if negative {
		at++
	}
	whole := at
	if at+8 <= len(text) {
		var some int
		n, some = firstDigits(binary.LittleEndian.Uint64(text[at:]))
		at += some
	}
	if at == whole || at == whole+8 {
		n, at = takeDigits(text, at, n)
	}
	digits := at - whole
	if digits == 0 {
		return 0, 0, 0, false
	}
	if at < len(text) && text[at] == '.' {
		point := at
		n, at = takeDigits(text, at+1, n)
		if fraction = at - point - 1; fraction == 0 {
			return 0, 0, 0, false
		}
		digits += fraction
	}
	if negative {
		n = -n
	}
	return n, fraction, at, digits <= maxDigits64
}

// takeDigits goes on with a number by the digits from a place on, and returns the place
// after them. Of more than 18 in all the number is not right.
func takeDigits(text []byte, at int, n int64) (int64, int) {
	for at+8 <= len(text) {
		some, digits := firstDigits(binary.LittleEndian.Uint64(text[at:]))
		n, at = n*int64(powers[digits])+some, at+digits
		if digits < 8 {
			return n, at
		}
	}
	for at < len(text) && text[at]-'0' <= 9 {
		n, at = n*10+int64(text[at]-'0'), at+1
	}
	return n, at
}

// parseShort reads a BIGINT or DECIMAL that is a short number. Not ok says nothing about
// the text.
func parseShort(t *Type, text []byte) (v Value, ok bool) {
	n, fraction, end, ok := ScanShort(text, 0)
	if !ok || end < len(text) {
		return Value{}, false
	}
	n, ok = shortNumber(t, n, fraction)
	return numberValue(t, n), ok
}

// shortNumber returns n / 10^fraction, n having at most 18 digits, as a BIGINT or a DECIMAL
// of that type is kept. Not ok says nothing about the number.
func shortNumber(t *Type, n int64, fraction int) (word int64, ok bool) {
	switch {
	case t.Kind == BigInt:
		return n, fraction == 0
	case t.Kind != Decimal || fraction > t.Scale || t.Precision > maxDigits64:
		return 0, false
	}
	zeros := t.Scale - fraction
	if most := int64(powers[t.Precision-zeros]); n <= -most || n >= most {
		return 0, false
	}
	return n * int64(powers[zeros]), true
}
