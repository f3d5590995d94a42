package manifests

import (
	"iter"
	"slices"
	"sort"
	"strings"
	"time"
)

// receipts are the receipts of a table, ascending by partition. It is a value that
// never changes: with and without return another one, which shares nearly all of
// it. So a snapshot of 100,000 partitions costs nothing.
type receipts struct {
	chunks []*chunk // none is empty
	len    int
}

// find returns where a partition is, or would be put.
func (s receipts) find(partition string) (at, in int, found bool) {
	at, _ = slices.BinarySearchFunc(s.chunks, partition, func(c *chunk, name string) int {
		return strings.Compare(c.last(), name)
	})
	if at == len(s.chunks) {
		return at, 0, false
	}
	in, found = s.chunks[at].find(partition)
	return at, in, found
}

// get returns the receipt of a partition.
func (s receipts) get(partition string) (r Receipt, there bool) {
	at, in, found := s.find(partition)
	if !found {
		return r, false
	}
	return *s.chunks[at].receipt(in), true
}

// with returns the receipts with r in the place of its partition's.
func (s receipts) with(r Receipt) receipts {
	at, in, found := s.find(r.Partition)
	switch {
	case found:
		changed := s.chunks[at].copied()
		changed[in] = &r
		return s.replaced(at, s.len, changed)
	case at < len(s.chunks):
		return s.replaced(at, s.len+1, insert(s.chunks[at].copied(), in, &r)...)
	case at > 0 && s.chunks[at-1].len() < receiptsChunk:
		last := s.chunks[at-1].copied()
		return s.replaced(at-1, s.len+1, insert(last, len(last), &r)...)
	}
	return receipts{chunks: append(slices.Clip(s.chunks), &chunk{list: []*Receipt{&r}}), len: s.len + 1}
}

// insert returns a list with one more receipt, as two if it was full.
func insert(list []*Receipt, at int, r *Receipt) [][]*Receipt {
	grown := slices.Insert(list, at, r)
	if len(grown) <= receiptsChunk {
		return [][]*Receipt{grown}
	}
	half := len(grown) / 2
	return [][]*Receipt{slices.Clip(grown[:half]), grown[half:]}
}

// without returns the receipts without that of a partition.
func (s receipts) without(partition string) receipts {
	at, in, found := s.find(partition)
	if !found {
		return s
	}
	if s.chunks[at].len() == 1 {
		return s.replaced(at, s.len-1)
	}
	return s.replaced(at, s.len-1, slices.Delete(s.chunks[at].copied(), in, in+1))
}

// replaced has lists in the place of one chunk.
func (s receipts) replaced(at, length int, by ...[]*Receipt) receipts {
	chunks := make([]*chunk, 0, len(s.chunks)+1)
	chunks = append(chunks, s.chunks[:at]...)
	for _, list := range by {
		chunks = append(chunks, &chunk{list: list})
	}
	return receipts{chunks: append(chunks, s.chunks[at+1:]...), len: length}
}

// each yields what is published, ascending by partition.
func (s receipts) each() iter.Seq[Published] {
	return func(yield func(Published) bool) {
		for _, c := range s.chunks {
			for i := range c.len() {
				if !yield(c.published(i)) {
					return
				}
			}
		}
	}
}

// within yields what is published of partitions that have a part in [start, end), in order
// of time. Of each chunk it looks for where they begin and end.
func (s receipts) within(start, end time.Time) iter.Seq[Published] {
	ends := func(p Published) bool { // after start
		_, ends := p.Interval()
		return ends.After(start)
	}
	begins := func(p Published) bool { // at end or after it
		begins, _ := p.Interval()
		return !begins.Before(end)
	}
	return func(yield func(Published) bool) {
		if !start.Before(end) {
			return
		}
		at := sort.Search(len(s.chunks), func(i int) bool { return ends(s.chunks[i].published(s.chunks[i].len() - 1)) })
		for ; at < len(s.chunks); at++ {
			c := s.chunks[at]
			for i, to := c.first(ends), c.first(begins); i < to; i++ {
				if !yield(c.published(i)) {
					return
				}
			}
			if begins(c.published(c.len() - 1)) {
				return
			}
		}
	}
}

// all yields the receipts, ascending by partition. Nobody may change them.
func (s receipts) all() iter.Seq[*Receipt] {
	return func(yield func(*Receipt) bool) {
		for _, c := range s.chunks {
			for _, r := range c.receipts() {
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
	s := receipts{len: len(list)}
	for part := range slices.Chunk(pointers, receiptsChunk) {
		s.chunks = append(s.chunks, &chunk{list: part})
	}
	return s
}
