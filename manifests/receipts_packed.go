package manifests

import (
	"fmt"

	"strandline/internal/digest"
	"strandline/internal/packed"
)

// packReceipts writes receipts as chunks of receiptsChunk, whatever chunks they are
// in: of the same receipts two processes write the same bytes. A chunk that came
// packed goes as it came, if it comes to lie where it lay.
func packReceipts(w *packed.Writer, s receipts) error {
	w.Uint(uint64(s.len))
	w.Uint(uint64((s.len + receiptsChunk - 1) / receiptsChunk))
	var rest []*Receipt // fewer than make a chunk
	left := s.len
	for _, c := range s.chunks {
		if len(rest) == 0 && c.packed != nil && c.len() == min(receiptsChunk, left) {
			w.Block(c.packed.bytes)
			left -= c.len()
			continue
		}
		rest = append(rest, c.receipts()...)
		for len(rest) > 0 && len(rest) >= min(receiptsChunk, left) {
			n := min(receiptsChunk, left)
			var one packed.Writer
			if err := writeChunk(&one, rest[:n]); err != nil {
				return err
			}
			w.Block(one.Bytes)
			rest, left = rest[n:], left-n
		}
	}
	return nil
}

// unpackReceipts reads what packReceipts wrote. The receipts stay packed.
func unpackReceipts(r *packed.Reader) (s receipts, err error) {
	total := r.Count(1)
	s.chunks = make([]*chunk, r.Count(1))
	known := words{}
	for i := range s.chunks {
		one, err := readChunk(r.Block(), known)
		if err != nil {
			return receipts{}, fmt.Errorf("chunk %d of receipts: %w", i, err)
		}
		s.chunks[i] = &chunk{packed: one}
		s.len += one.len
		if i > 0 && s.chunks[i-1].last() >= s.chunks[i].name(0) {
			return receipts{}, errOrder
		}
	}
	if s.len != total {
		return receipts{}, fmt.Errorf("there are %d receipts, want %d", s.len, total)
	}
	return s, r.Err()
}

func hashWord(h digest.Hash) (string, error) { return string(h[:]), nil }

func hashOf(word string) (h digest.Hash, err error) {
	r := packed.NewReader([]byte(word))
	return r.Hash(), r.Done()
}
