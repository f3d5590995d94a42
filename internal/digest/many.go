package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Many takes the SHA-256 of many short texts, which is faster than OfBytes is for each:
// where the processor can, it takes sixteen at once.
type Many struct {
	hashes  []Hash
	text    []byte                // of the texts that wait, each as SHA-256 pads it
	waiting [longest][]paddedText // by how many blocks they are, from 1
	sixteen sixteen
}

// paddedText is where a text that waits is in all that wait, and in the hashes.
type paddedText struct {
	from uint32
	hash int
}

// longest is of how many blocks a text is at most that waits for others.
const longest = 16

// enough is how many bytes wait before all of them are digested, so that they don't leave
// the processor's nearest caches.
const enough = 64 << 10

// Next returns that to which the next text is to be appended, for Add.
func (m *Many) Next() []byte { return m.text }

// Add takes in a text: all is what Next returned, with the text at the end.
func (m *Many) Add(all []byte) {
	from := len(m.text)
	text := all[from:]
	if !hasSixteen || len(text) > (longest-1)*sha256.BlockSize {
		m.text, m.hashes = all[:from], append(m.hashes, OfBytes(text))
		return
	}
	m.text = pad(all, len(text))
	blocks := (len(m.text) - from) / sha256.BlockSize
	alike := append(m.waiting[blocks-1], paddedText{uint32(from), len(m.hashes)})
	m.waiting[blocks-1], m.hashes = alike, append(m.hashes, Hash{})
	if len(alike) == len(m.sixteen.from) {
		m.digest(blocks)
	}
	if len(m.text) > enough {
		m.digestAll()
	}
}

// pad ends as SHA-256 does a text that is the last size bytes: with a bit, as many zeros as
// it takes, and the number of its bits.
func pad(text []byte, size int) []byte {
	const end = 1 + 8
	zeros := -(size + end) & (sha256.BlockSize - 1)
	text = append(slices.Grow(text, zeros+end), 0x80)
	at := len(text)
	text = text[:at+zeros]
	clear(text[at:])
	return binary.BigEndian.AppendUint64(text, uint64(size)*8)
}

// Hashes returns the digests of all texts that were added, in their order. They are valid
// until the next one is, with which it begins anew.
func (m *Many) Hashes() []Hash {
	m.digestAll()
	hashes := m.hashes
	m.hashes = m.hashes[:0]
	return hashes
}

func (m *Many) digestAll() {
	for blocks := 1; blocks <= longest; blocks++ {
		if len(m.waiting[blocks-1]) > 0 {
			m.digest(blocks)
		}
	}
	m.text = m.text[:0]
}

// digest digests the texts that wait and are so many blocks: from 1 to 16 of them.
func (m *Many) digest(blocks int) {
	s, texts := &m.sixteen, m.waiting[blocks-1]
	for lane := range s.from {
		s.from[lane] = texts[min(lane, len(texts)-1)].from
	}
	s.digest(m.text, uint32(blocks))
	for lane, text := range texts {
		s.put(&m.hashes[text.hash], lane)
	}
	m.waiting[blocks-1] = texts[:0]
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

// put writes the digest of a text.
func (s *sixteen) put(h *Hash, lane int) {
	for word := range s.state {
		binary.BigEndian.PutUint32(h[4*word:], s.state[word][lane])
	}
}
