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

// of returns what n's encoding comes after, and the encoding. It is valid until the next one.
func (c *counter) of(n int64) []byte {
	last := len(c.text) - 1
	if last >= 0 && n == c.n+1 && n > 0 && c.text[last] < '9' {
		c.text[last]++
	} else {
		c.text = datafile.AppendInteger(append(c.text[:0], c.before...), n)
	}
	c.n = n
	return c.text
}
