package manifests

import (
	"maps"
	"slices"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/packed"
)

// writeChunk packs receipts as readChunk reads them.
func writeChunk(w *packed.Writer, list []*Receipt) error {
	w.Uint(uint64(len(list)))
	texts := make([]string, len(list))
	for i, r := range list {
		texts[i] = r.Partition
	}
	w.Texts(texts)
	c := columnWriter{w: w, list: list, values: make([]int64, len(list))}
	c.ints(func(r *Receipt) int64 { return r.Start.Unix() })
	c.ints(func(r *Receipt) int64 { return int64(r.Start.Nanosecond()) })
	c.ints(func(r *Receipt) int64 { return r.End.Unix() - r.Start.Unix() })
	c.ints(func(r *Receipt) int64 { return int64(r.End.Nanosecond()) })
	c.positions()
	c.ints(func(r *Receipt) int64 { return r.InputRows })
	for _, r := range list {
		w.Hash(r.InputDigest)
	}
	codes := packed.Numbered[digest.Hash]{Same: func(a, b digest.Hash) bool { return a == b }, Word: hashWord}
	if err := numbered(c, &codes, func(r *Receipt) digest.Hash { return r.Fingerprint }); err != nil {
		return err
	}
	c.ints(func(r *Receipt) int64 { return r.Rows })
	for _, r := range list {
		w.Sum(r.RowDigest)
	}
	columns := packed.Numbered[[]datafile.Column]{Same: slices.Equal[[]datafile.Column], Word: packed.JSONWord[[]datafile.Column]}
	if err := numbered(c, &columns, func(r *Receipt) []datafile.Column { return r.Columns }); err != nil {
		return err
	}
	writeFiles(w, list)
	c.inputs()
	return nil
}

// columnWriter writes columns of a list of receipts.
type columnWriter struct {
	w      *packed.Writer
	list   []*Receipt
	values []int64 // room for one column
}

func (c columnWriter) ints(of func(*Receipt) int64) {
	for i, r := range c.list {
		c.values[i] = of(r)
	}
	c.w.Ints(c.values)
}

// positions writes two columns a stream or table: whether it is read, and up to where.
func (c columnWriter) positions() {
	for _, name := range named(c, func(r *Receipt) Positions { return r.Positions }) {
		c.ints(func(r *Receipt) int64 {
			_, reads := r.Positions[name]
			return oneIf(reads)
		})
		c.ints(func(r *Receipt) int64 { return r.Positions[name] })
	}
}

// named writes the names that maps of the receipts have, and returns them in order.
func named[V any, M ~map[string]V](c columnWriter, of func(*Receipt) M) []string {
	seen := map[string]bool{}
	for _, r := range c.list {
		for name := range of(r) {
			seen[name] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(seen))
	var words packed.Words
	for _, name := range sorted {
		words.Number(name)
	}
	c.w.Words(&words)
	return sorted
}

func oneIf(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// numbered writes a column of values that come again and again.
func numbered[T any](c columnWriter, n *packed.Numbered[T], of func(*Receipt) T) error {
	for i, r := range c.list {
		c.values[i] = int64(n.Number(of(r)))
	}
	words, err := n.Words()
	if err != nil {
		return err
	}
	c.w.Words(words)
	c.w.Ints(c.values)
	return nil
}

// writeFiles writes the files of all receipts.
func writeFiles(w *packed.Writer, list []*Receipt) {
	var files []File
	var ids []string
	var ends, rows, bytes []int64
	for _, r := range list {
		files = append(files, r.Files...)
		ends = append(ends, int64(len(files)))
	}
	for _, f := range files {
		ids, rows, bytes = append(ids, f.ID), append(rows, f.Rows), append(bytes, f.Bytes)
	}
	w.Ends(ends)
	w.IDs(ids)
	w.Ints(rows)
	w.Ints(bytes)
	for _, f := range files {
		w.Hash(f.Digest)
	}
}
