package parquetrows

import (
	"encoding/binary"
	mathbits "math/bits"

	"github.com/parquet-go/parquet-go/format"
)

// expansionOf returns how many bytes the values and levels of a page may take beyond its
// own and what memoryOf allows for each value. A run of a few bytes may say that it is two
// billion values, and a text that it begins with the million bytes of the one before.
// page is the page as it is unpacked.
func expansionOf(h *format.PageHeader, page []byte, of levels) (int64, error) {
	if len(page) == 0 || h.Type != format.DataPage && h.Type != format.DataPageV2 {
		return 0, nil
	}
	before, runs, err := levelsIn(h, page, of)
	if err != nil {
		return 0, err
	}
	values, most := int64(valuesIn(h)), int64(0)
	for _, r := range runs {
		most = max(most, runValues(r.data, mathbits.Len(uint(r.greatest))))
	}
	data := page[before:]
	switch e := encodingOf(h); {
	case len(data) == 0:
	case e == plainDictionary || e == format.RLEDictionary:
		most = max(most, runValues(data[1:], int(data[0])))
	case e == format.DeltaBinaryPacked || e == format.DeltaLengthByteArray || e == format.DeltaByteArray:
		n, err := deltaBytes(e, data, values)
		return n + perRun*max(0, most-values), err
	}
	return perRun * max(0, most-values), nil
}

// plainDictionary is what old writers call RLEDictionary.
const plainDictionary format.Encoding = 2

// perRun is what a value of a run takes, in bytes.
const perRun = 4

func valuesIn(h *format.PageHeader) int32 {
	return max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues)
}

// levelRuns are the levels of one kind in a page.
type levelRuns struct {
	data     []byte
	greatest int
}

// levelsIn returns the levels of a data page, and where its values begin.
func levelsIn(h *format.PageHeader, page []byte, of levels) (values int, all []levelRuns, err error) {
	v2, at := &h.DataPageHeaderV2.V, 0
	for _, kind := range []struct {
		greatest int
		bytes    int32
	}{{of.rep, v2.RepetitionLevelsByteLength}, {of.def, v2.DefinitionLevelsByteLength}} {
		size := int(kind.bytes)
		if !h.DataPageHeaderV2.Valid {
			if kind.greatest == 0 {
				continue
			}
			if len(page) < at+4 {
				return 0, nil, errPacked
			}
			size = int(binary.LittleEndian.Uint32(page[at:]))
			at += 4
		}
		if size < 0 || size > len(page)-at {
			return 0, nil, errPacked
		}
		all = append(all, levelRuns{page[at : at+size], kind.greatest})
		at += size
	}
	return at, all, nil
}

// runValues returns how many values runs and packed bits stand for, at most, each of so
// many bits. It looks no further than they fit together: whoever reads them says why.
func runValues(data []byte, width int) (n int64) {
	p := packedBytes{rest: data}
	for len(p.rest) > 0 && !p.bad && n < 1<<40 {
		header := p.uvarint()
		if count := header >> 1; header&1 == 0 {
			n += int64(min(count, 1<<32))
			p.take((width + 7) / 8)
		} else {
			n += 8 * int64(min(count, uint64(len(p.rest))+1))
			p.take(int(min(count*uint64(width), uint64(len(p.rest)))))
		}
	}
	return n
}

// deltaBytes returns how many bytes values take that are packed as differences: numbers,
// or the lengths of texts, or those of what texts have in common with the one before.
func deltaBytes(e format.Encoding, data []byte, values int64) (int64, error) {
	const number = 8
	d := deltas{packedBytes{rest: data}}
	if e != format.DeltaByteArray {
		_, _, total := d.uvarint(), d.uvarint(), d.uvarint()
		if d.bad || total > uint64(values) {
			return 0, errPacked
		}
		return number * int64(total), nil
	}
	sum := int64(0)
	for range 2 { // prefixes, suffixes
		lengths, err := d.all(int(values))
		if err != nil {
			return 0, err
		}
		sum += number * int64(len(lengths)/4)
		for ; len(lengths) > 0; lengths = lengths[4:] {
			sum += int64(binary.LittleEndian.Uint32(lengths))
		}
	}
	return sum, nil
}
