package parquetrows

import (
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"strandline/internal/jsonrow"
)

// What reading a row group may take in memory, in bytes. Of each column a page and
// its dictionary are held at once.
const maxGroupMemory = 2 << 30

// What a page may have at most, in bytes.
const maxPage = 1 << 30

// What a page header may have at most; the statistics of old writers are in it.
const maxHeader = 16 << 20

// checkGroup walks all pages of a row group and makes sure that each unpacks to the
// size that it says, and that all together don't ask for more memory than allowed.
// parquet-go takes pages at their word: one of a few bytes could fill the memory.
func (f *File) checkGroup(i int) error {
	group := &f.pq.Metadata().RowGroups[i]
	var need int64
	for j := range group.Columns {
		m := &group.Columns[j].MetaData
		most, err := f.checkChunk(m)
		if err != nil {
			return fmt.Errorf("column %s: %w", m.PathInSchema, err)
		}
		if need += most; need > maxGroupMemory {
			return fmt.Errorf("%w: its pages take more than %d bytes of memory at once (write it with smaller pages)", jsonrow.ErrUnsupported, int64(maxGroupMemory))
		}
	}
	return nil
}

// extent returns where a column's pages are: [start, end).
func (f *File) extent(m *format.ColumnMetaData) (start, end int64, err error) {
	start = m.DataPageOffset
	if m.DictionaryPageOffset > 0 && m.DictionaryPageOffset < start {
		start = m.DictionaryPageOffset
	}
	if start < 0 || m.TotalCompressedSize < 0 || start > f.size-m.TotalCompressedSize {
		return 0, 0, fmt.Errorf("%w: it does not lie within the file", jsonrow.ErrDamaged)
	}
	return start, start + m.TotalCompressedSize, nil
}

// checkChunk returns how many bytes the pages of a column that are held at once have.
func (f *File) checkChunk(m *format.ColumnMetaData) (int64, error) {
	start, end, err := f.extent(m)
	if err != nil {
		return 0, err
	}
	var dictionary, largest int64
	for at := start; at < end; {
		h, n, err := f.pageHeader(at, end)
		if err != nil {
			return 0, err
		}
		if err := f.checkPage(m, h, at+n); err != nil {
			return 0, err
		}
		at += n + int64(h.CompressedPageSize)
		if h.Type == format.DictionaryPage {
			dictionary += memoryOf(h)
		}
		largest = max(largest, memoryOf(h))
	}
	return dictionary + largest, nil
}

// memoryOf is what a page takes, about: its bytes, and of each value two levels and
// an offset.
func memoryOf(h *format.PageHeader) int64 {
	const perValue = 6
	values := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues)
	return int64(h.UncompressedPageSize) + int64(h.CompressedPageSize) + perValue*int64(values)
}

// pageHeader reads the header at an offset of a column that ends at end, and returns
// its length. The page that it is of lies within the column.
func (f *File) pageHeader(at, end int64) (*format.PageHeader, int64, error) {
	for window := int64(1 << 10); ; window *= 128 {
		window = min(window, end-at, maxHeader)
		data := make([]byte, window)
		if _, err := f.r.ReadAt(data, at); err != nil {
			return nil, 0, err
		}
		var h format.PageHeader
		r := new(thrift.CompactProtocol).NewReaderFromBytes(data)
		err := thrift.NewDecoder(r).Decode(&h)
		if err == nil {
			n := int64(r.BytesRead())
			if h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || int64(h.CompressedPageSize) > end-at-n {
				err = fmt.Errorf("%w: a page does not lie within its column", jsonrow.ErrDamaged)
			}
			return &h, n, err
		}
		if window == min(end-at, maxHeader) {
			return nil, 0, fmt.Errorf("%w: a page's header can't be read: %w", jsonrow.ErrDamaged, err)
		}
	}
}

// isPacked tells whether a page of a column that is compressed is.
func isPacked(h *format.PageHeader) bool {
	v2 := h.DataPageHeaderV2
	return !v2.Valid || !v2.V.IsCompressed.Valid || v2.V.IsCompressed.V
}

// levelBytes returns how many bytes stand before those that are compressed.
func levelBytes(h *format.PageHeader) (int, error) {
	if !h.DataPageHeaderV2.Valid {
		return 0, nil
	}
	rep, def := int(h.DataPageHeaderV2.V.RepetitionLevelsByteLength), int(h.DataPageHeaderV2.V.DefinitionLevelsByteLength)
	if rep < 0 || def < 0 || rep+def > int(min(h.CompressedPageSize, h.UncompressedPageSize)) {
		return 0, fmt.Errorf("%w: the levels of a page don't lie within it", jsonrow.ErrDamaged)
	}
	return rep + def, nil
}

// checkSum holds the bytes of a page against its checksum, if it has one. parquet-go
// does not do it for dictionaries.
func checkSum(h *format.PageHeader, page []byte) error {
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(page) {
		return fmt.Errorf("%w: the checksum of a page is wrong", jsonrow.ErrDamaged)
	}
	return nil
}

// checkPage unpacks the page at an offset, and counts.
func (f *File) checkPage(m *format.ColumnMetaData, h *format.PageHeader, at int64) error {
	levels, err := levelBytes(h)
	if err != nil {
		return err
	}
	if h.UncompressedPageSize > maxPage || h.CompressedPageSize > maxPage {
		return fmt.Errorf("%w: a page has %d bytes (write it with smaller pages)", jsonrow.ErrUnsupported, h.UncompressedPageSize)
	}
	if plainOf(m, encodingOf(h)) != nil {
		return fmt.Errorf("%w: a page has another encoding than its column says", jsonrow.ErrDamaged)
	}
	packed := make([]byte, h.CompressedPageSize)
	if _, err := f.r.ReadAt(packed, at); err != nil {
		return err
	}
	if err := checkSum(h, packed); err != nil {
		return err
	}
	codec := m.Codec
	if !isPacked(h) {
		codec = format.Uncompressed
	}
	want := int(h.UncompressedPageSize) - levels
	r, err := unpack(codec, packed[levels:], want)
	if err != nil {
		return err
	}
	if n, err := io.Copy(io.Discard, io.LimitReader(r, int64(want)+1)); err != nil || n != int64(want) {
		return errPageSize(int(h.UncompressedPageSize))
	}
	return nil
}
