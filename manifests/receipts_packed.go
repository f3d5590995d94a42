package manifests

import (
	"fmt"
	"maps"
	"slices"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/packed"
)

// Packed receipts are: what many of them share, each written once (the names of
// streams, fingerprints, columns); how many files there are; and the receipts,
// which name by number what they share.

// The least bytes that a packed receipt and a packed file take.
const (
	leastReceipt = 1 + 2*2 + 1 + 1 + 32 + 1 + 1 + 16 + 1 + 1
	leastFile    = 2 + 1 + 1 + 32
)

// roomForReceipt is about how many bytes a packed receipt of one file takes.
const roomForReceipt = 192

func packReceipts(w *packed.Writer, s receipts) error {
	list := packed.Writer{Bytes: make([]byte, 0, s.len*roomForReceipt)}
	var streams packed.Words
	code := packed.Numbered[digest.Hash]{Same: func(a, b digest.Hash) bool { return a == b }, Word: hashWord}
	columns := packed.Numbered[[]datafile.Column]{Same: slices.Equal[[]datafile.Column], Word: packed.JSONWord[[]datafile.Column]}
	files := 0
	for r := range s.all() {
		list.Text(r.Partition)
		list.Time(r.Start)
		list.Time(r.End)
		packPositions(&list, &streams, r.Positions)
		list.Int(r.InputRows)
		list.Hash(r.InputDigest)
		code.Write(&list, r.Fingerprint)
		list.Int(r.Rows)
		list.Sum(r.RowDigest)
		columns.Write(&list, r.Columns)
		packFiles(&list, r.Files)
		files += len(r.Files)
	}
	w.Words(&streams)
	for _, words := range []func() (*packed.Words, error){code.Words, columns.Words} {
		list, err := words()
		if err != nil {
			return err
		}
		w.Words(list)
	}
	w.Uint(uint64(files))
	w.Uint(uint64(s.len))
	w.Append(list.Bytes)
	return nil
}

func packFiles(w *packed.Writer, files []File) {
	w.Uint(uint64(len(files)))
	for _, f := range files {
		w.ID(f.ID)
		w.Int(f.Rows)
		w.Int(f.Bytes)
		w.Hash(f.Digest)
	}
}

func hashWord(h digest.Hash) (string, error) { return string(h[:]), nil }

// packPositions writes a position vector, its streams by their numbers.
func packPositions(w *packed.Writer, streams *packed.Words, p Positions) {
	w.Uint(uint64(len(p)))
	for _, stream := range slices.Sorted(maps.Keys(p)) {
		w.Uint(uint64(streams.Number(stream)))
		w.Int(p[stream])
	}
}

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

func hashOf(word string) (h digest.Hash, err error) {
	r := packed.NewReader([]byte(word))
	return r.Hash(), r.Done()
}

func unpackReceipts(r *packed.Reader) (receipts, error) {
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
