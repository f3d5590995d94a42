package digest

import "github.com/zeebo/xxh3"

// Checksum is the 128-bit XXH3 of bytes. It is made at the speed of memory, more than ten
// times that of a SHA-256, and finds out damage and edits by hand as well as that does. Who
// wants to can make other bytes of the same Checksum.
type Checksum [16]byte

// ChecksumOf returns the Checksum of b.
func ChecksumOf(b []byte) Checksum { return xxh3.Hash128(b).Bytes() }
