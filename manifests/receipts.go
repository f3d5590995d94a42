package manifests

import (
	"iter"
	"slices"
	"strings"
)

// receiptsChunk is how many receipts a chunk holds at most. A change copies one
// chunk and the list of chunks.
const receiptsChunk = 256

// receipts are the receipts of a table, ascending by partition. It is a value that
// never changes: with and without return another one, which shares nearly all of
// it. So a snapshot of 100,000 partitions costs nothing.
type receipts struct {
	chunks [][]*Receipt // none is empty
	len    int
}

// find returns where a partition is, or would be put.
func (s receipts) find(partition string) (chunk, at int, found bool) {
	chunk, _ = slices.BinarySearchFunc(s.chunks, partition, func(c []*Receipt, name string) int {
		return strings.Compare(c[len(c)-1].Partition, name)
	})
	if chunk == len(s.chunks) {
		return chunk, 0, false
	}
	at, found = slices.BinarySearchFunc(s.chunks[chunk], partition, func(r *Receipt, name string) int {
		return strings.Compare(r.Partition, name)
	})
	return chunk, at, found
}

// get returns the receipt of a partition.
func (s receipts) get(partition string) (r Receipt, there bool) {
	chunk, at, found := s.find(partition)
	if !found {
		return r, false
	}
	return *s.chunks[chunk][at], true
}

// with returns the receipts with r in the place of its partition's.
func (s receipts) with(r Receipt) receipts {
	chunk, at, found := s.find(r.Partition)
	switch {
	case found:
		changed := slices.Clone(s.chunks[chunk])
		changed[at] = &r
		return s.replaced(chunk, s.len, changed)
	case chunk < len(s.chunks):
		return s.replaced(chunk, s.len+1, insert(s.chunks[chunk], at, &r)...)
	case chunk > 0 && len(s.chunks[chunk-1]) < receiptsChunk:
		last := s.chunks[chunk-1]
		return s.replaced(chunk-1, s.len+1, insert(last, len(last), &r)...)
	}
	return receipts{chunks: append(slices.Clip(s.chunks), []*Receipt{&r}), len: s.len + 1}
}

// insert returns a chunk with one more receipt, as two if it is full.
func insert(chunk []*Receipt, at int, r *Receipt) [][]*Receipt {
	grown := make([]*Receipt, 0, len(chunk)+1)
	grown = append(append(append(grown, chunk[:at]...), r), chunk[at:]...)
	if len(grown) <= receiptsChunk {
		return [][]*Receipt{grown}
	}
	half := len(grown) / 2
	return [][]*Receipt{slices.Clip(grown[:half]), grown[half:]}
}

// without returns the receipts without that of a partition.
func (s receipts) without(partition string) receipts {
	chunk, at, found := s.find(partition)
	if !found {
		return s
	}
	if len(s.chunks[chunk]) == 1 {
		return s.replaced(chunk, s.len-1)
	}
	return s.replaced(chunk, s.len-1, slices.Delete(slices.Clone(s.chunks[chunk]), at, at+1))
}

// replaced has others in the place of one chunk.
func (s receipts) replaced(chunk, length int, by ...[]*Receipt) receipts {
	chunks := make([][]*Receipt, 0, len(s.chunks)+1)
	chunks = append(append(append(chunks, s.chunks[:chunk]...), by...), s.chunks[chunk+1:]...)
	return receipts{chunks: chunks, len: length}
}

// all yields the receipts, ascending by partition. Nobody may change them.
func (s receipts) all() iter.Seq[*Receipt] {
	return func(yield func(*Receipt) bool) {
		for _, chunk := range s.chunks {
			for _, r := range chunk {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// receiptsOf returns the receipts of a list. Of one partition the last counts.
func receiptsOf(list []Receipt) receipts {
	pointers := make([]*Receipt, len(list))
	ascending := true
	for i := range list {
		pointers[i] = &list[i]
		ascending = ascending && (i == 0 || list[i-1].Partition < list[i].Partition)
	}
	if !ascending {
		var s receipts
		for _, r := range list {
			s = s.with(r)
		}
		return s
	}
	return receipts{chunks: slices.Collect(slices.Chunk(pointers, receiptsChunk)), len: len(list)}
}
