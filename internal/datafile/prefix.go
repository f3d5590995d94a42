package datafile

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

// prefixSample is how many values of a page are looked at for what they share with those
// before them. Of fewer, pages of texts take little anyway.
const prefixSample = 64

// sharesPrefixes tells whether the page's texts have, as a sample of them does, at least
// half of their bytes in common with the text before, at their beginning: numbers that
// rise with a word before them, addresses, times as text.
func (p *page) sharesPrefixes() bool {
	if p.kind != parquet.ByteArray || p.len() <= prefixSample {
		return false
	}
	shared, total, step := 0, 0, (p.len()-1)/prefixSample
	for i := 1; i < p.len(); i += step {
		shared += sharedPrefix(p.value(i-1), p.value(i))
		total += len(p.value(i))
	}
	return total > 0 && 2*shared >= total
}

// value returns one of the texts that were gathered.
func (p *page) value(i int) []byte { return p.text[p.offsets[i]:p.offsets[i+1]] }

// encodePrefixes encodes the texts that were gathered as how many bytes each shares with
// the one before, and what it has after them.
func (p *page) encodePrefixes() (err error) {
	p.encoding = format.DeltaByteArray
	p.ints, p.rests, p.restOffsets = p.ints[:0], p.rests[:0], append(p.restOffsets[:0], 0)
	var before []byte
	for i, end := range p.offsets[1:] {
		at := span{p.offsets[i], end}
		text := p.text[at.from:at.to]
		shared := sharedPrefix(before, text)
		before = text
		at.from += uint32(shared)
		p.ints = append(p.ints, int32(shared))
		p.rests = appendSpan(p.rests, p.text, at)
		p.restOffsets = append(p.restOffsets, uint32(len(p.rests)))
	}
	if p.plain, err = new(delta.BinaryPackedEncoding).EncodeInt32(p.plain[:0], p.ints); err != nil {
		return err
	}
	p.packed, err = new(delta.LengthByteArrayEncoding).EncodeByteArray(p.packed[:0], p.rests, p.restOffsets)
	p.plain = append(p.plain, p.packed...)
	return err
}

// sharedPrefix returns how many bytes two texts have in common at their beginning.
func sharedPrefix(a, b []byte) (n int) {
	size := min(len(a), len(b))
	for ; n+wordSize <= size; n += wordSize {
		if differ := wordAt(a, n) ^ wordAt(b, n); differ != 0 {
			return n + bits.TrailingZeros64(differ)/8
		}
	}
	if last := size - wordSize; last >= 0 { // again with bytes that are the same
		if differ := wordAt(a, last) ^ wordAt(b, last); differ != 0 {
			return last + bits.TrailingZeros64(differ)/8
		}
		return size
	}
	for n < size && a[n] == b[n] {
		n++
	}
	return n
}

const wordSize = 8 // bytes

// wordAt returns eight bytes of a text as a number, the first one lowest.
func wordAt(text []byte, at int) uint64 { return binary.LittleEndian.Uint64(text[at:]) }
