package ingest

import (
	"encoding/binary"
	"math/bits"

	"strandline/internal/datafile"
)

// The functions below find where a JSON token ends, and whether it is one. They see
// eight bytes at a time where they can, as one word in which each byte is its own lane.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080

	wordSize = 8 // bytes
)

// below marks, in the high bits of their lanes, the bytes of w that are less than n,
// which is at most 128. The lowest mark is right; those above it may not be.
func below(w uint64, n byte) uint64 { return (w - ones*uint64(n)) & ^w & highs }

// notPlainIn marks, as below does, the bytes of w that don't stand for themselves in a
// string: a quote, a backslash, a control character, or a part of a character beyond ASCII.
func notPlainIn(w uint64) uint64 {
	return below(w^ones*'"', 1) | below(w^ones*'\\', 1) | below(w, ' ') | w&highs
}

// plainEnd returns the place of the first byte, from a place on, that does not stand for
// itself in a string.
func plainEnd(b []byte, at int) int {
	for at+8 <= len(b) {
		if marks := notPlainIn(binary.LittleEndian.Uint64(b[at:])); marks != 0 {
			return at + bits.TrailingZeros64(marks)/8
		}
		at += 8
	}
	for at < len(b) && b[at] >= ' ' && b[at] < 0x80 && b[at] != '"' && b[at] != '\\' {
		at++
	}
	return at
}

// stringEnd returns where the string ends that goes on at a place, after its quote.
// What is in it is not looked at.
func stringEnd(b []byte, at int) (end int, ok bool) {
	for at < len(b) {
		switch b[at] {
		case '"':
			return at + 1, true
		case '\\':
			at += 2
		default:
			at++
		}
	}
	return 0, false
}

// maxScanned is how many brackets may be open for nestedEnd: far fewer than the judge
// allows.
const maxScanned = 1000

// nestedEnd returns where the object or array ends that begins at a place, provided
// that its brackets and quotes fit together. What is in it is not looked at.
func nestedEnd(b []byte, at int) (end int, ok bool) {
	for depth := 0; at < len(b); {
		switch b[at] {
		case '"':
			if at, ok = stringEnd(b, at+1); !ok {
				return 0, false
			}
			continue
		case '{', '[':
			if depth++; depth > maxScanned {
				return 0, false
			}
		case '}', ']':
			depth--
		}
		if at++; depth == 0 {
			return at, true
		}
	}
	return 0, false
}

func literalEnd(b []byte, at int, literal string) (end int, ok bool) {
	end = at + len(literal)
	return end, end <= len(b) && string(b[at:end]) == literal
}

// numberEnd returns where the number ends that begins at a place.
func numberEnd(b []byte, at int) (end int, ok bool) {
	if at < len(b) && b[at] == '-' {
		at++
	}
	whole := at
	if at = digitsEnd(b, at); at == whole || b[whole] == '0' && at > whole+1 {
		return 0, false
	}
	if at < len(b) && b[at] == '.' {
		fraction := at + 1
		if at = digitsEnd(b, fraction); at == fraction {
			return 0, false
		}
	}
	if at < len(b) && b[at]|0x20 == 'e' {
		at++
		if at < len(b) && (b[at] == '+' || b[at] == '-') {
			at++
		}
		exponent := at
		if at = digitsEnd(b, exponent); at == exponent {
			return 0, false
		}
	}
	return at, true
}

// shortNumber is datafile.ScanShort for a JSON number, where a needless zero in front
// is wrong and an exponent may follow.
func shortNumber(b []byte, at int) (n int64, fraction, end int, ok bool) {
	n, fraction, end, ok = datafile.ScanShort(b, at)
	if !ok || end < len(b) && b[end]|0x20 == 'e' {
		return 0, 0, 0, false
	}
	if b[at] == '-' {
		at++
	}
	return n, fraction, end, b[at] != '0' || at+1 == end || b[at+1] == '.'
}

func digitsEnd(b []byte, at int) int {
	for at < len(b) && isDigit(b[at]) {
		at++
	}
	return at
}

// expect returns the place after a byte, which may have space before it.
func expect(b []byte, at int, want byte) (after int, ok bool) {
	if at < len(b) && b[at] == want {
		return at + 1, true
	}
	at = skipSpace(b, at)
	return at + 1, at < len(b) && b[at] == want
}

func skipSpace(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\t' || b[at] == '\r' || b[at] == '\n') {
		at++
	}
	return at
}
