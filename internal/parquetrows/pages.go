package parquetrows

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"strandline/internal/jsonrow"
)

// What a page may have at most, in bytes.
const maxPage = 1 << 30

// What a page header may have at most; the statistics of old writers are in it.
const maxHeader = 16 << 20

// checkGroup walks all pages of a row group and makes sure that each unpacks to the
// size that it says, and that there is room for all that are held at once: of each column
// a page and its dictionary. parquet-go takes pages at their word: one of a few bytes could
// fill the memory.
func (f *File) checkGroup(i int) error {
	group := &f.pq.Metadata().RowGroups[i]
	var held int64
	for j := range group.Columns {
		m := &group.Columns[j].MetaData
		most, err := f.checkChunk(m, f.leaves[j], held)
		if err != nil {
			return fmt.Errorf("column %s: %w", m.PathInSchema, err)
		}
		held += most
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

// checkChunk returns how many bytes the pages of a column that are held at once have,
// where so many are held already.
func (f *File) checkChunk(m *format.ColumnMetaData, of levels, held int64) (int64, error) {
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
		size := memoryOf(h)
		f.unpacked += int64(h.UncompressedPageSize)
		if err := errors.Join(f.room.Hold(held+dictionary+max(largest, size)), f.room.Unpack(f.unpacked)); err != nil {
			return 0, err
		}
		more, err := f.checkPage(m, h, at+n, of)
		if err == nil && more > 0 {
			size, f.unpacked = size+more, f.unpacked+more
			err = errors.Join(f.room.Hold(held+dictionary+max(largest, size)), f.room.Unpack(f.unpacked))
		}
		if err != nil {
			return 0, err
		}
		at += n + int64(h.CompressedPageSize)
		if h.Type == format.DictionaryPage {
			dictionary += size
		} else {
			largest = max(largest, size)
		}
	}
	return dictionary + largest, nil
}

// memoryOf is what a page takes, about: its bytes as they are stored, those that they
// stand for, and of each value two levels and an offset.
func memoryOf(h *format.PageHeader) int64 {
	const perValue = 6
	return int64(h.UncompressedPageSize) + int64(h.CompressedPageSize) + perValue*int64(valuesIn(h))
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

// checkPage unpacks the page at an offset, and counts. It returns what its values take
// beyond its bytes.
func (f *File) checkPage(m *format.ColumnMetaData, h *format.PageHeader, at int64, of levels) (more int64, err error) {
	before, err := levelBytes(h)
	if err != nil {
		return 0, err
	}
	if h.UncompressedPageSize > maxPage || h.CompressedPageSize > maxPage {
		return 0, fmt.Errorf("%w: a page has %d bytes (write it with smaller pages)", jsonrow.ErrUnsupported, h.UncompressedPageSize)
	}
	if plainOf(m, encodingOf(h)) != nil {
		return 0, fmt.Errorf("%w: a page has another encoding than its column says", jsonrow.ErrDamaged)
	}
	packed := make([]byte, h.CompressedPageSize)
	if _, err := f.r.ReadAt(packed, at); err != nil {
		return 0, err
	}
	if err := checkSum(h, packed); err != nil {
		return 0, err
	}
	codec := m.Codec
	if !isPacked(h) {
		codec = format.Uncompressed
	}
	page, err := f.unpackPage(codec, packed, before, h)
	if err != nil {
		return 0, err
	}
	return expansionOf(h, page, of)
}

// unpackPage returns the bytes of a page, the first of which were never packed.
func (f *File) unpackPage(codec format.CompressionCodec, packed []byte, before int, h *format.PageHeader) ([]byte, error) {
	size := int(h.UncompressedPageSize)
	if codec == format.Uncompressed {
		if len(packed) != size {
			return nil, errPageSize(size)
		}
		return packed, nil
	}
	if window := windowOf(codec, packed[before:]); window > 0 {
		if err := f.room.Hold(memoryOf(h) + window); err != nil {
			return nil, err
		}
	}
	r, err := unpack(codec, packed[before:], size-before)
	if err != nil {
		return nil, err
	}
	page := make([]byte, size)
	copy(page, packed[:before])
	if _, err := io.ReadFull(r, page[before:]); err != nil {
		return nil, errPageSize(size)
	}
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 || err != io.EOF {
		return nil, errPageSize(size)
	}
	return page, nil
}
