package landing

import (
	"cmp"
	"slices"

	"strandline/internal/digest"
)

// bucketing sums up rows by bucket-hour as they come, and puts them in the order of
// their hours.
type bucketing struct {
	of      []int32         // the bucket of each row
	buckets []Bucket        // in the order in which they came up
	at      map[int64]int32 // where the bucket of an hour is
	last    int32           // the bucket of the row before, and most often of the next
}

// bucketingBytes is what a row takes in memory: itself, and its place in the order.
const bucketingBytes = 8

// add takes in the next row, of an hour.
func (b *bucketing) add(hour int64, row digest.Sum128) {
	bucket := b.bucket(hour)
	b.buckets[bucket].add(row, int64(len(b.of)))
	b.of = append(b.of, bucket)
}

func (b *bucketing) bucket(hour int64) int32 {
	if len(b.buckets) > 0 && b.buckets[b.last].Hour == hour {
		return b.last
	}
	bucket, known := b.at[hour]
	if !known {
		if b.at == nil {
			b.at = map[int64]int32{}
		}
		bucket = int32(len(b.buckets))
		b.at[hour], b.buckets = bucket, append(b.buckets, Bucket{Hour: hour})
	}
	b.last = bucket
	return bucket
}

// clustered returns the rows, ordered by their hour and, within one, as they came; and
// the buckets, ascending by hour.
func (b *bucketing) clustered() (rows []int32, buckets []Bucket) {
	buckets = slices.SortedFunc(slices.Values(b.buckets), func(x, y Bucket) int { return cmp.Compare(x.Hour, y.Hour) })
	next, start := make([]int32, len(buckets)), int32(0)
	for _, bucket := range buckets {
		next[b.at[bucket.Hour]] = start
		start += int32(bucket.Rows)
	}
	rows = make([]int32, len(b.of))
	for row, bucket := range b.of {
		rows[next[bucket]] = int32(row)
		next[bucket]++
	}
	return rows, buckets
}

func (b *bucketing) reset() {
	b.of, b.buckets, b.last = b.of[:0], b.buckets[:0], 0
	clear(b.at)
}
