package ingest

import (
	"bytes"
	"fmt"
)

// foreign are the forms that are no text, by their first bytes. Read as text
// each would end in one reject a line.
var foreign = []struct{ magic, name string }{
	{"PAR1", "Parquet"}, {"ARROW1\x00\x00", "an Arrow IPC file"}, {"\xff\xff\xff\xff", "an Arrow IPC stream"},
	{"Obj\x01", "Avro"}, {"PK\x03\x04", "a zip archive"}, {"\xfd7zXZ\x00", "xz"}, {"BZh", "bzip2"},
	{"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"},
	{"\x04\x22\x4d\x18", "an LZ4 frame (use gzip, zstd or snappy)"},
	// One compression has been taken off already.
	{gzipMagic, "gzip within another compression"}, {zstdMagic, "zstd within another compression"},
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

// refuseForeign names what a source is that was to be text and begins with head.
func refuseForeign(head []byte, want Format) error {
	switch name := Foreign(head); {
	case name == "":
		return nil
	case isUTF16(head):
		return fmt.Errorf("%w: it is UTF-16, and format: %s is UTF-8", ErrFormat, want)
	default:
		return fmt.Errorf("%w: it is %s, and format: %s was declared", ErrFormat, name, want)
	}
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
