package datafile

import "github.com/parquet-go/parquet-go"

// TakeEach makes the rows of another vector, which is of the same type and has at most
// BlockRows, those of this one in an order: the first is that which was at order[0], and
// so on. Until a Reset nothing may be added.
func (v *Vector) TakeEach(from *Vector, order []int32) {
	v.Reset()
	to := v.room()
	switch {
	case !v.bytes:
		to.words = takeEach(to.words, from.last.words, order)
	case v.kind == parquet.FixedLenByteArray || !to.takeCodes(from, order):
		to.takeTexts(from.last, order, int(from.text))
	}
	if len(from.last.levels) > 0 {
		to.levels = takeEach(to.levels, from.last.levels, order)
	}
	v.rows, v.nulls, v.differ, v.text = from.rows, from.nulls, from.differ, from.text
}

// Join returns a vector of the rows of others, which are of one type and have from 1 to
// BlockRows each. It shares their memory, and nothing may be added to it. The rows of
// each are numbered from the next multiple of BlockRows on.
func Join(parts []*Vector) *Vector {
	all := NewVector(parts[0].typ)
	for _, p := range parts {
		all.slices = append(all.slices, p.slices...)
		all.differ = all.differ || p.differ || !all.beginsLike(p)
		all.rows, all.nulls, all.text = all.rows+p.rows, all.nulls+p.nulls, all.text+p.text
	}
	if all.differ {
		for _, p := range parts {
			p.unfold()
		}
		all.share()
	}
	return all
}

// beginsLike tells whether the first rows of both are the same.
func (v *Vector) beginsLike(other *Vector) bool {
	if v.level(0) == 0 || other.level(0) == 0 {
		return v.level(0) == other.level(0)
	}
	if v.bytes {
		return string(v.textOf(0)) == string(other.textOf(0))
	}
	return v.word(0) == other.word(0)
}

// takeEach writes what is at each place of an order over dst.
func takeEach[T byte | uint64](dst, from []T, order []int32) []T {
	dst = sized(dst, len(order))
	for i, at := range order {
		dst[i] = from[at]
	}
	return dst
}

// sized returns a slice of n elements that are all to be written, in the memory of another
// or, where that is too little, in some that suffices for a few more.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/16)
	}
	return s[:n]
}

// takeTexts makes the texts those of another slice in an order, which have so many bytes.
// One that is repeated, row after row, takes no more memory here than there.
func (s *slice) takeTexts(from *slice, order []int32, size int) {
	if cap(s.text) < size+shortSpan {
		s.text = make([]byte, 0, size+size/8+shortSpan) // the next texts may be a little longer
	}
	text := from.bytes()
	s.text = s.text[:0]
	s.spans = sized(s.spans, len(order))
	var before span
	for i, at := range order {
		next := from.spans[at]
		if next != before {
			s.text = appendSpan(s.text, text, next)
		}
		before = next
		end := uint32(len(s.text))
		s.spans[i] = span{end - (next.to - next.from), end}
	}
}
