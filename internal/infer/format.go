package infer

import (
	"bytes"
	"encoding/json"

	"strandline/ingest"
)

// headBytes is how much of a file tells its format.
const headBytes = 64 << 10

// magics are how formats begin that are no text.
var magics = []struct {
	magic  string
	format ingest.Format
}{
	{"PAR1", "parquet"}, {"ARROW1", "arrow"}, {"\xff\xff\xff\xff", "arrow"}, {"Obj\x01", "avro"},
}

// formatOf tells a format from how a file begins, and the delimiter of CSV. whole says
// that head is all of it.
func formatOf(head []byte, whole bool) (ingest.Format, byte) {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.format, 0
		}
	}
	text := textOf(head)
	switch {
	case bytes.HasPrefix(text, []byte("[")):
		return ingest.FormatJSON, 0
	case bytes.HasPrefix(text, []byte("{")):
		line, _, ended := bytes.Cut(text, []byte("\n"))
		if (ended || whole) && !json.Valid(line) {
			return ingest.FormatJSON, 0 // an object that takes several lines
		}
		return ingest.FormatNDJSON, 0
	}
	return ingest.FormatCSV, delimiterOf(text)
}

// textOf is what a text begins with, after space.
func textOf(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
}

// delimiterOf is the character that the header has most of, or 0 where it has none.
func delimiterOf(text []byte) byte {
	header, _, _ := bytes.Cut(text, []byte("\n"))
	best, most := byte(0), 0
	for _, d := range []byte(",;\t|") {
		if n := bytes.Count(header, []byte{d}); n > most {
			best, most = d, n
		}
	}
	return best
}
