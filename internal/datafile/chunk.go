package datafile

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// How much a page holds about at most.
const (
	pageRows = 32 << 10
	pageText = 256 << 10 // bytes
)

// chunk encodes the values that a column has in a row group. The next one uses its
// memory again.
type chunk struct {
	effort Effort

	out   bytes.Buffer // the pages, as the file has them
	meta  format.ColumnMetaData
	plain int64 // bytes that the pages would take if they were not compressed

	dictionary dictionary
	present    []int32 // the rows that are not NULL
	page       page
	bounds     bounds
}

// encode encodes the given rows of a vector, in that order. Offsets in meta are from
// the chunk's first byte.
func (c *chunk) encode(v *Vector, rows []int32) error {
	c.out.Reset()
	c.plain, c.meta = 0, format.ColumnMetaData{
		Type: format.Type(v.kind), Codec: c.effort.codec(), NumValues: int64(len(rows)),
		Encoding: thrift.Slice[format.Encoding]{format.RLE}, // of the levels
	}
	present := c.presentOf(v, rows)
	c.meta.Statistics.NullCount = int64(len(rows) - len(present))
	c.bounds = bounds{}
	var err error
	if c.dictionary.build(v, present) {
		err = c.numbers(v, rows)
	} else {
		err = c.values(v, rows)
	}
	c.meta.Statistics.MinValue, c.meta.Statistics.MaxValue = c.bounds.plain(v.kind)
	return err
}

// presentOf returns the rows that are not NULL.
func (c *chunk) presentOf(v *Vector, rows []int32) []int32 {
	if v.nulls == 0 {
		return rows
	}
	if c.present = c.present[:0]; v.nulls == v.rows {
		return nil
	}
	for _, row := range rows {
		if v.level(int(row)) != 0 {
			c.present = append(c.present, row)
		}
	}
	return c.present
}

// values adds pages of the values as they are.
func (c *chunk) values(v *Vector, rows []int32) error {
	for len(rows) > 0 {
		n := c.page.gather(v, rows[:min(pageRows, len(rows))], pageText)
		c.bounds.add(v.typ, &c.page)
		if err := c.encodePage(); err != nil {
			return err
		}
		if err := c.add(v, rows[:n], c.page.len()); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// encodePage encodes the values that were gathered. Prefixes are cut where Snappy would
// look for them; zstd does that better.
func (c *chunk) encodePage() error {
	if c.effort == Passing && c.page.sharesPrefixes() {
		return c.page.encodePrefixes()
	}
	return c.page.encode()
}

// numbers adds the dictionary, and pages of the values' numbers in it.
func (c *chunk) numbers(v *Vector, rows []int32) error {
	c.page.gather(v, c.dictionary.rows, math.MaxInt)
	c.bounds.add(v.typ, &c.page)
	c.page.encodePlain()
	if err := c.addDictionary(); err != nil {
		return err
	}
	numbers := c.dictionary.numbers
	for len(rows) > 0 {
		n := min(pageRows, len(rows))
		there := v.present(rows[:n])
		if err := c.page.encodeNumbers(numbers[:there]); err != nil {
			return err
		}
		if err := c.add(v, rows[:n], there); err != nil {
			return err
		}
		rows, numbers = rows[n:], numbers[there:]
	}
	return nil
}

func (c *chunk) addDictionary() error {
	var err error
	if c.page.packed, err = c.effort.compress(c.page.packed, c.page.plain); err != nil { // such a page can't say that it is not
		return err
	}
	header := format.PageHeader{
		Type: format.DictionaryPage, UncompressedPageSize: int32(len(c.page.plain)), CompressedPageSize: int32(len(c.page.packed)),
		CRC: int32(crc32.ChecksumIEEE(c.page.packed)),
	}
	header.DictionaryPageHeader.Set(format.DictionaryPageHeader{NumValues: int32(len(c.dictionary.rows)), Encoding: format.Plain})
	if err := c.write(&header, nil, c.page.packed); err != nil {
		return err
	}
	c.meta.DataPageOffset = int64(c.out.Len())
	return nil
}

// add adds the page of those rows, whose values were just encoded.
func (c *chunk) add(v *Vector, rows []int32, present int) error {
	if err := c.page.encodeLevels(v, rows); err != nil {
		return err
	}
	body, compressed, err := c.page.compress(c.effort)
	if err != nil {
		return err
	}
	levels := c.page.levels
	header := format.PageHeader{
		Type: format.DataPageV2, UncompressedPageSize: int32(len(levels) + len(c.page.plain)), CompressedPageSize: int32(len(levels) + len(body)),
		CRC: int32(crc32.Update(crc32.ChecksumIEEE(levels), crc32.IEEETable, body)),
	}
	header.DataPageHeaderV2.Set(format.DataPageHeaderV2{
		NumValues: int32(len(rows)), NumNulls: int32(len(rows) - present), NumRows: int32(len(rows)), Encoding: c.page.encoding,
		DefinitionLevelsByteLength: int32(len(levels)), IsCompressed: thrift.New(compressed),
	})
	return c.write(&header, levels, body)
}

// write adds a page's bytes.
func (c *chunk) write(header *format.PageHeader, levels, body []byte) error {
	if size := len(levels) + len(c.page.plain); size > math.MaxInt32 {
		return fmt.Errorf("holds a value that takes a page of %d bytes, where Parquet has at most %d", size, math.MaxInt32)
	}
	before := c.out.Len()
	if err := thrift.NewEncoder(compact.NewWriter(&c.out)).Encode(header); err != nil {
		return err
	}
	c.plain += int64(c.out.Len()-before) + int64(header.UncompressedPageSize)
	c.out.Write(levels)
	c.out.Write(body)
	c.count(header.Type, c.page.encoding)
	return nil
}

// count notes what the chunk's pages are.
func (c *chunk) count(kind format.PageType, encoding format.Encoding) {
	known := false
	for _, e := range c.meta.Encoding {
		known = known || e == encoding
	}
	if !known {
		c.meta.Encoding = append(c.meta.Encoding, encoding)
	}
	for i := range c.meta.EncodingStats {
		if s := &c.meta.EncodingStats[i]; s.PageType == kind && s.Encoding == encoding {
			s.Count++
			return
		}
	}
	c.meta.EncodingStats = append(c.meta.EncodingStats, format.PageEncodingStats{PageType: kind, Encoding: encoding, Count: 1})
}

var compact thrift.CompactProtocol
