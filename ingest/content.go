package ingest

import (
	"bytes"
	"fmt"
)

// foreign are the forms that are no text, by their first bytes, and as what format each is read, if it is.
// Read as text each would end in one reject a line.
var foreign = []struct {
	magic, name string
	format      Format
}{
	{"PAR1", "Parquet", FormatParquet},
	{"PARE", "Parquet with an encrypted footer", FormatParquet},
	{"ARROW1\x00\x00", "an Arrow IPC file", FormatArrow},
	{"\xff\xff\xff\xff", "an Arrow IPC stream", FormatArrow},
	{"Obj\x01", "Avro", FormatAvro},
	{"PK\x03\x04", "a zip archive", ""},
	{"\xfd7zXZ\x00", "xz", ""},
	{"BZh", "bzip2", ""},
	{"\xff\xfe", "UTF-16", ""},
	{"\xfe\xff", "UTF-16", ""},
	{"\x04\x22\x4d\x18", "an LZ4 frame (use gzip, zstd or snappy)", ""},
	// One compression has been taken off already.
	{gzipMagic, "gzip within another compression", ""},
	{zstdMagic, "zstd within another compression", ""},
}

// textMagics are what a source that is to be text may begin with: text, or what is refused.
var textMagics = func() []string {
	all := []string{bom}
	for _, f := range foreign {
		all = append(all, f.magic)
	}
	return all
}()

// longestMagic is the most bytes of a source that tell its form.
const longestMagic = 8

// otherForm says that a source is not of the format that it is read as.
type otherForm struct {
	is       string // what it is, or seems to be
	want     Format
	readable bool // by another format
}

func (o otherForm) Error() string {
	if o.readable {
		return fmt.Sprintf("%s: it %s, and is read as %s", ErrFormat, o.is, o.want)
	}
	return fmt.Sprintf("%s: it %s, and is read as %s: unpack or convert it", ErrFormat, o.is, o.want)
}

// Is puts it into the class of sources that are of no form that is read, and of bad input.
func (o otherForm) Is(target error) bool { return target == ErrFormat || target == ErrInput }

// refuseForeign names what a source is that was to be text and begins with head.
func refuseForeign(head []byte, want Format) error {
	if other := refuseMagic(head, want); other != nil {
		return other
	}
	if isUTF16(head) {
		return otherForm{is: "is UTF-16, which is no UTF-8", want: want}
	}
	return nil
}

// refuseMagic names what a source of another format is by its first bytes.
func refuseMagic(head []byte, want Format) error {
	for _, f := range foreign {
		if f.format != want && bytes.HasPrefix(head, []byte(f.magic)) {
			return otherForm{is: "is " + f.name, want: want, readable: f.format != ""}
		}
	}
	return nil
}

// textBytes is how much of a source tells text from a typed file.
const textBytes = 512

// refuseText names what a source is that was to be a typed file and begins with head, and is text. So little that it
// may be the beginning of such a file is not refused.
func refuseText(head []byte, want Format) error {
	text := unindented(head)
	for _, f := range foreign {
		if f.format == want && (bytes.HasPrefix(head, []byte(f.magic)) || bytes.HasPrefix([]byte(f.magic), head)) {
			return nil
		}
	}
	isControl := func(c rune) bool { return c < ' ' && c != '\t' && c != '\r' && c != '\n' }
	switch {
	case len(text) == 0 || bytes.ContainsFunc(text, isControl):
		return nil
	case beginsAsJSON(text):
		return otherForm{is: "seems to be JSON", want: want, readable: true}
	}
	return otherForm{is: "seems to be text, such as CSV", want: want, readable: true}
}

// beginsAsJSON tells what may be NDJSON or JSON by its first character.
func beginsAsJSON(head []byte) bool {
	text := unindented(head)
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// unindented is what is left of a text without what may stand before its first character.
func unindented(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte(bom)), " \t\r\n")
}

// Foreign names what is no text in UTF-8 by how it begins; "" where that is not known.
func Foreign(head []byte) string {
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.name
		}
	}
	if isUTF16(head) {
		return "UTF-16"
	}
	return ""
}

// isUTF16 tells UTF-16 without a mark by characters of ASCII, half of whose bytes are zero.
func isUTF16(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	even, odd := head[0] == 0 && head[2] == 0, head[1] == 0 && head[3] == 0
	return even != odd
}
