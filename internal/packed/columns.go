package packed

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"

	"strandline/internal/digest"
)

// A column holds values of one kind so that any of them can be read by itself,
// without those before it. Whoever reads one must know how many there are. What was
// read once without error can be asked for at no risk of one.

// Ints is a column of numbers: the least of them, and how far each lies above it,
// all in as few bytes as the farthest takes.
type Ints struct {
	least int64
	width int // bytes: 0, 1, 2, 4 or 8
	bytes []byte
}

// Ints writes a column of numbers.
func (w *Writer) Ints(values []int64) {
	least, most := int64(0), int64(0)
	if len(values) > 0 {
		least, most = slices.Min(values), slices.Max(values)
	}
	width := widthOf(uint64(most - least)) // right also where it wraps around
	w.Int(least)
	w.Uint(uint64(width))
	w.Bytes = slices.Grow(w.Bytes, width*len(values))
	for _, v := range values {
		w.above(uint64(v-least), width)
	}
}

func widthOf(most uint64) int {
	switch {
	case most == 0:
		return 0
	case most <= math.MaxUint8:
		return 1
	case most <= math.MaxUint16:
		return 2
	case most <= math.MaxUint32:
		return 4
	}
	return 8
}

func (w *Writer) above(n uint64, width int) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], n)
	w.Bytes = append(w.Bytes, all[:width]...)
}

// Ints reads what Writer.Ints wrote of n numbers.
func (r *Reader) Ints(n int) Ints {
	c := Ints{least: r.Int(), width: int(r.Uint())}
	switch c.width {
	case 0, 1, 2, 4, 8:
	default:
		r.fail()
		return Ints{}
	}
	if c.bytes = r.each(n, c.width); r.err != nil {
		return Ints{}
	}
	return c
}

// each takes n times size bytes, or nil.
func (r *Reader) each(n, size int) []byte {
	if size > 0 && n > len(r.rest)/size {
		r.fail()
		return nil
	}
	return r.take(n * size)
}

// At returns the number at i, which must be one of the column.
func (c *Ints) At(i int) int64 {
	switch c.width {
	case 0:
		return c.least
	case 1:
		return c.least + int64(c.bytes[i])
	case 2:
		return c.least + int64(binary.LittleEndian.Uint16(c.bytes[2*i:]))
	case 4:
		return c.least + int64(binary.LittleEndian.Uint32(c.bytes[4*i:]))
	}
	return c.least + int64(binary.LittleEndian.Uint64(c.bytes[8*i:]))
}

// Sum adds up all n numbers, modulo 2^64.
func (c *Ints) Sum(n int) (sum int64) {
	if c.Constant() {
		return c.least * int64(n)
	}
	for i := range n {
		sum += c.At(i)
	}
	return sum
}

// Ascend tells whether each of all n numbers is above the one before.
func (c *Ints) Ascend(n int) bool {
	if n < 2 {
		return true
	}
	order := binary.LittleEndian
	// Those above the least one ascend where what lies between does, unless they wrap around.
	if last := c.At(n - 1); last < c.least {
		return false
	}
	switch b := c.bytes; c.width {
	case 1:
		return ascend(b, 1, func(b []byte) uint64 { return uint64(b[0]) })
	case 2:
		return ascend(b, 2, func(b []byte) uint64 { return uint64(order.Uint16(b)) })
	case 4:
		return ascend(b, 4, func(b []byte) uint64 { return uint64(order.Uint32(b)) })
	case 8:
		return ascend(b, 8, order.Uint64)
	}
	return false
}

func ascend(b []byte, width int, number func([]byte) uint64) bool {
	last := number(b)
	for b = b[width:]; len(b) >= width; b = b[width:] {
		next := number(b)
		if next <= last {
			return false
		}
		last = next
	}
	return true
}

// Constant tells whether all numbers are the same.
func (c *Ints) Constant() bool { return c.width == 0 }

// Ends is a column that says where each of n parts of something ends; each begins
// where the one before does. Where all parts are of one length it takes no bytes.
type Ends struct {
	first int64
	off   Ints // how far each end is from where it were if all parts were as long as the first
}

