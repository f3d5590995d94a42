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
func Path(path string) string { return string(AppendPath(nil, []byte(path))) }

// AppendPath writes Path after text.
func AppendPath(text, path []byte) []byte {
	text = append(text, '\'')
	if isPlain(path) {
		text = append(text, path...)
	} else {
		text = append(text, escapes.Replace(string(path))...)
	}
	return append(text, '\'')
}

func isPlain(path []byte) bool {
	for _, c := range []byte(special) {
		if bytes.IndexByte(path, c) >= 0 {
			return false
		}
	}
	return true
}
