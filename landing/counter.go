package landing

import "strandline/internal/datafile"

// counter makes the canonical encodings of numbers, most of which are one more than the
// one before.
type counter struct {
	before []byte // what each of them comes after
	text   []byte // before, and the encoding of n
	n      int64
}

// after has the encodings come after a text.
func (c *counter) after(text []byte) { c.before, c.text = text, nil }

// appendTo appends to dst what n's encoding comes after, and the encoding.
func (c *counter) appendTo(dst []byte, n int64) []byte {
	last := len(c.text) - 1
	next := last >= 0 && n == c.n+1 && n > 0 && c.text[last] < '9'
	if !next {
		c.text = datafile.AppendInteger(append(c.text[:0], c.before...), n)
	}
	dst = append(dst, c.text...)
	if next { // afterwards: a copy of what has just been written to waits for that
		c.text[last]++
		dst[len(dst)-1]++
	}
	c.n = n
	return dst
}
