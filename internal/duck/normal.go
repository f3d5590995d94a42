package duck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// locationKey is where the syntax tree says where a node stood in the text,
// which is the one thing in it that says nothing about the result.
const locationKey = "query_location"

// normalize writes a syntax tree with sorted keys and without locations.
func normalize(tree any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(withoutLocations(tree)); err != nil {
		return "", fmt.Errorf("normalise SQL: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func withoutLocations(node any) any {
	switch n := node.(type) {
	case map[string]any:
		out := make(map[string]any, len(n))
		for key, value := range n {
			if key != locationKey {
				out[key] = withoutLocations(value)
			}
		}
		return out
	case []any:
		out := make([]any, len(n))
		for i, value := range n {
			out[i] = withoutLocations(value)
		}
		return out
	}
	return node
}

// firstWord returns the first word of sql in upper case, after comments.
func firstWord(sql string) string {
	for {
		sql = strings.TrimLeft(sql, " \t\r\n;(")
		switch {
		case strings.HasPrefix(sql, "--"):
			_, sql, _ = strings.Cut(sql, "\n")
		case strings.HasPrefix(sql, "/*"):
			_, sql, _ = strings.Cut(sql, "*/")
		default:
			end := strings.IndexFunc(sql, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
			if end < 0 {
				end = len(sql)
			}
			return strings.ToUpper(sql[:end])
		}
	}
}
