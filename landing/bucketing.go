package landing

import (
	"cmp"
	"slices"

	"strandline/internal/datafile"
	"strandline/internal/digest"
)

// bucketing sums up rows by bucket-hour as they come, and puts them in the order of
// their hours: first those of each block, while it is in the processor's cache, and at
// the end the pieces of the blocks.
type bucketing struct {
	rows    int
	block   []int32         // the buckets of the rows of the block being filled
	pieces  []piece         // of the blocks before
	buckets []Bucket        // in the order in which they came up
	at      map[int64]int32 // where the bucket of an hour is
	last    int32           // the bucket of the row before, and most often of the next

	next  []int32 // scratch: of each bucket, where its next row is to be; 0 between blocks
	order []int32 // scratch
}

// piece is the rows [from, to) of one bucket.
type piece struct{ bucket, from, to int32 }

// size is about how much memory it takes, in bytes.
func (b *bucketing) size() int64 { return 4*int64(len(b.block)) + 12*int64(len(b.pieces)) }

// add takes in the next row, of an hour, and tells whether it fills its block.
func (b *bucketing) add(hour int64, row digest.Sum128) (full bool) {
	bucket := b.bucket(hour)
	b.buckets[bucket].add(row, int64(b.rows))
	b.block = append(b.block, bucket)
	b.rows++
	return len(b.block) == datafile.BlockRows
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
		b.at[hour], b.buckets, b.next = bucket, append(b.buckets, Bucket{Hour: hour}), append(b.next, 0)
	}
	b.last = bucket
	return bucket
}

// endBlock ends the block being filled, and returns the order in which its rows have to
// be put, nil where they are in it.
func (b *bucketing) endBlock() (order []int32) {
	pieces := len(b.pieces)
	changes := b.cut()
	if changes > len(b.pieces)-pieces {
		order = b.ordered()
	}
	for _, p := range b.pieces[pieces:] {
		b.next[p.bucket] = 0
	}
	b.block = b.block[:0]
	return order
}

// cut adds the block's pieces, in the order in which their buckets come up in it, and
// says in next where each is within the block. It counts how often the bucket changes.
func (b *bucketing) cut() (changes int) {
	before, pieces := int32(-1), len(b.pieces)
	for _, bucket := range b.block {
		if b.next[bucket] == 0 {
			b.pieces = append(b.pieces, piece{bucket: bucket})
		}
		if b.next[bucket]++; bucket != before {
			changes++
		}
		before = bucket
	}
	start, base := int32(0), int32(b.rows-len(b.block))
	for i := pieces; i < len(b.pieces); i++ {
		p := &b.pieces[i]
		rows := b.next[p.bucket]
		p.from, p.to, b.next[p.bucket] = base+start, base+start+rows, start
		start += rows
	}
	return changes
}

// ordered returns the rows of the block in the order of its pieces.
func (b *bucketing) ordered() []int32 {
	b.order = slices.Grow(b.order[:0], len(b.block))[:len(b.block)]
	for row, bucket := range b.block {
		b.order[b.next[bucket]] = int32(row)
		b.next[bucket]++
	}
	return b.order
}

// clustered returns the rows, which are all in blocks that have ended, ordered by their
// hour and, within one, as they came; and the buckets, ascending by hour.
func (b *bucketing) clustered() (rows []int32, buckets []Bucket) {
	slices.SortStableFunc(b.pieces, func(x, y piece) int { return cmp.Compare(b.buckets[x.bucket].Hour, b.buckets[y.bucket].Hour) })
	rows = make([]int32, 0, b.rows)
	for _, p := range b.pieces {
		for row := p.from; row < p.to; row++ {
			rows = append(rows, row)
		}
	}
	return rows, slices.SortedFunc(slices.Values(b.buckets), func(x, y Bucket) int { return cmp.Compare(x.Hour, y.Hour) })
}

func (b *bucketing) reset() {
	b.rows, b.block, b.pieces, b.buckets, b.next, b.last = 0, b.block[:0], b.pieces[:0], b.buckets[:0], b.next[:0], 0
	clear(b.at)
}
