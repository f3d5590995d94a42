package datafile

import "slices"

// Repeat adds rows that are as the last one, and take no more memory for their bytes.
func (v *Vector) Repeat(rows int) error {
	v.Keep()
	for rows > 0 {
		within := v.rows % BlockRows
		if within == 0 {
			if err := v.repeatOnce(); err != nil {
				return err
			}
			rows--
			continue
		}
		n := min(rows, BlockRows-within)
		if v.level(v.rows-1) == 0 {
			v.nulls += n
		}
		v.last.repeat(n, v.bytes)
		v.rows, rows = v.rows+n, rows-n
	}
	return nil
}

// Fill makes a vector without rows one of up to BlockRows that are all x, and take no more
// memory than one. Until a Reset nothing may be added to it.
func (v *Vector) Fill(x Value, rows int) error {
	if err := v.append(&x); err != nil {
		return err
	}
	v.rows, v.nulls, v.filled = rows, rows*v.nulls, true
	return nil
}

// unfold has each row of a filled vector there.
func (v *Vector) unfold() {
	if v.filled {
		v.last.repeat(v.rows-1, v.bytes)
		v.filled = false
	}
}

// repeatOnce adds a row that is as the last one, whose slice is full.
func (v *Vector) repeatOnce() error {
	row := v.rows - 1
	switch {
	case v.level(row) == 0:
		v.appendNull()
	case v.bytes:
		return v.appendText(v.textOf(row))
	default:
		v.appendWord(v.word(row))
	}
	return nil
}

// repeat adds n rows that are as the last one.
func (s *slice) repeat(n int, bytes bool) {
	if len(s.levels) > 0 {
		s.levels = appendLast(s.levels, n)
	}
	if bytes {
		s.spans = appendLast(s.spans, n)
	} else {
		s.words = appendLast(s.words, n)
	}
}

// appendLast appends the last element n times.
func appendLast[T any](to []T, n int) []T {
	to = slices.Grow(to, n)
	last := to[len(to)-1]
	for range n {
		to = append(to, last)
	}
	return to
}
