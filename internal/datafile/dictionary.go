package datafile

import "github.com/parquet-go/parquet-go"

// A column gets a dictionary where its values are new a fourth of the time or less. So
// many are looked at first: where nearly all of those differ, the others are not.
const (
	repeatsPerNew = 4
	sampleSize    = 512
)

// dictionary numbers the distinct values of a column of a row group, in the order in
// which they come: that depends on the values alone, not on how they are hashed.
type dictionary struct {
	rows    []int32 // of the first row of each value, in the vector
	slots   []slot  // by the keys' hashes
	numbers []int32 // of the values of all rows
	shared  []int32 // scratch: by the number of a text in all slices of a vector, its own from 1
}

// slot holds a value's key and its number from 1, which is 0 where there is none.
type slot struct {
	valueKey
	number int32
}

// build numbers the values of rows, none of which is NULL, and tells whether that
// pays.
func (d *dictionary) build(v *Vector, rows []int32) bool {
	switch {
	case len(rows) == 0 || v.kind == parquet.Boolean || v.kind == parquet.FixedLenByteArray:
		return false
	case !v.differ:
		d.one(len(rows))
		return true
	case !d.sampleRepeats(v, rows):
		return false
	}
	d.clear()
	d.shared = sized(d.shared, v.shared)
	clear(d.shared)
	most := len(rows) / repeatsPerNew
	for len(rows) > 0 && len(d.rows) <= most {
		n := runOf(rows)
		d.addRun(v, rows[:n])
		rows = rows[n:]
	}
	return len(d.rows) <= most
}

// addRun numbers the values of rows that follow each other within a slice.
func (d *dictionary) addRun(v *Vector, rows []int32) {
	s, first := v.slices[uint(rows[0])/BlockRows], int(rows[0])%BlockRows
	number := int32(0)
	switch {
	case v.shared > 0:
		d.addCodes(s, s.codes[first:first+len(rows)], rows)
		return
	case !v.bytes:
		for i, word := range s.words[first : first+len(rows)] {
			if i == 0 || word != s.words[first+i-1] {
				number = d.number(v, valueKey{a: word}, rows[i])
			}
			d.numbers = append(d.numbers, number)
		}
		return
	}
	var before span
	for i, row := range rows {
		if at := s.span(first + i); i == 0 || at != before {
			number, before = d.number(v, keyOfText(s.text[at.from:at.to]), row), at
		}
		d.numbers = append(d.numbers, number)
	}
}

// addCodes numbers the values of rows that have codes in a slice.
func (d *dictionary) addCodes(s *slice, codes []uint16, rows []int32) {
	for i, code := range codes {
		number := &d.shared[s.shared[code]]
		if *number == 0 {
			d.rows = append(d.rows, rows[i])
			*number = int32(len(d.rows))
		}
		d.numbers = append(d.numbers, *number-1)
	}
}

// one numbers so many rows that are all as the vector's first, which alone may be there.
func (d *dictionary) one(rows int) {
	d.rows, d.numbers = append(d.rows[:0], 0), sized(d.numbers, rows)
	clear(d.numbers)
}

// sampleRepeats tells whether a tenth of values spread over the rows are not new. Where
// the first fourth of them all are, the others are not fetched from all over memory.
func (d *dictionary) sampleRepeats(v *Vector, rows []int32) bool {
	d.clear()
	const parts = 4
	total, step := 0, max(1, len(rows)/sampleSize)
	for part := range parts {
		for i := part * step; i < len(rows); i += parts * step {
			d.number(v, valueKeyOf(v, int(rows[i])), rows[i])
			total++
		}
		if total == len(d.rows) && total >= sampleSize/parts {
			return false
		}
	}
	return 10*len(d.rows) <= 9*total
}

func (d *dictionary) clear() {
	d.rows, d.numbers = d.rows[:0], d.numbers[:0]
	if len(d.slots) != 4*sampleSize {
		d.slots = make([]slot, 4*sampleSize)
	}
	clear(d.slots)
}

// number returns that of a row's value, which has a key. It gets one now if it has none.
func (d *dictionary) number(v *Vector, k valueKey, row int32) int32 {
	mask := uint64(len(d.slots) - 1)
	at := k.hash() & mask
	for ; d.slots[at].number != 0; at = (at + 1) & mask {
		s := &d.slots[at]
		if s.valueKey == k && (k.isWhole() || v.equal(int(row), int(d.rows[s.number-1]))) {
			return s.number - 1
		}
	}
	d.rows = append(d.rows, row)
	d.slots[at] = slot{k, int32(len(d.rows))}
	if 2*len(d.rows) > len(d.slots) {
		d.grow()
	}
	return int32(len(d.rows) - 1)
}

// grow doubles the room for numbers.
func (d *dictionary) grow() {
	before := d.slots
	d.slots = make([]slot, 2*len(before))
	mask := uint64(len(d.slots) - 1)
	for _, s := range before {
		if s.number == 0 {
			continue
		}
		at := s.hash() & mask
		for d.slots[at].number != 0 {
			at = (at + 1) & mask
		}
		d.slots[at] = s
	}
}
