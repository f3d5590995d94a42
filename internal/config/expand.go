package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand replaces ${VAR} and ${VAR:-default} by the variable's value, and $$
// by $. The default stands in for a variable that is unset or empty. Any other
// $ stays as it is. It works on values that YAML has already parsed, so no
// variable can add a key.
func expand(text string, env func(string) (string, bool)) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		out.WriteString(before)
		switch {
		case !found:
			return out.String(), nil
		case strings.HasPrefix(rest, "$"):
			out.WriteByte('$')
			text = rest[1:]
		case strings.HasPrefix(rest, "{"):
			inner, after, closed := strings.Cut(rest[1:], "}")
			if !closed {
				return "", fmt.Errorf("%q has no closing } (write $$ for a $)", "$"+rest)
			}
			v, err := lookup(inner, env)
			if err != nil {
				return "", err
			}
			out.WriteString(v)
			text = after
		default:
			out.WriteByte('$')
			text = rest
		}
	}
}

func lookup(inner string, env func(string) (string, bool)) (string, error) {
	name, fallback, hasFallback := strings.Cut(inner, ":-")
	switch {
	case strings.Contains(fallback, "${"):
		return "", fmt.Errorf("%q: a default cannot hold another ${…}", "${"+inner+"}")
	case !variableName.MatchString(name):
		return "", fmt.Errorf("%q: want ${VAR} or ${VAR:-default}, where VAR has letters, digits and _", "${"+inner+"}")
	}
	v, set := env(name)
	switch {
	case hasFallback && v == "":
		return fallback, nil
	case !set:
		return "", fmt.Errorf("environment variable %s is not set (set it, or write ${%s:-default})", name, name)
	case !utf8.ValidString(v):
		return "", fmt.Errorf("environment variable %s is not UTF-8", name)
	}
	return v, nil
}
