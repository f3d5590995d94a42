package jsonrow

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// Paths are places of values in a row, each by the names that lead to it.
type Paths map[string]bool

const betweenNames = "\x00"

// Set says whether the place to which names lead is one of them.
func (p Paths) Set(names []string, is bool) { p[strings.Join(names, betweenNames)] = is }

// Has tells whether the place to which names lead is one of them.
func (p Paths) Has(names []string) bool {
	return len(p) > 0 && p[strings.Join(names, betweenNames)]
}

// ErrNoText says that bytes are no text.
var ErrNoText = errors.New("its bytes are no UTF-8 text (declare the column BLOB)")

// BytesAsText appends bytes that are wanted as text. ErrNoText says that they are none;
// they are appended as they are all the same, so that nobody takes them for another text.
func BytesAsText(dst, value []byte) ([]byte, error) {
	if !utf8.Valid(value) {
		return Text(dst, value), ErrNoText
	}
	return Text(dst, value), nil
}
