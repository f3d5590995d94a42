package manifests

import (
	"fmt"
	"maps"

	"strandline/internal/datafile"
	"strandline/internal/packed"
)

// Receipts as checkpoints held them before there were chunks: what many of them
// share, each once (the names of streams, fingerprints, columns); how many files
// there are; and the receipts one after another, which name by number what they
// share. Nobody writes them any more.

// The least bytes that such a receipt and such a file take.
const (
	leastReceipt = 1 + 2*2 + 1 + 1 + 32 + 1 + 1 + 16 + 1 + 1
	leastFile    = 2 + 1 + 1 + 32
)

// unpackPositions reads a position vector. Where it is the one before, that is used
// again: nobody changes one.
func unpackPositions(r *packed.Reader, streams []string, before Positions) Positions {
	n := r.Count(2)
	p := make(Positions, n)
	for range n {
		stream := packed.Chosen(r, streams)
		p[stream] = r.Int()
	}
	if maps.Equal(p, before) {
		return before
	}
	return p
}

func unpackOldReceipts(r *packed.Reader) (receipts, error) {
	streams := r.Words()
	var positions Positions
	code, err := packed.Values(r, hashOf)
	if err != nil {
		return receipts{}, fmt.Errorf("fingerprints: %w", err)
	}
	columns, err := packed.Values(r, packed.OfJSON[[]datafile.Column])
	if err != nil {
		return receipts{}, fmt.Errorf("columns: %w", err)
	}
	files := make([]File, 0, r.Count(leastFile))
	list := make([]Receipt, r.Count(leastReceipt))
	for i := range list {
		one := &list[i]
		one.Partition = r.Text()
		one.Start, one.End = r.Time(), r.Time()
		positions = unpackPositions(r, streams, positions)
		one.Positions = positions
		one.InputRows, one.InputDigest = r.Int(), r.Hash()
		one.Fingerprint = packed.Chosen(r, code)
		one.Rows, one.RowDigest = r.Int(), r.Sum()
		one.Columns = packed.Chosen(r, columns)
		one.Files, files = unpackFiles(r, files)
		if r.Err() == nil && !one.Start.Before(one.End) {
			return receipts{}, fmt.Errorf("the receipt of partition %s is of [%s, %s)", one.Partition, one.Start, one.End)
		}
	}
	if r.Err() != nil {
		return receipts{}, r.Err()
	}
	return receiptsOf(list), nil
}

// unpackFiles reads the files of a receipt into the room that all has for them.
func unpackFiles(r *packed.Reader, all []File) (files, rest []File) {
	n := r.Count(leastFile)
	if n == 0 {
		return nil, all
	}
	for range n {
		all = append(all, File{ID: r.ID(), Rows: r.Int(), Bytes: r.Int(), Digest: r.Hash()})
	}
	return all[:n:n], all[n:]
}
