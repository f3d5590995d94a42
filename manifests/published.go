package manifests

import (
	"time"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/packed"
)

// Published is the receipt of a partition, of which each field can be asked for
// without the others: of a table of very many that is far less work. The fields are
// those of Receipt.
type Published struct {
	chunk *chunk
	at    int
}

// Receipt returns the whole receipt. Nobody may change it.
func (p Published) Receipt() *Receipt { return p.chunk.receipt(p.at) }

// Partition returns the partition's name.
func (p Published) Partition() string { return p.chunk.name(p.at) }

// Read returns up to which position of a stream the result has read, if it was
// computed from that stream.
func (p Published) Read(stream string) (upTo int64, reads bool) {
	if c := p.chunk.packed; c != nil {
		return c.read(stream, p.at)
	}
	upTo, reads = p.chunk.list[p.at].Positions[stream]
	return upTo, reads
}

// InputDigest returns the digest of what the result was computed from.
func (p Published) InputDigest() digest.Hash {
	if c := p.chunk.packed; c != nil {
		return c.inputDigest(p.at)
	}
	return p.chunk.list[p.at].InputDigest
}

// Fingerprint returns that of the code.
func (p Published) Fingerprint() digest.Hash {
	if c := p.chunk.packed; c != nil {
		return c.fingerprint(p.at)
	}
	return p.chunk.list[p.at].Fingerprint
}

// RowDigest returns the digest of the result's rows.
func (p Published) RowDigest() digest.Sum128 {
	if c := p.chunk.packed; c != nil {
		return packed.NewReader(c.sums.At(p.at)).Sum()
	}
	return p.chunk.list[p.at].RowDigest
}

// Columns returns the columns that the result's files have. Nobody may change them:
// receipts of a table share them.
func (p Published) Columns() []datafile.Column {
	if c := p.chunk.packed; c != nil {
		return c.columns[c.column.At(p.at)]
	}
	return p.chunk.list[p.at].Columns
}

// Rows counts the rows of the result.
func (p Published) Rows() int64 {
	if c := p.chunk.packed; c != nil {
		return c.rows.At(p.at)
	}
	return p.chunk.list[p.at].Rows
}

// Interval returns the partition's start, inclusive, and end, exclusive.
func (p Published) Interval() (start, end time.Time) {
	if c := p.chunk.packed; c != nil {
		return c.interval(p.at)
	}
	r := p.chunk.list[p.at]
	return r.Start, r.End
}

// Is tells whether this is a receipt; the zero Published is none.
func (p Published) Is() bool { return p.chunk != nil }

// Files returns the files. Nobody may change them.
func (p Published) Files() []File {
	if c := p.chunk.packed; c != nil {
		return c.files.list(p.at)
	}
	return p.chunk.list[p.at].Files
}

// appendNames writes the names of the files after text, as Snapshot.FileNames does.
func (p Published) appendNames(text []byte) []byte {
	c := p.chunk.packed
	if c == nil {
		for _, f := range p.chunk.list[p.at].Files {
			text = append(appendFolder(text, p.chunk.list[p.at].Partition), f.ID...)
		}
		return text
	}
	from, to := c.files.of.At(p.at)
	for at := from; at < to; at++ {
		text = c.files.ids.AppendAt(appendFolder(text, c.partitions.Bytes(p.at)), at)
	}
	return text
}

// appendFolder begins the name of a file, on a line of its own.
func appendFolder[T string | []byte](text []byte, partition T) []byte {
	if len(text) > 0 {
		text = append(text, '\n')
	}
	return append(append(text, partition...), '/')
}
