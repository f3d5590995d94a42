package parquetrows

import "encoding/binary"

// plainOfRuns turns at most that many booleans in RLE, the hybrid of runs and packed
// bits that the format's Encodings.md describes, into PLAIN: eight to a byte, the
// first lowest. Runs of any length follow each other, so one may begin within a byte.
func plainOfRuns(packed []byte, most int) ([]byte, error) {
	if len(packed) < 4 {
		return nil, errPacked
	}
	p := packedBytes{rest: packed[4:]}
	p.rest = p.take(int(binary.LittleEndian.Uint32(packed)))
	out := bits{most: most, bytes: make([]byte, 0, (most+7)/8)}
	for len(p.rest) > 0 && out.n < most && !p.bad {
		header := p.uvarint()
		if count := header >> 1; header&1 == 0 {
			value := p.take(1)
			p.bad = p.bad || value[0] > 1 && value[0] != allOnes
			out.run(count, !p.bad && value[0] != 0)
		} else {
			out.packed(p.take(int(min(count, uint64(len(p.rest)+1)))))
		}
	}
	if p.bad {
		return nil, errPacked
	}
	return out.bytes, nil
}

// allOnes is how parquet-go writes the value of a run of trues.
const allOnes = 0xff

// bits are at most so many booleans.
type bits struct {
	bytes   []byte
	n, most int
}

func (b *bits) add(value bool) {
	if b.n%8 == 0 {
		b.bytes = append(b.bytes, 0)
	}
	if value {
		b.bytes[b.n/8] |= 1 << (b.n % 8)
	}
	b.n++
}

func (b *bits) run(count uint64, value bool) {
	for range min(count, uint64(b.most-b.n)) {
		b.add(value)
	}
}

func (b *bits) packed(eights []byte) {
	for i := range min(8*len(eights), b.most-b.n) {
		b.add(eights[i/8]>>(i%8)&1 == 1)
	}
}
