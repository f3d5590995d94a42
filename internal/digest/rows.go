package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Rows takes the digests of rows, which is faster for many of them than OfRow is for each:
// where the processor can, it takes sixteen at once.
type Rows struct {
	sums    []Sum128
	text    []byte               // of the rows that wait, each as SHA-256 pads it
	waiting [longest][]paddedRow // by how many blocks they are, from 1
	sixteen sixteen
}

// paddedRow is where a row that waits is in the text, and in the sums.
type paddedRow struct {
	from uint32
	sum  int
}

// longest is of how many blocks a row is at most that waits for others.
const longest = 16

// enough is how many bytes wait before all of them are digested, so that they don't leave
// the processor's nearest caches.
const enough = 64 << 10

// Next returns the text to which the canonical encoding of the next row is to be appended,
// for Add.
func (r *Rows) Next() []byte { return r.text }

// Add takes in a row: text is what Next returned, with its canonical encoding at the end.
func (r *Rows) Add(text []byte) {
	from := len(r.text)
	row := text[from:]
	if !hasSixteen || len(row) > (longest-1)*sha256.BlockSize {
		r.text, r.sums = text[:from], append(r.sums, OfRow(row))
		return
	}
	r.text = pad(text, len(row))
	blocks := (len(r.text) - from) / sha256.BlockSize
	alike := append(r.waiting[blocks-1], paddedRow{uint32(from), len(r.sums)})
	r.waiting[blocks-1], r.sums = alike, append(r.sums, Sum128{})
	if len(alike) == len(r.sixteen.from) {
		r.digest(blocks)
	}
	if len(r.text) > enough {
		r.digestAll()
	}
}

// pad ends a text as SHA-256 does, of which the last size bytes are a row: with a bit, as
// many zeros as it takes, and the number of its bits.
func pad(text []byte, size int) []byte {
	const end = 1 + 8
	zeros := -(size + end) & (sha256.BlockSize - 1)
	text = append(slices.Grow(text, zeros+end), 0x80)
	at := len(text)
	text = text[:at+zeros]
	clear(text[at:])
	return binary.BigEndian.AppendUint64(text, uint64(size)*8)
}

// Sums returns the digests of all rows that were added, in their order. They are valid
// until the next one is, with which it begins anew.
func (r *Rows) Sums() []Sum128 {
	r.digestAll()
	sums := r.sums
	r.sums = r.sums[:0]
	return sums
}

func (r *Rows) digestAll() {
	for blocks := 1; blocks <= longest; blocks++ {
		if len(r.waiting[blocks-1]) > 0 {
			r.digest(blocks)
		}
	}
	r.text = r.text[:0]
}

// digest digests the rows that wait and are so many blocks: from 1 to 16 of them.
func (r *Rows) digest(blocks int) {
	s, rows := &r.sixteen, r.waiting[blocks-1]
	for lane := range s.from {
		s.from[lane] = rows[min(lane, len(rows)-1)].from
	}
	s.digest(r.text, uint32(blocks))
	for lane, row := range rows {
		r.sums[row.sum] = Sum128{
			Hi: uint64(s.state[0][lane])<<32 | uint64(s.state[1][lane]),
			Lo: uint64(s.state[2][lane])<<32 | uint64(s.state[3][lane]),
		}
	}
	r.waiting[blocks-1] = rows[:0]
}

// sixteen is SHA-256 of sixteen texts side by side.
type sixteen struct {
	state [8][16]uint32 // word by word
	from  [16]uint32    // where each text is
}

// initial is the state that SHA-256 begins with.
var initial = [8]uint32{
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

// digest digests so many blocks of each text.
func (s *sixteen) digest(text []byte, blocks uint32) {
	for word, start := range initial {
		for lane := range s.state[word] {
			s.state[word][lane] = start
		}
	}
	digestSixteen(s, &text[0], blocks)
}
