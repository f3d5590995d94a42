package landing

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"sort"

	"strandline/internal/digest"
)

// within yields, ascending, the hours of the range; where the range is longer
// than the list of hours that hold rows, only those.
func (s *State) within(hours Hours) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if hours.To-hours.From <= int64(len(s.byHour)) {
			for h := hours.From; h < hours.To; h++ {
				if len(s.byHour[h]) > 0 && !yield(h) {
					return
				}
			}
			return
		}
		var held []int64
		for h := range s.byHour {
			if h >= hours.From && h < hours.To {
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

// bucket returns the sum of an hour's rows at positions below upTo, with the
// moment taken from position 0.
func (s *State) bucket(hour int64, upTo Position) Bucket {
	total := Bucket{Hour: hour}
	for _, i := range s.byHour[hour] {
		segment := &s.segments[i]
		if segment.End() > upTo {
			continue
		}
		n := sort.Search(len(segment.Buckets), func(n int) bool { return segment.Buckets[n].Hour >= hour })
		b := segment.Buckets[n].at(segment.Base)
		total.Rows += b.Rows
		total.Sum, total.Moment = total.Sum.Add(b.Sum), total.Moment.Add(b.Moment)
	}
	return total
}

// InputOf sums up the rows in hours at positions below upTo.
//
// The digest is the SHA-256 of the lines "<hour> <rows> <sum> <moment>\n", one
// for each bucket-hour with rows, ascending, moment taken from position 0. It
// depends on which rows there are and at which positions, and not on how they
// lie in segments. It is taken of whole bucket-hours.
func (s *State) InputOf(hours Hours, upTo Position) Input {
	var in Input
	hash := sha256.New()
	for hour := range s.within(hours) {
		b := s.bucket(hour, upTo)
		if b.Rows == 0 {
			continue
		}
		in.Rows += b.Rows
		fmt.Fprintf(hash, "%d %d %s %s\n", b.Hour, b.Rows, b.Sum, b.Moment)
	}
	if in.Rows > 0 {
		in.Digest = digest.Hash(hash.Sum(nil))
	}
	return in
}
