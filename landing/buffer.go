package landing

import (
	"cmp"
	"slices"

	"strandline/internal/datafile"
)

// buffer holds the rows of the segment being filled, in blocks, in the order they came.
type buffer struct {
	columns []datafile.Column // of the segment file
	blocks  []*block
	rows    int
	size    int64   // about how much memory they take, in bytes
	order   []int32 // scratch
}

// add takes in the rows that come next.
func (b *buffer) add(next *block) {
	next.vectors[atOffset].Shift(int64(b.rows))
	b.blocks = append(b.blocks, next)
	b.rows += next.rows()
	b.size += next.size()
}

// reset forgets the rows, and returns the blocks that they were in.
func (b *buffer) reset() []*block {
	blocks := b.blocks
	b.blocks, b.rows, b.size = nil, 0, 0
	return blocks
}

// write writes the rows as a segment's file, clustered by bucket-hour and, within one,
// as they came.
func (b *buffer) write(path string) (datafile.Written, []Bucket, error) {
	out, err := datafile.Create(path, b.columns, datafile.Passing)
	if err != nil {
		return datafile.Written{}, nil, err
	}
	defer out.Abort()
	rows, buckets := b.clustered(), b.buckets()
	var groups [][]int32
	start := 0
	for _, end := range rowGroups(buckets) {
		groups = append(groups, rows[start:end])
		start = end
	}
	if err := out.GroupsOf(b.vectors(), groups); err != nil {
		return datafile.Written{}, nil, err
	}
	written, err := out.Close()
	return written, buckets, err
}

// vectors returns all rows, column by column.
func (b *buffer) vectors() []*datafile.Vector {
	vectors, parts := make([]*datafile.Vector, len(b.columns)), make([]*datafile.Vector, len(b.blocks))
	for c := range vectors {
		for i, block := range b.blocks {
			parts[i] = block.vectors[c]
		}
		vectors[c] = datafile.Join(parts)
	}
	return vectors
}

// clustered returns where the rows are in the vectors, in the order of their hours and,
// within one, as they came.
func (b *buffer) clustered() []int32 {
	type part struct {
		hour     int64
		from, to int32
	}
	var parts []part
	for i, block := range b.blocks {
		base := int32(i) * datafile.BlockRows
		for _, p := range block.pieces {
			parts = append(parts, part{p.Hour, base + p.from, base + p.from + int32(p.Rows)})
		}
	}
	slices.SortStableFunc(parts, func(x, y part) int { return cmp.Compare(x.hour, y.hour) })
	rows := slices.Grow(b.order[:0], b.rows)
	for _, p := range parts {
		for row := p.from; row < p.to; row++ {
			rows = append(rows, row)
		}
	}
	b.order = rows
	return rows
}

// buckets sums the rows up by hour, ascending.
func (b *buffer) buckets() []Bucket {
	all, base := sums{}, 0
	for _, block := range b.blocks {
		for _, p := range block.pieces {
			all.of(p.Hour).join(p.Bucket.at(Position(base)))
		}
		base += block.rows()
	}
	return all.sorted()
}
