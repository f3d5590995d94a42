package manifests

import (
	"slices"

	"strandline/internal/digest"
	"strandline/internal/packed"
)

// inputColumn is what each receipt says of one of several inputs, if it reads them.
type inputColumn struct {
	name      string
	has, rows packed.Ints
	digests   packed.Blocks
}

// inputs writes three columns an input, as positions does: whether there is something
// to say of it, its rows and their digest. Where no receipt has any, as those of one
// stream haven't, nothing is written, which is how older programs left it.
func (c columnWriter) inputs() {
	if !slices.ContainsFunc(c.list, func(r *Receipt) bool { return r.Inputs != nil }) {
		return
	}
	for _, name := range named(c, func(r *Receipt) map[string]Input { return r.Inputs }) {
		c.ints(func(r *Receipt) int64 {
			_, has := r.Inputs[name]
			return oneIf(has)
		})
		c.ints(func(r *Receipt) int64 { return r.Inputs[name].Rows })
		for _, r := range c.list {
			c.w.Hash(r.Inputs[name].Digest)
		}
	}
}

// readInputs reads what inputs wrote of n receipts, if that is anything.
func readInputs(r *packed.Reader, n int) (of []*inputColumn) {
	if !r.More() {
		return nil
	}
	for _, name := range r.Words() {
		of = append(of, &inputColumn{name, r.Ints(n), r.Ints(n), r.Blocks(n, len(digest.Hash{}))})
	}
	return of
}

// inputsOf returns what the receipt at i says of each of several inputs, or nil.
func (c *packedChunk) inputsOf(i int) map[string]Input {
	var of map[string]Input
	for _, input := range c.of {
		if input.has.At(i) == 0 {
			continue
		}
		if of == nil {
			of = make(map[string]Input, len(c.of))
		}
		of[input.name] = Input{input.rows.At(i), digest.Hash(input.digests.At(i))}
	}
	return of
}
