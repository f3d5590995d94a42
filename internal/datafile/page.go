package datafile

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

// page encodes the values of a page. The next one uses its memory again.
type page struct {
	kind     parquet.Kind
	encoding format.Encoding
	levels   []byte // which rows are there, in runs
	plain    []byte // the values, encoded
	packed   []byte // and compressed

	// The values that are there, one after another, and of those of bytes where each
	// begins and the last one ends.
	words   []int64
	text    []byte
	offsets []uint32

	bits []byte
	ints []int32

	// What texts have after the bytes that they share with the one before.
	rests       []byte
	restOffsets []uint32
}

// len is how many values were gathered.
func (p *page) len() int { return len(p.words) + len(p.offsets) - 1 }

// encode encodes the values that were gathered. Numbers become differences (positions
// and times grow by little, and most others have leading zeros), texts their lengths and
// then their bytes. No values at all are plain: there is nothing then that a reader
// could get wrong.
func (p *page) encode() (err error) {
	switch {
	case p.len() == 0:
		p.encodePlain()
	case p.kind == parquet.Int32:
		p.narrow()
		p.encoding = format.DeltaBinaryPacked
		p.plain, err = new(delta.BinaryPackedEncoding).EncodeInt32(p.plain[:0], p.ints)
	case p.kind == parquet.Int64:
		p.encoding = format.DeltaBinaryPacked
		p.plain, err = new(delta.BinaryPackedEncoding).EncodeInt64(p.plain[:0], p.words)
	case p.kind == parquet.ByteArray:
		p.encoding = format.DeltaLengthByteArray
		p.plain, err = new(delta.LengthByteArrayEncoding).EncodeByteArray(p.plain[:0], p.text, p.offsets)
	default:
		p.encodePlain()
	}
	return err
}

func (p *page) narrow() {
	p.ints = p.ints[:0]
	for _, word := range p.words {
		p.ints = append(p.ints, int32(word))
	}
}

// encodePlain encodes the values that were gathered one after another.
func (p *page) encodePlain() {
	p.encoding, p.plain = format.Plain, p.plain[:0]
	switch p.kind {
	case parquet.ByteArray:
		for i, end := range p.offsets[1:] {
			text := p.text[p.offsets[i]:end]
			p.plain = append(binary.LittleEndian.AppendUint32(p.plain, uint32(len(text))), text...)
		}
	case parquet.FixedLenByteArray:
		p.plain = append(p.plain, p.text...)
	case parquet.Boolean:
		p.appendBits()
	default:
		for _, word := range p.words {
			p.plain = appendWord(p.plain, p.kind, word)
		}
	}
}

// appendBits appends booleans, eight to a byte.
func (p *page) appendBits() {
	for i, word := range p.words {
		if i%8 == 0 {
			p.plain = append(p.plain, 0)
		}
		p.plain[len(p.plain)-1] |= byte(word) << (i % 8)
	}
}

// appendWord appends a number as plain encoding has it.
func appendWord(dst []byte, kind parquet.Kind, word int64) []byte {
	switch kind {
	case parquet.Boolean:
		return append(dst, byte(word))
	case parquet.Int32, parquet.Float:
		return binary.LittleEndian.AppendUint32(dst, uint32(word))
	default:
		return binary.LittleEndian.AppendUint64(dst, uint64(word))
	}
}

// encodeNumbers encodes values by their numbers in the dictionary.
func (p *page) encodeNumbers(numbers []int32) (err error) {
	p.encoding, p.plain = format.Plain, p.plain[:0]
	if len(numbers) > 0 {
		p.encoding = format.RLEDictionary
		p.plain, err = new(rle.DictionaryEncoding).EncodeInt32(p.plain, numbers)
	}
	return err
}

// encodeLevels encodes which of the rows are there.
func (p *page) encodeLevels(v *Vector, rows []int32) (err error) {
	if v.nulls == 0 || v.nulls == v.rows {
		one := v.level(0) // and all others
		p.levels = append(binary.AppendUvarint(p.levels[:0], uint64(len(rows))<<1), one)
		return nil
	}
	p.bits = p.bits[:0]
	for _, row := range rows {
		p.bits = append(p.bits, v.level(int(row)))
	}
	p.levels, err = (&rle.Encoding{BitWidth: 1}).EncodeLevels(p.levels[:0], p.bits)
	return err
}

// compress returns what was encoded as the file has it: compressed, unless it is packed, or
// no smaller then.
func (p *page) compress(effort Effort) (body []byte, compressed bool, err error) {
	if p.encoding == format.DeltaBinaryPacked || p.encoding == format.RLEDictionary {
		return p.plain, false, nil
	}
	if p.packed, err = effort.compress(p.packed, p.plain); err == nil && len(p.packed) < len(p.plain) {
		return p.packed, true, nil
	}
	return p.plain, false, err
}
