package arrowrows

import (
	"encoding/binary"
	"fmt"
	"os"

	"strandline/internal/jsonrow"
)

// The schema of Arrow IPC is a FlatBuffer: tables that tell by offsets where their
// fields are. arrow-go makes room for as many fields as a vector says it has, before
// it looks whether they are there; bytes that are damaged may say four billion. So the
// vectors of a schema are looked at first, by the slots that Schema.fbs, File.fbs and
// Message.fbs of the format give their fields.

// What a schema may have: columns with all that is nested in them, and how deep.
const (
	maxFields = 100_000
	maxDepth  = 64
)

var errSchema = fmt.Errorf("%w: its schema does not fit together", jsonrow.ErrDamaged)

// maxMetadata is what a message or a footer may have without its body, in bytes.
const maxMetadata = 64 << 20

// section reads n bytes at an offset, all of which lie before end.
func section(copied *os.File, at, n, end int64) (flat, error) {
	switch {
	case at < 0 || n > end-at:
		return nil, errSchema
	case n > maxMetadata:
		return nil, fmt.Errorf("%w: the description of its columns has %d bytes", jsonrow.ErrUnsupported, n)
	}
	buf := make(flat, n)
	_, err := copied.ReadAt(buf, at)
	return buf, err
}

// flat is a FlatBuffer. Where an offset leads out of it, its methods panic, as
// arrow-go would.
type flat []byte

func (b flat) u32(at int) int   { return int(binary.LittleEndian.Uint32(b[at:])) }
func (b flat) u16(at int) int   { return int(binary.LittleEndian.Uint16(b[at:])) }
func (b flat) i64(at int) int64 { return int64(binary.LittleEndian.Uint64(b[at:])) }

// follow returns where the offset at a place leads, or 0 from 0.
func (b flat) follow(at int) int {
	if at == 0 {
		return 0
	}
	return at + b.u32(at)
}

func (b flat) root() int { return b.u32(0) }

// slot returns where the i-th field of a table is, or 0 where it has none.
func (b flat) slot(table, i int) int {
	vtable := table - int(int32(b.u32(table)))
	at := 4 + 2*i
	if at+2 > b.u16(vtable) || b.u16(vtable+at) == 0 {
		return 0
	}
	return table + b.u16(vtable+at)
}

// vector returns where the elements of a table's i-th field are and how many, which
// take so many bytes each.
func (b flat) vector(table, i, each int) (first, n int) {
	at := b.follow(b.slot(table, i))
	if at == 0 {
		return 0, 0
	}
	if n = b.u32(at); n > (len(b)-at-4)/each {
		panic(errSchema)
	}
	return at + 4, n
}

func (b flat) schema(at int) error {
	if at == 0 {
		return errSchema
	}
	b.vector(at, 2, 4) // custom metadata
	b.vector(at, 3, 8) // features
	left := maxFields
	return b.fields(at, 1, maxDepth, &left)
}

// fields looks at the fields in a table's slot, and at those nested in them.
func (b flat) fields(table, slot, depth int, left *int) error {
	first, n := b.vector(table, slot, 4)
	if *left -= n; *left < 0 || depth == 0 {
		return fmt.Errorf("%w: it has more than %d columns, or more than %d within one another", jsonrow.ErrUnsupported, maxFields, maxDepth)
	}
	for i := range n {
		field := b.follow(first + 4*i)
		b.vector(field, 6, 4) // custom metadata
		const union = 14
		if kind := b.slot(field, 2); kind > 0 && b[kind] == union {
			b.vector(b.follow(b.slot(field, 3)), 1, 4) // the ids of its types
		}
		if err := b.fields(field, 5, depth-1, left); err != nil {
			return err
		}
	}
	return nil
}
