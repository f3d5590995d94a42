package manifests

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/packed"
)

// Packed receipts are: what many of them share, each written once (position
// vectors, fingerprints, columns); how many files there are; and the receipts,
// which name by number what they share.

// The least bytes that a packed receipt and a packed file take.
const (
	leastReceipt = 1 + 2*2 + 1 + 1 + 32 + 1 + 1 + 16 + 1 + 1
	leastFile    = 2 + 1 + 1 + 32
)

func packReceipts(w *packed.Writer, s receipts) error {
	var list packed.Writer
	positions := numbered[Positions]{same: func(a, b Positions) bool { return maps.Equal(a, b) }, word: positionsWord}
	code := numbered[digest.Hash]{same: func(a, b digest.Hash) bool { return a == b }, word: hashWord}
	columns := numbered[[]datafile.Column]{same: slices.Equal[[]datafile.Column], word: columnsWord}
	files := 0
	for r := range s.all() {
		list.Text(r.Partition)
		list.Time(r.Start)
		list.Time(r.End)
		positions.number(&list, r.Positions)
		list.Int(r.InputRows)
		list.Hash(r.InputDigest)
		code.number(&list, r.Fingerprint)
		list.Int(r.Rows)
		list.Sum(r.RowDigest)
		columns.number(&list, r.Columns)
		packFiles(&list, r.Files)
		files += len(r.Files)
	}
	w.Words(&positions.words)
	w.Words(&code.words)
	w.Words(&columns.words)
	w.Uint(uint64(files))
	w.Uint(uint64(s.len))
	w.Bytes = append(w.Bytes, list.Bytes...)
	return columns.err
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

// numbered numbers values of one kind. Neighbours most often share one, so the
// last is looked at first.
type numbered[T any] struct {
	same  func(T, T) bool
	word  func(T) (string, error)
	words packed.Words
	last  T
	at    int
	err   error
}

// number writes the number of a value.
func (n *numbered[T]) number(w *packed.Writer, value T) {
	if n.words.Len() == 0 || !n.same(value, n.last) {
		word, err := n.word(value)
		n.last, n.at = value, n.words.Number(word)
		if err != nil {
			n.err = err
		}
	}
	w.Uint(uint64(n.at))
}

func hashWord(h digest.Hash) (string, error) { return string(h[:]), nil }

func columnsWord(columns []datafile.Column) (string, error) {
	text, err := json.Marshal(columns)
	return string(text), err
}

func positionsWord(p Positions) (string, error) {
	var w packed.Writer
	for _, stream := range slices.Sorted(maps.Keys(p)) {
		w.Text(stream)
		w.Int(p[stream])
	}
	return string(w.Bytes), nil
}

func positionsOf(word string) (Positions, error) {
	p := Positions{}
	r := packed.NewReader([]byte(word))
	for r.More() {
		stream := r.Text()
		p[stream] = r.Int()
	}
	return p, r.Err()
}

func hashOf(word string) (h digest.Hash, err error) {
	r := packed.NewReader([]byte(word))
	return r.Hash(), r.Done()
}

func columnsOf(word string) (columns []datafile.Column, err error) {
	return columns, json.Unmarshal([]byte(word), &columns)
}

// shared reads the values of one kind.
func shared[T any](r *packed.Reader, of func(word string) (T, error)) ([]T, error) {
	words := r.Words()
	values := make([]T, len(words))
	for i, word := range words {
		var err error
		if values[i], err = of(word); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func unpackReceipts(r *packed.Reader) (receipts, error) {
	positions, err := shared(r, positionsOf)
	if err != nil {
		return receipts{}, fmt.Errorf("position vectors: %w", err)
	}
	code, err := shared(r, hashOf)
	if err != nil {
		return receipts{}, fmt.Errorf("fingerprints: %w", err)
	}
	columns, err := shared(r, columnsOf)
	if err != nil {
		return receipts{}, fmt.Errorf("columns: %w", err)
	}
	files := make([]File, 0, r.Count(leastFile))
	list := make([]Receipt, r.Count(leastReceipt))
	for i := range list {
		one := &list[i]
		one.Partition = r.Text()
		one.Start, one.End = r.Time(), r.Time()
		one.Positions = chosen(r, positions)
		one.InputRows, one.InputDigest = r.Int(), r.Hash()
		one.Fingerprint = chosen(r, code)
		one.Rows, one.RowDigest = r.Int(), r.Sum()
		one.Columns = chosen(r, columns)
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

// chosen reads the number of one of the values.
func chosen[T any](r *packed.Reader, values []T) (value T) {
	if n := r.Choice(len(values)); n < len(values) {
		value = values[n]
	}
	return value
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
