package parquetrows

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"strandline/internal/jsonrow"
)

// What parquet-go reads wrongly is written anew, not compressed and plain, behind
// the end of the local copy, and behind that a footer that says so:
//
//   - LZ4. Of a page that has become less than three times smaller it takes an empty
//     buffer for the values; and where bytes are no LZ4, it makes room until the memory
//     is full.
//   - Integers of 32 bits as differences (DELTA_BINARY_PACKED) of more than 32 bits,
//     which the engine writes of large unsigned values. It cuts them.
//   - Booleans in RLE. It takes the value of a run for eight values, and a run to end
//     with a byte.
//   - A column that is compressed in one way in one row group and in another in
//     another. It takes the first for all.

// needsRewriting tells which columns are one of these in some row group.
func needsRewriting(groups []format.RowGroup, columns int) []bool {
	needs := make([]bool, columns)
	for i := range groups {
		for j := range min(columns, len(groups[i].Columns)) {
			m := &groups[i].Columns[j].MetaData
			needs[j] = needs[j] || m.Codec == format.Lz4Raw || m.Codec != groups[0].Columns[j].MetaData.Codec ||
				slices.ContainsFunc(m.Encoding, func(e format.Encoding) bool { return plainOf(m, e) != nil })
		}
	}
	return needs
}

// plainOf returns how at most so many values of a column in an encoding are made
// PLAIN; nil where they can stay.
func plainOf(m *format.ColumnMetaData, e format.Encoding) func(packed []byte, most int) ([]byte, error) {
	switch kind := parquet.Kind(m.Type); {
	case kind == parquet.Int32 && e == format.DeltaBinaryPacked:
		return plainOfDeltas
	case kind == parquet.Boolean && e == format.RLE:
		return plainOfRuns
	}
	return nil
}

// rewrite returns the size that the local copy has with what was written anew.
func (f *File) rewrite(copied *os.File, footer *format.FileMetaData) (int64, error) {
	w, needs := &rewriting{file: f, copied: copied, end: f.size}, needsRewriting(footer.RowGroups, len(f.leaves))
	for i := range footer.RowGroups {
		for j := range footer.RowGroups[i].Columns {
			if j >= len(needs) || !needs[j] {
				continue
			}
			m := &footer.RowGroups[i].Columns[j].MetaData
			if footer.RowGroups[i].NumRows == 0 { // it may have no pages, see isEmpty
				m.Codec = format.Uncompressed
				continue
			}
			if err := w.chunk(m, f.leaves[j]); err != nil {
				return 0, fmt.Errorf("row group %d: column %s: %w", i, m.PathInSchema, err)
			}
		}
	}
	if w.end == f.size {
		return f.size, nil
	}
	return w.footer(footer)
}

// readFooter returns the footer, and where it begins.
func readFooter(copied *os.File, size int64) (*format.FileMetaData, int64, error) {
	const trailer = 8
	tail := make([]byte, trailer)
	if _, err := copied.ReadAt(tail, size-trailer); err != nil {
		return nil, 0, err
	}
	data := make([]byte, binary.LittleEndian.Uint32(tail)) // checkFrame has looked at it
	begin := size - trailer - int64(len(data))
	if _, err := copied.ReadAt(data, begin); err != nil {
		return nil, 0, err
	}
	var footer format.FileMetaData
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(data)).Decode(&footer); err != nil {
		return nil, 0, jsonrow.Damaged(err)
	}
	return &footer, begin, nil
}

// rewriting appends to the local copy.
type rewriting struct {
	file   *File // as it came
	copied *os.File
	end    int64
	// unpacked is how many bytes the pages have in all that were written anew.
	unpacked int64
}

func (w *rewriting) append(data []byte) error {
	_, err := w.copied.WriteAt(data, w.end)
	w.end += int64(len(data))
	return err
}

