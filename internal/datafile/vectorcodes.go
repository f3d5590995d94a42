package datafile

import (
	"slices"
	"sync"
)

// maxCodes is how many texts a slice may have for its rows to be codes: the number of a
// text in the slice for each row. They take an eighth of what places of texts do, the
// texts are copied once, and a dictionary looks each up once.
const maxCodes = BlockRows / 8

// dictionaries have codes made, of one slice after the other.
var dictionaries = sync.Pool{New: func() any { return new(dictionary) }}

// takeCodes makes the rows those of the only slice of a vector in an order, as codes. Where
// their texts are too many it takes nothing, and tells so.
func (s *slice) takeCodes(from *Vector, order []int32) bool {
	d := dictionaries.Get().(*dictionary)
	defer dictionaries.Put(d)
	d.clear()
	spans, text := from.last.spans, from.last.bytes()
	for row, at := range spans {
		d.numbers = append(d.numbers, d.number(from, keyOfText(text[at.from:at.to]), int32(row)))
		if len(d.rows) > min(maxCodes, sampleSize/2+row/2) {
			return false
		}
	}
	s.text, s.spans = s.text[:0], s.spans[:0]
	for _, row := range d.rows {
		begin := uint32(len(s.text))
		s.text = appendSpan(s.text, text, spans[row])
		s.spans = append(s.spans, span{begin, uint32(len(s.text))})
	}
	s.codes = sized(s.codes, len(order))
	for i, row := range order {
		s.codes[i] = uint16(d.numbers[row])
	}
	return true
}

// span returns where a row's bytes are.
func (s *slice) span(row int) span {
	if len(s.codes) > 0 {
		row = int(s.codes[row])
	}
	return s.spans[row]
}

// bytes returns the text that spans are of.
func (s *slice) bytes() []byte {
	if s.lent != nil {
		return s.lent
	}
	return s.text
}

// share numbers the texts of a vector whose slices all have codes, so that one has the same
// number wherever it is.
func (v *Vector) share() {
	if slices.ContainsFunc(v.slices, func(s *slice) bool { return len(s.codes) == 0 }) {
		return
	}
	d := dictionaries.Get().(*dictionary)
	defer dictionaries.Put(d)
	d.clear()
	for i, s := range v.slices {
		s.shared = sized(s.shared, len(s.spans))
		for code := range s.shared {
			s.shared[code] = -1
		}
		for row, code := range s.codes {
			if s.shared[code] < 0 {
				at := i*BlockRows + row
				s.shared[code] = d.number(v, valueKeyOf(v, at), int32(at))
			}
		}
	}
	v.shared = len(d.rows)
}
