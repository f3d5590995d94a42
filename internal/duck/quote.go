package duck

import "strings"

// Ident quotes a name for SQL: it means that very name, in any case. It must
// not hold a NUL byte.
func Ident(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Literal quotes a text for SQL. It must not hold a NUL byte.
func Literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// literals is a SQL list of texts.
func literals(texts []string) string { return "[" + joined(texts, Literal) + "]" }

// joined writes the items, each as write has it, with commas between them.
func joined[T any](items []T, write func(T) string) string {
	var b strings.Builder
	for i, item := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(write(item))
	}
	return b.String()
}

// fold is how the engine compares names: without regard to ASCII case.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}
