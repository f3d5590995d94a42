package landing

import (
	"cmp"
	"slices"
)

// hour is what a state knows of one bucket-hour that has rows, or had.
type hour struct {
	all      Bucket     // of all its rows, those that have expired too; moment from position 0
	expired  *Bucket    // of those that have expired; nil if none has
	segments []*Segment // which hold the others, ascending by Base
}

// hours are those of a state, ascending.
type hours []*hour

func (l hours) find(at int64) (int, bool) {
	n := len(l)
	if n > 0 && l[n-1].all.Hour < at { // most rows are of now
		return n, false
	}
	if n > 0 { // and most streams have rows of every hour
		if i := at - l[0].all.Hour; 0 <= i && i < int64(n) && l[i].all.Hour == at {
			return int(i), true
		}
	}
	return slices.BinarySearchFunc(l, at, func(h *hour, at int64) int { return cmp.Compare(h.all.Hour, at) })
}

// of returns where a known hour is. It is looked for at guess first.
func (l hours) of(at int64, guess int) int {
	if guess < len(l) && l[guess].all.Hour == at {
		return guess
	}
	i, _ := l.find(at)
	return i
}

// know makes the hours of buckets, ascending, known; new ones have no rows yet. All
// are put in by one pass: a file may be of very many hours.
func (l *hours) know(buckets []Bucket) {
	var fresh hours
	for _, b := range buckets {
		if _, known := l.find(b.Hour); !known {
			fresh = append(fresh, &hour{all: Bucket{Hour: b.Hour}})
		}
	}
	if n := len(*l); len(fresh) == 0 || n == 0 || (*l)[n-1].all.Hour < fresh[0].all.Hour {
		*l = append(*l, fresh...)
		return
	}
	both := make(hours, 0, len(*l)+len(fresh))
	for _, h := range *l {
		for len(fresh) > 0 && fresh[0].all.Hour < h.all.Hour {
			both, fresh = append(both, fresh[0]), fresh[1:]
		}
		both = append(both, h)
	}
	*l = append(both, fresh...)
}

// within returns the hours of a range.
func (l hours) within(r Hours) hours {
	from, _ := l.find(r.From)
	to := from // most ranges are short
	for to < len(l) && l[to].all.Hour < r.To {
		to++
	}
	return l[from:to]
}

// add adds the rows of a segment, which lies above all others.
func (l *hours) add(segment *Segment) {
	l.know(segment.Buckets)
	l.hold(segment)
}

// hold is add for a segment whose hours are known.
func (l hours) hold(segment *Segment) {
	l.each(segment, func(h *hour, b Bucket) {
		h.all.join(b)
		h.segments = append(h.segments, segment)
	})
}

// each calls fn with every hour of a segment, which are known, and its rows of it,
// moment from position 0.
func (l hours) each(segment *Segment, fn func(*hour, Bucket)) {
	at := -1 // hours that follow one another in a segment most often do so here
	for _, b := range segment.Buckets {
		at = l.of(b.Hour, at+1)
		fn(l[at], b.at(segment.Base))
	}
}

// upTo returns the sum of the rows at positions below p. Of a segment that straddles
// p, and of the rows that have expired where their end does, it counts either no row
// or, with whole set, every row.
func (h *hour) upTo(p, expiredUpTo Position, whole bool) Bucket {
	n := len(h.segments)
	if expiredUpTo <= p && (n == 0 || h.segments[n-1].End() <= p) {
		return h.all
	}
	total := Bucket{Hour: h.all.Hour}
	if h.expired != nil && (expiredUpTo <= p || whole && p > 0) {
		total.join(*h.expired)
	}
	for _, segment := range between(h.segments, 0, p) {
		if segment.End() <= p || whole {
			total.join(segment.bucket(total.Hour).at(segment.Base))
		}
	}
	return total
}

// expire counts rows of the oldest segment as expired.
func (h *hour) expire(b Bucket) {
	if h.expired == nil {
		h.expired = &Bucket{Hour: b.Hour}
	}
	h.expired.join(b)
	h.segments = slices.Delete(h.segments, 0, 1)
}

// expired lists the sums of the rows that have expired.
func (l hours) expired() (buckets []Bucket) {
	for _, h := range l {
		if h.expired != nil {
			buckets = append(buckets, *h.expired)
		}
	}
	return buckets
}

// bucket returns that of an hour, of which the segment has rows.
func (s *Segment) bucket(at int64) Bucket {
	i, _ := slices.BinarySearchFunc(s.Buckets, at, func(b Bucket, at int64) int { return cmp.Compare(b.Hour, at) })
	return s.Buckets[i]
}
