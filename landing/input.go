package landing

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"sort"
)

// within yields, ascending, the hours of the range; where the range is longer
// than the list of hours that hold rows, only those.
func (s *State) within(hours Hours) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if hours.To-hours.From <= int64(len(s.byHour)) {
			for h := hours.From; h < hours.To; h++ {
				if s.knows(h) && !yield(h) {
					return
				}
			}
			return
		}
		var held []int64
		for h := range s.byHour {
			if h >= hours.From && h < hours.To && s.knows(h) {
				held = append(held, h)
			}
		}
		sort.Slice(held, func(i, j int) bool { return held[i] < held[j] })
		for _, h := range held {
			if !yield(h) {
				return
			}
		}
	}
}

// knows tells whether there are rows of an hour, or were before they expired.
// The hours of expired rows stay keys of byHour, with fewer segments or none.
func (s *State) knows(hour int64) bool {
	return len(s.byHour[hour]) > 0 || s.expired.byHour[hour] != nil
}

// sum returns the sum of an hour's rows at positions below upTo, with the moment
// taken from position 0. Of a segment that straddles upTo, and of the expired
// rows where they do, it counts either no row or, with whole set, every row.
func (s *State) sum(hour int64, upTo Position, whole bool) Bucket {
	total := Bucket{Hour: hour}
	if b := s.expired.byHour[hour]; b != nil && (s.expired.upTo <= upTo || whole && upTo > 0) {
		total.join(*b)
	}
	for _, segment := range between(s.byHour[hour], 0, upTo) {
		if segment.End() > upTo && !whole {
			continue
		}
		n := sort.Search(len(segment.Buckets), func(n int) bool { return segment.Buckets[n].Hour >= hour })
		total.join(segment.Buckets[n].at(segment.Base))
	}
	return total
}

// InputOf sums up all rows in hours.
//
// The digest is the SHA-256 of the lines "<hour> <rows> <sum> <moment>\n", one
// for each bucket-hour with rows, ascending, moment taken from position 0. It
// depends on which rows there are and at which positions, and not on how they
// lie in segments. It is taken of whole bucket-hours.
func (s *State) InputOf(hours Hours) Input { return s.input(hours, s.Next(), false) }

// InputBounds sums up the rows in hours at positions below upTo, as far as the
// log can tell. Where a segment that holds rows of hours straddles upTo, as one
// may that was made by a compaction, or rows have expired up to a higher
// position, least is without these rows and most with all of them; elsewhere the
// two are the same, and exact.
func (s *State) InputBounds(hours Hours, upTo Position) (least, most Input) {
	return s.input(hours, upTo, false), s.input(hours, upTo, true)
}

func (s *State) input(hours Hours, upTo Position, whole bool) Input {
	var buckets []Bucket
	for hour := range s.within(hours) {
		if b := s.sum(hour, upTo, whole); b.Rows > 0 {
			buckets = append(buckets, b)
		}
	}
	return inputOf(buckets)
}

// inputOf digests buckets, ascending by hour, their moments from position 0.
func inputOf(buckets []Bucket) Input {
	var in Input
	var lines []byte
	for _, b := range buckets {
		in.Rows += b.Rows
		lines = fmt.Appendf(lines, "%d %d %s %s\n", b.Hour, b.Rows, b.Sum, b.Moment)
	}
	if in.Rows > 0 {
		in.Digest = sha256.Sum256(lines)
	}
	return in
}
