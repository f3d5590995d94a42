package landing

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// SourceName is what a stream calls a source that has a name of any bytes, such as that
// of a file. It is UTF-8, since the engine reads it, and no two names become one.
//
// A name that is UTF-8 stays as it is. In any other each byte that is not is written as
// \xE9, and each \ as \\. So that nothing else is called that, the latter is done as
// well to a name that has such a \xE9 in it as text.
func SourceName(name string) string {
	if utf8.ValidString(name) && !hasEscape(name) {
		return name
	}
	var b strings.Builder
	for len(name) > 0 {
		r, size := utf8.DecodeRuneInString(name)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02X`, name[0])
		case r == '\\':
			b.WriteString(`\\`)
		default:
			b.WriteString(name[:size])
		}
		name = name[size:]
	}
	return b.String()
}

// hasEscape tells whether a name has the text by which SourceName writes some byte.
func hasEscape(name string) bool {
	for {
		_, rest, found := strings.Cut(name, `\x`)
		if !found {
			return false
		}
		if len(rest) >= 2 && strings.Contains("89ABCDEF", rest[:1]) && strings.Contains("0123456789ABCDEF", rest[1:2]) {
			return true
		}
		name = rest
	}
}

// KnownAs is SourceName of a name that a stream has given already, unless older rows
// had it.
func KnownAs(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return SourceName(name)
}
