// Package digest holds the two digests that receipts are made of.
//
// A row digest (Sum128) is additive: the digest of a set of rows is the sum,
// modulo 2^128, of one 128-bit hash a row, so it does not depend on how the
// rows are laid out or in which order they are read. It tells apart honest
// results that differ; it is not made to withstand somebody who forges rows.
//
// A Hash is an ordinary SHA-256 of bytes whose order is fixed.
package digest

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
)

// Sum128 is an unsigned 128-bit number with arithmetic modulo 2^128.
type Sum128 struct{ Hi, Lo uint64 }

// OfRow returns the digest of one row's canonical encoding: the first 16
// bytes of its SHA-256, big endian.
func OfRow(canonical []byte) Sum128 {
	return Hash(sha256.Sum256(canonical)).Half()
}

// Add returns a + b modulo 2^128.
func (a Sum128) Add(b Sum128) Sum128 {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(a.Hi, b.Hi, carry)
	return Sum128{Hi: hi, Lo: lo}
}

// Mul returns a times n modulo 2^128.
func (a Sum128) Mul(n uint64) Sum128 {
	hi, lo := bits.Mul64(a.Lo, n)
	return Sum128{Hi: hi + a.Hi*n, Lo: lo}
}

// Compare orders sums by their numbers.
func (a Sum128) Compare(b Sum128) int {
	return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo))
}

// IsZero tells whether the sum is 0, as that of no rows is.
func (a Sum128) IsZero() bool { return a == Sum128{} }

// String returns 32 lower-case hexadecimal digits.
func (a Sum128) String() string { return string(a.Append(nil)) }

// Append writes the 32 digits of String after text.
func (a Sum128) Append(text []byte) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], a.Hi)
	binary.BigEndian.PutUint64(b[8:], a.Lo)
	return AppendHex(text, b[:])
}

// ParseSum128 reads what String writes.
func ParseSum128(s string) (Sum128, error) {
	var b [16]byte
	if len(s) != 32 {
		return Sum128{}, fmt.Errorf("row digest %q: want 32 hexadecimal digits", s)
	}
	if _, err := hex.Decode(b[:], []byte(s)); err != nil {
		return Sum128{}, fmt.Errorf("row digest %q: %w", s, err)
	}
	return Sum128{Hi: binary.BigEndian.Uint64(b[:8]), Lo: binary.BigEndian.Uint64(b[8:])}, nil
}

// MarshalText writes the 32 digits of String.
func (a Sum128) MarshalText() ([]byte, error) { return a.Append(nil), nil }

// UnmarshalText reads the 32 digits of String.
func (a *Sum128) UnmarshalText(text []byte) (err error) {
	*a, err = ParseSum128(string(text))
	return err
}

// Hash is a SHA-256 digest. The zero Hash stands for "none" and is written as
// an empty string.
type Hash [sha256.Size]byte

// OfBytes returns the SHA-256 of b.
func OfBytes(b []byte) Hash { return sha256.Sum256(b) }

// OfFile returns the SHA-256 of the bytes of the file at path.
func OfFile(path string) (h Hash, err error) {
	file, err := os.Open(path)
	if err != nil {
		return h, err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	copy(h[:], hash.Sum(nil))
	return h, errors.Join(err, file.Close())
}

// Half returns the first 16 bytes, big endian, where these are enough.
func (h Hash) Half() Sum128 {
	return Sum128{Hi: binary.BigEndian.Uint64(h[0:8]), Lo: binary.BigEndian.Uint64(h[8:16])}
}

// String returns 64 lower-case hexadecimal digits, or "" for the zero Hash.
func (h Hash) String() string {
	if h.IsZero() {
		return ""
	}
	return hex.EncodeToString(h[:])
}

// Short returns the first 12 digits, for people.
func (h Hash) Short() string {
	if h.IsZero() {
		return "-"
	}
	return h.String()[:12]
}

// IsZero tells whether h is the zero Hash.
func (h Hash) IsZero() bool { return h == Hash{} }

// ParseHash reads what String writes.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if s == "" {
		return h, nil
	}
	if len(s) != 2*len(h) {
		return h, fmt.Errorf("digest %q: want %d hexadecimal digits", s, 2*len(h))
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return h, fmt.Errorf("digest %q: %w", s, err)
	}
	return h, nil
}

// MarshalText writes the digits of String.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads the digits of String.
func (h *Hash) UnmarshalText(text []byte) (err error) {
	*h, err = ParseHash(string(text))
	return err
}
