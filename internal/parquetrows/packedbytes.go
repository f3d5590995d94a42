package parquetrows

import (
	"encoding/binary"
	"fmt"

	"strandline/internal/jsonrow"
)

var errPacked = fmt.Errorf("%w: values that are packed as differences or as runs don't fit together", jsonrow.ErrDamaged)

// packedBytes reads what is left of a page; bad says that it was not enough.
type packedBytes struct {
	rest []byte
	bad  bool
}

func (p *packedBytes) uvarint() uint64 {
	v, n := binary.Uvarint(p.rest)
	p.advance(n)
	return v
}

func (p *packedBytes) varint() int64 {
	v, n := binary.Varint(p.rest)
	p.advance(n)
	return v
}

func (p *packedBytes) advance(n int) {
	if n <= 0 {
		p.bad = true
		return
	}
	p.rest = p.rest[n:]
}

// take returns the next n bytes, or nil where there are fewer.
func (p *packedBytes) take(n int) []byte {
	if n > len(p.rest) {
		p.bad = true
		return nil
	}
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken
}
