package manifests

import (
	"fmt"
	"slices"

	"strandline/internal/packed"
)

// packRepeated writes what receipts say of repeated rows, in the order of packReceipts
// and by as many at a time: nothing where none were left out. It stands beside the
// packed receipts, so that who knows nothing of it can read those.
func packRepeated(s receipts) []byte {
	values := make([]int64, 0, s.len)
	some := false
	for _, c := range s.chunks {
		for i := range c.len() {
			values = append(values, c.repeated(i))
			some = some || c.repeated(i) != 0
		}
	}
	if !some {
		return nil
	}
	var w packed.Writer
	for part := range slices.Chunk(values, receiptsChunk) {
		w.Ints(part)
	}
	return w.Bytes
}

func (c *chunk) repeated(i int) int64 {
	if c.packed != nil {
		return c.packed.repeated.At(i)
	}
	return c.list[i].Repeated
}

// unpackRepeated has receipts, as they were unpacked, say what packRepeated wrote.
func unpackRepeated(data []byte, s receipts) error {
	if len(data) == 0 {
		return nil
	}
	r := packed.NewReader(data)
	for i, c := range s.chunks {
		if c.packed == nil {
			return fmt.Errorf("chunk %d of receipts is not packed, and so tells of no repeated rows", i)
		}
		c.packed.repeated = r.Ints(c.len())
	}
	return r.Done()
}