// chunk appends the pages of a column, and makes its metadata those of what it
// has appended.
func (w *rewriting) chunk(m *format.ColumnMetaData, of levels) error {
	start, end, err := w.file.extent(m)
	if err != nil {
		return err
	}
	begin := w.end
	m.DictionaryPageOffset, m.DataPageOffset, m.IndexPageOffset = 0, begin, 0
	for at := start; at < end; {
		h, n, err := w.file.pageHeader(at, end)
		if err != nil {
			return err
		}
		page, body := w.end, at+n
		at = body + int64(h.CompressedPageSize)
		if err := w.page(m, h, body, of); err != nil {
			return err
		}
		if h.Type == format.DictionaryPage {
			m.DictionaryPageOffset, m.DataPageOffset = page, w.end
		}
	}
	m.Codec, m.TotalCompressedSize, m.TotalUncompressedSize = format.Uncompressed, w.end-begin, w.end-begin
	return nil
}

// page appends the page whose header is h and whose bytes begin at an offset.
func (w *rewriting) page(m *format.ColumnMetaData, h *format.PageHeader, at int64, of levels) error {
	w.unpacked += int64(h.UncompressedPageSize)
	if err := errors.Join(w.file.room.Hold(memoryOf(h)), w.file.room.Unpack(w.unpacked)); err != nil {
		return err
	}
	plain, err := w.unpack(m.Codec, h, at)
	if err != nil {
		return err
	}
	if to := plainOf(m, encodingOf(h)); to != nil {
		if plain, err = expand(h, plain, of, to); err != nil {
			return err
		}
	}
	h.CompressedPageSize, h.UncompressedPageSize, h.CRC = int32(len(plain)), int32(len(plain)), 0
	header, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	if err != nil {
		return err
	}
	if err := w.append(header); err != nil {
		return err
	}
	return w.append(plain)
}

// unpack returns a page's bytes.
func (w *rewriting) unpack(codec format.CompressionCodec, h *format.PageHeader, at int64) ([]byte, error) {
	packed := make([]byte, h.CompressedPageSize)
	if _, err := w.copied.ReadAt(packed, at); err != nil {
		return nil, err
	}
	if err := checkSum(h, packed); err != nil {
		return nil, err
	}
	before, err := levelBytes(h)
	if err != nil {
		return nil, err
	}
	if !isPacked(h) {
		return packed, nil
	}
	size := int(h.UncompressedPageSize)
	if size > maxPage {
		return nil, fmt.Errorf("%w: a page has %d bytes (write it with smaller pages)", jsonrow.ErrUnsupported, size)
	}
	return w.file.unpackPage(codec, packed, before, h)
}

func encodingOf(h *format.PageHeader) format.Encoding {
	if h.DataPageHeaderV2.Valid {
		return h.DataPageHeaderV2.V.Encoding
	}
	return h.DataPageHeader.V.Encoding // of a dictionary: PLAIN, whose number is 0
}

// expand makes the values of a data page PLAIN.
func expand(h *format.PageHeader, page []byte, of levels, to func([]byte, int) ([]byte, error)) ([]byte, error) {
	before, _, err := levelsIn(h, page, of)
	if err != nil {
		return nil, err
	}
	if h.DataPageHeaderV2.Valid {
		h.DataPageHeaderV2.V.Encoding = format.Plain
	} else {
		h.DataPageHeader.V.Encoding = format.Plain
	}
	plain, err := to(page[before:], int(valuesIn(h)))
	return append(page[:before:before], plain...), err
}

// levels are the greatest levels of a leaf.
type levels struct{ rep, def int }

// footer appends the footer, and returns the size that the copy has with it.
func (w *rewriting) footer(m *format.FileMetaData) (int64, error) {
	data, err := thrift.Marshal(new(thrift.CompactProtocol), m)
	if err != nil {
		return 0, err
	}
	data = binary.LittleEndian.AppendUint32(data, uint32(len(data)))
	err = w.append(append(data, "PAR1"...))
	return w.end, err
}
