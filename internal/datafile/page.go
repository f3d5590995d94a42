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
	encoding format.Encoding
	levels   []byte // which rows are there, in runs
	plain    []byte // the values, encoded
	packed   []byte // and compressed

	bits    []byte
	ints    []int32
	longs   []int64
	text    []byte
	offsets []uint32
}

// values encodes the values of rows, none of which is NULL. Numbers become differences
// (positions and times grow by little, and most others have leading zeros), texts their
// lengths and then their bytes. A page without values is plain: there is nothing then
// that a reader could get wrong.
func (p *page) values(v *Vector, rows []int32) (err error) {
	p.encoding, p.plain = format.Plain, p.plain[:0]
	switch {
	case len(rows) == 0:
	case v.kind == parquet.Int32:
		p.gatherInts(v, rows)
		p.encoding = format.DeltaBinaryPacked
		p.plain, err = new(delta.BinaryPackedEncoding).EncodeInt32(p.plain, p.ints)
	case v.kind == parquet.Int64:
		p.gatherLongs(v, rows)
		p.encoding = format.DeltaBinaryPacked
		p.plain, err = new(delta.BinaryPackedEncoding).EncodeInt64(p.plain, p.longs)
	case v.kind == parquet.ByteArray:
		p.gatherTexts(v, rows)
		p.encoding = format.DeltaLengthByteArray
		p.plain, err = new(delta.LengthByteArrayEncoding).EncodeByteArray(p.plain, p.text, p.offsets)
	case v.kind == parquet.Boolean:
		p.plain = appendBits(p.plain, v, rows)
	default:
		p.dictionary(v, rows)
	}
	return err
}

// dictionary encodes the values of rows, none of which is NULL, one after another.
func (p *page) dictionary(v *Vector, rows []int32) {
	p.encoding, p.plain = format.Plain, p.plain[:0]
	for _, row := range rows {
		p.plain = v.appendPlain(p.plain, int(row))
	}
}

// numbers encodes values by their numbers in the dictionary.
func (p *page) numbers(numbers []int32) (err error) {
	p.encoding, p.plain = format.Plain, p.plain[:0]
	if len(numbers) > 0 {
		p.encoding = format.RLEDictionary
		p.plain, err = new(rle.DictionaryEncoding).EncodeInt32(p.plain, numbers)
	}
	return err
}

// levelsOf encodes which of the rows are there.
func (p *page) levelsOf(v *Vector, rows []int32) (err error) {
	if v.nulls == 0 {
		p.levels = append(binary.AppendUvarint(p.levels[:0], uint64(len(rows))<<1), 1)
		return nil
	}
	p.bits = p.bits[:0]
	for _, row := range rows {
		p.bits = append(p.bits, v.level(int(row)))
	}
	p.levels, err = (&rle.Encoding{BitWidth: 1}).EncodeLevels(p.levels[:0], p.bits)
	return err
}

func (p *page) compress() (err error) {
	p.packed, err = compress(p.packed, p.plain)
	return err
}

func (p *page) gatherInts(v *Vector, rows []int32) {
	p.ints = p.ints[:0]
	for _, row := range rows {
		p.ints = append(p.ints, int32(v.word(int(row))))
	}
}

func (p *page) gatherLongs(v *Vector, rows []int32) {
	p.longs = p.longs[:0]
	for _, row := range rows {
		p.longs = append(p.longs, int64(v.word(int(row))))
	}
}

func (p *page) gatherTexts(v *Vector, rows []int32) {
	p.text, p.offsets = p.text[:0], append(p.offsets[:0], 0)
	for _, row := range rows {
		p.text = append(p.text, v.textOf(int(row))...)
		p.offsets = append(p.offsets, uint32(len(p.text)))
	}
}

// appendBits appends booleans, eight to a byte.
func appendBits(dst []byte, v *Vector, rows []int32) []byte {
	for i, row := range rows {
		if i%8 == 0 {
			dst = append(dst, 0)
		}
		dst[len(dst)-1] |= byte(v.word(int(row))&1) << (i % 8)
	}
	return dst
}
