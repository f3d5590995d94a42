package duck

import "strings"

var patternCharacters = strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]")

// Path quotes a file's path for SQL functions that read files, so that it
// means that very file: elsewise *, ? and [ in it would be a pattern.
func Path(path string) string { return Literal(patternCharacters.Replace(path)) }
