package ingest

import (
	"bytes"
	"errors"
)

// maxNesting is how many brackets may be open at once in a value of which the
// end is looked for. Far fewer make a record a reject.
const maxNesting = 1 << 20

// valueExtent finds where a JSON value ends, by its brackets and quotes alone.
// Whether it is valid JSON is for others to say.
type valueExtent struct {
	open    []byte // the brackets that are open, as they close
	kind    byte   // its first byte: a bracket, a quote, or any other for a literal
	quoted  bool   // within a string
	escaped bool   // after a backslash in a string
}

// feed goes on with the next bytes. It returns how many of them belong to the
// value, and whether it ends with them. A literal ends before the first byte that
// can't be of it.
func (v *valueExtent) feed(b []byte) (n int, done bool, err error) {
	if v.kind == 0 && len(b) > 0 {
		v.kind = b[0]
	}
	if v.literal() {
		if i := bytes.IndexAny(b, " \t\r\n,[]{}\""); i >= 0 {
			return i, true, nil
		}
		return len(b), false, nil
	}
	for n < len(b) && !done && err == nil {
		if v.quoted {
			n += v.skipString(b[n:])
			done = v.kind == '"' && !v.quoted
			continue
		}
		done, err = v.structure(b[n])
		n++
	}
	return n, done, err
}

func (v *valueExtent) literal() bool { return v.kind != '{' && v.kind != '[' && v.kind != '"' }

// skipString returns how many bytes belong to the string that is open.
func (v *valueExtent) skipString(b []byte) int {
	if v.escaped {
		v.escaped = false
		return 1
	}
	i := bytes.IndexAny(b, `"\`)
	if i < 0 {
		return len(b)
	}
	v.quoted, v.escaped = b[i] == '\\', b[i] == '\\'
	return i + 1
}

// structure takes one byte outside of strings.
func (v *valueExtent) structure(c byte) (done bool, err error) {
	switch c {
	case '"':
		v.quoted = true
	case '{', '[':
		if len(v.open) == maxNesting {
			return false, errors.New("more than a million brackets are open at once")
		}
		v.open = append(v.open, c+2) // in ASCII, the bracket that closes it
	case '}', ']':
		last := len(v.open) - 1
		if v.open[last] != c {
			return false, errors.New("brackets close that were not opened, or not in that order")
		}
		v.open = v.open[:last]
		return last == 0, nil
	}
	return false, nil
}

// endsWithSource tells whether a value of which no end was seen ends where its
// source does.
func (v *valueExtent) endsWithSource() bool { return v.literal() }
