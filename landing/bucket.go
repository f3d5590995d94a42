package landing

import (
	"maps"
	"slices"

	"strandline/internal/digest"
)

// Bucket sums up a segment's rows of one bucket-hour, the UTC hour
// [Hour, Hour+1) in hours since 1970-01-01T00Z.
//
// With d the digest of a row and o its offset in the segment, Sum is Σ d and
// Moment is Σ d·o modulo 2^128. The moment ties rows to their positions and
// still moves to another base for nothing: Σ d·(base+o) = base·Sum + Moment.
type Bucket struct {
	Hour   int64         `json:"hour"`
	Rows   int64         `json:"rows"`
	Sum    digest.Sum128 `json:"sum"`
	Moment digest.Sum128 `json:"moment"`
}

// add counts one more row in.
func (b *Bucket) add(row digest.Sum128, offset int64) {
	b.Rows++
	b.sum(row, offset)
}

// sum adds the digest of a row that is counted.
func (b *Bucket) sum(row digest.Sum128, offset int64) {
	b.Sum = b.Sum.Add(row)
	b.Moment = b.Moment.Add(row.Mul(uint64(offset)))
}

// join counts the rows of another bucket of the hour in, whose moment is from the
// same position.
func (b *Bucket) join(other Bucket) {
	b.Rows += other.Rows
	b.Sum, b.Moment = b.Sum.Add(other.Sum), b.Moment.Add(other.Moment)
}

// at returns the bucket with its moment taken from position 0 instead of base.
func (b Bucket) at(base Position) Bucket {
	b.Moment = b.Moment.Add(b.Sum.Mul(uint64(base)))
	return b
}

// sums are buckets that are being summed up, by hour.
type sums map[int64]*Bucket

// of returns the bucket of an hour, an empty one if there was none.
func (s sums) of(hour int64) *Bucket {
	b := s[hour]
	if b == nil {
		b = &Bucket{Hour: hour}
		s[hour] = b
	}
	return b
}

// sorted lists the buckets ascending by hour.
func (s sums) sorted() []Bucket {
	out := make([]Bucket, 0, len(s))
	for _, hour := range slices.Sorted(maps.Keys(s)) {
		out = append(out, *s[hour])
	}
	return out
}
