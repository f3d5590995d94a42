package manifests

import (
	"iter"
	"slices"
	"sort"
	"strings"

	"strandline/internal/datafile"
)

// receiptsChunk is how many receipts a chunk holds at most. A change copies one
// chunk and the list of chunks.
const receiptsChunk = 256

// chunk is a run of receipts, ascending by partition: either packed, as it came in a
// checkpoint, or a list. It never changes. Most stay packed for as long as a process
// runs, and cost nobody but who asks for one of their receipts.
type chunk struct {
	packed *packedChunk
	list   []*Receipt // if it is not packed
}

func (c *chunk) len() int {
	if c.packed != nil {
		return c.packed.len
	}
	return len(c.list)
}

// name returns the partition of the receipt at i.
func (c *chunk) name(i int) string {
	if c.packed != nil {
		return c.packed.partitions.At(i)
	}
	return c.list[i].Partition
}

// last returns the partition of the last receipt.
func (c *chunk) last() string { return c.name(c.len() - 1) }

// find returns where a partition is, or would be put.
func (c *chunk) find(partition string) (at int, found bool) {
	if c.packed != nil {
		return c.packed.find(partition)
	}
	return slices.BinarySearchFunc(c.list, partition, func(r *Receipt, name string) int {
		return strings.Compare(r.Partition, name)
	})
}

// published is the receipt at i, packed as it may be.
func (c *chunk) published(i int) Published { return Published{c, i} }

// first returns where the first receipt is that something is true of, as of all that
// follow: as many as there are if it is of none.
func (c *chunk) first(is func(Published) bool) int {
	switch n := c.len(); {
	case is(c.published(0)):
		return 0
	case !is(c.published(n - 1)):
		return n
	default:
		return sort.Search(n, func(i int) bool { return is(c.published(i)) })
	}
}

// receipt returns the one at i. Nobody may change it.
func (c *chunk) receipt(i int) *Receipt {
	if c.packed != nil {
		r := c.packed.receipt(i)
		return &r
	}
	return c.list[i]
}

// receipts lists all. Nobody may change the list or them.
func (c *chunk) receipts() []*Receipt {
	if c.packed != nil {
		return c.packed.receipts()
	}
	return c.list
}

// copied is a list of all, for the caller to change, with room for one more.
func (c *chunk) copied() []*Receipt {
	list := c.receipts()
	return append(make([]*Receipt, 0, len(list)+1), list...)
}

// rows counts those of all results.
func (c *chunk) rows() (rows int64) {
	if c.packed != nil {
		return c.packed.rows.Sum(c.packed.len)
	}
	for _, r := range c.list {
		rows += r.Rows
	}
	return rows
}

// furthest returns, for each stream that is read, where the first receipt is that has
// read it furthest.
func (c *chunk) furthest() map[string]int {
	if c.packed != nil {
		return c.packed.furthest()
	}
	found := map[string]int{}
	for i, r := range c.list {
		for stream, upTo := range r.Positions {
			if at, known := found[stream]; !known || upTo > c.list[at].Positions[stream] {
				found[stream] = i
			}
		}
	}
	return found
}

// layouts yields the columns that the files of the chunk have, some of them often.
func (c *chunk) layouts() iter.Seq[[]datafile.Column] {
	return func(yield func([]datafile.Column) bool) {
		if p := c.packed; p != nil && len(p.columns) == 1 { // as nearly always
			if p.files.len > 0 {
				yield(p.columns[0])
			}
			return
		}
		for _, r := range c.receipts() {
			if len(r.Files) > 0 && !yield(r.Columns) {
				return
			}
		}
	}
}