// Ends writes a column of ends, which ascend.
func (w *Writer) Ends(ends []int64) {
	first := int64(0)
	if len(ends) > 0 {
		first = ends[0]
	}
	off := make([]int64, len(ends))
	for i, end := range ends {
		off[i] = end - first*int64(i+1)
	}
	w.Int(first)
	w.Ints(off)
}

// Ends reads what Writer.Ends wrote of n parts, and how long all are together.
func (r *Reader) Ends(n int) (e Ends, total int) {
	e = Ends{r.Int(), r.Ints(n)}
	last, from := int64(0), 0
	if e.off.Constant() && e.off.least >= 0 && e.first >= 0 && e.first <= int64(len(r.rest)) {
		from = max(0, n-1) // all are of one length, so they ascend
	}
	for i := from; i < n; i++ {
		end := e.end(i)
		if end < last || end > int64(len(r.rest)) { // each part has a byte for each of its length
			r.fail()
			return Ends{}, 0
		}
		last = end
	}
	return e, int(last)
}

func (e *Ends) end(i int) int64 { return e.first*int64(i+1) + e.off.At(i) }

// At returns [from, to) of the part at i.
func (e *Ends) At(i int) (from, to int) {
	if i > 0 {
		from = int(e.end(i - 1))
	}
	return from, int(e.end(i))
}

// Texts is a column of texts.
type Texts struct {
	ends Ends
	all  []byte
}

// Texts writes a column of texts.
func (w *Writer) Texts(texts []string) {
	ends, end := make([]int64, len(texts)), int64(0)
	for i, text := range texts {
		end += int64(len(text))
		ends[i] = end
	}
	w.Ends(ends)
	for _, text := range texts {
		w.Bytes = append(w.Bytes, text...)
	}
}

// Texts reads what Writer.Texts wrote of n texts.
func (r *Reader) Texts(n int) Texts {
	ends, total := r.Ends(n)
	return Texts{ends, r.take(total)}
}

// At returns the text at i.
func (c *Texts) At(i int) string { return string(c.Bytes(i)) }

// Bytes returns the bytes of the text at i. They may not be changed.
func (c *Texts) Bytes(i int) []byte {
	from, to := c.ends.At(i)
	return c.all[from:to:to]
}

// Blocks is a column of values of the same number of bytes.
type Blocks struct {
	size  int
	bytes []byte
}

// Blocks reads n values of size bytes each, which were written one after another.
func (r *Reader) Blocks(n, size int) Blocks { return Blocks{size, r.each(n, size)} }

// At returns the bytes of the value at i. They may not be changed.
func (c *Blocks) At(i int) []byte { return c.bytes[i*c.size:][:c.size:c.size] }

// IDs is a column of the ids of objects.
type IDs struct {
	hex   Blocks
	texts Texts // where one is not what ids are
}

// IDs writes a column of ids, as Writer.ID writes one.
func (w *Writer) IDs(ids []string) {
	if !slices.ContainsFunc(ids, func(id string) bool { return !isHexID(id) }) {
		w.Uint(idHex)
		for _, id := range ids {
			w.Bytes, _ = hex.AppendDecode(w.Bytes, []byte(id))
		}
		return
	}
	w.Uint(idText)
	w.Texts(ids)
}

// IDs reads what Writer.IDs wrote of n ids.
func (r *Reader) IDs(n int) IDs {
	if r.Choice(idHex+1) == idText {
		return IDs{texts: r.Texts(n)}
	}
	return IDs{hex: r.Blocks(n, idBytes)}
}

// AppendAt writes the id at i after text.
func (c *IDs) AppendAt(text []byte, i int) []byte {
	if c.hex.size == 0 {
		return append(text, c.texts.Bytes(i)...)
	}
	return digest.AppendHex(text, c.hex.At(i))
}

// At returns the id at i.
func (c *IDs) At(i int) string {
	var room [2 * idBytes]byte
	return string(c.AppendAt(room[:0], i))
}
