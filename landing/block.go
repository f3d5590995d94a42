package landing

import (
	"sync"

	"strandline/internal/datafile"
)

// block is up to datafile.BlockRows rows that came one after another, in the order of
// their hours: few enough to be put into it in the processor's cache.
type block struct {
	vectors []*datafile.Vector // of the segment file's columns; offsets are from the block's first row
	pieces  []piece
}

// piece is the rows of one bucket-hour in a block. They lie one after another from a row
// on, and have their moment from the block's first row.
type piece struct {
	Bucket
	from int32
}

func (b *block) rows() int { return b.vectors[atEventTime].Len() }

// size is about how much memory the rows take, in bytes.
func (b *block) size() int64 { return sizeOf(b.vectors) }

func sizeOf(vectors []*datafile.Vector) (size int64) {
	for _, v := range vectors {
		size += v.Size()
	}
	return size
}

// blockRoom keeps blocks that were written, for the next ones to use their memory again.
type blockRoom struct {
	mu   sync.Mutex
	free []*block
}

// take returns a block without rows.
func (r *blockRoom) take(columns []datafile.Column) *block {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.free) - 1
	if last < 0 {
		return &block{vectors: datafile.NewVectors(columns)}
	}
	b := r.free[last]
	r.free = r.free[:last]
	return b
}

// give takes blocks back.
func (r *blockRoom) give(blocks []*block) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range blocks {
		for _, v := range b.vectors {
			v.Reset()
		}
		b.pieces = b.pieces[:0]
	}
	r.free = append(r.free, blocks...)
}
