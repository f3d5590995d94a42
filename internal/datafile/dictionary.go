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
		d.one(rows)
		return true
	case !d.sampleRepeats(v, rows):
		return false
	}
	d.clear()
	most := len(rows) / repeatsPerNew
	for i, row := range rows {
		if i > 0 && v.isSame(int(row), int(rows[i-1])) {
			d.numbers = append(d.numbers, d.numbers[i-1])
			continue
		}
		if d.numbers = append(d.numbers, d.number(v, int(row))); len(d.rows) > most {
			return false
		}
	}
	return true
}

// one numbers rows that are all the same, without a look at them.
func (d *dictionary) one(rows []int32) {
	d.rows, d.numbers = append(d.rows[:0], rows[0]), d.numbers[:0]
	for range rows {
		d.numbers = append(d.numbers, 0)
	}
}

// sampleRepeats tells whether a tenth of values spread over the rows are not new.
func (d *dictionary) sampleRepeats(v *Vector, rows []int32) bool {
	d.clear()
	total, step := 0, max(1, len(rows)/sampleSize)
	for i := 0; i < len(rows); i += step {
		d.number(v, int(rows[i]))
		total++
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

// number returns that of a row's value, which it gets now if it has none.
func (d *dictionary) number(v *Vector, row int) int32 {
	k := valueKeyOf(v, row)
	mask := uint64(len(d.slots) - 1)
	at := k.hash() & mask
	for ; d.slots[at].number != 0; at = (at + 1) & mask {
		s := &d.slots[at]
		if s.valueKey == k && (k.isWhole() || v.equal(row, int(d.rows[s.number-1]))) {
			return s.number - 1
		}
	}
	d.rows = append(d.rows, int32(row))
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
