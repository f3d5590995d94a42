package duck

import (
	"bytes"
	"strings"
)

// special are the characters of a path that mean something to SQL or to a pattern.
const special = "'[*?"

var escapes = strings.NewReplacer("'", "''", "[", "[[]", "*", "[*]", "?", "[?]")

// Path quotes a file's path for SQL functions that read files, so that it
// means that very file: elsewise *, ? and [ in it would be a pattern. It must not
// hold a NUL byte.
func Path(path string) string { return string(append(AppendPath([]byte{'\''}, []byte(path)), '\'')) }

// AppendPath writes a path, or a part of one, after text as it is within the quotes
// that Path puts around it.
func AppendPath(text, path []byte) []byte {
	for _, c := range []byte(special) {
		if bytes.IndexByte(path, c) >= 0 {
			return append(text, escapes.Replace(string(path))...)
		}
	}
	return append(text, path...) // nearly all are plain
}
