package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// value is one node of the file, the way to it, and the reading it is part of.
type value struct {
	*reading
	node *yaml.Node
	key  *yaml.Node // the key it stands under; the node itself at the top and in lists
	path string     // such as streams.quakes.columns; empty at the top
}

// entry is one key of a map whose keys are free names.
type entry struct {
	name string
	value
}

// problem adds one, at the value.
func (v value) problem(format string, args ...any) { v.problemAt(v.node, format, args...) }

// problemAt adds one that tells the way to the value, at another node.
func (v value) problemAt(n *yaml.Node, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if v.path != "" {
		text = v.path + ": " + text
	}
	v.add(n.Line, n.Column, "%s", text)
}

// unwanted adds the problem of a value that is of another shape than wanted.
// An alias has been refused already.
func (v value) unwanted(want string) {
	if v.node.Kind != yaml.AliasNode {
		v.problem("want %s, found %s", want, found(v.node))
	}
}

// found describes a node to somebody who expected another.
func found(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	}
	text := n.Value
	if r := []rune(text); len(r) > 40 {
		text = string(r[:40]) + "…"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return text + " without quotes"
	case "!!int", "!!float":
		return "the number " + text
	case "!!timestamp":
		return "the date " + text + " without quotes"
	}
	return fmt.Sprintf("the text %q", text)
}

func (v value) isScalar(tag string) bool {
	return v.node.Kind == yaml.ScalarNode && v.node.ShortTag() == tag
}

func (v value) isText() bool    { return v.isScalar("!!str") }
func (v value) isNothing() bool { return v.isScalar("!!null") }

// isEmpty tells whether the value is a map or list with nothing in it.
func (v value) isEmpty(kind yaml.Kind) bool {
	return v.node.Kind == kind && len(v.node.Content) == 0
}

// entries returns a map's keys and values in order. want says what the map is
// to hold, for the error where it is none. Keys that occur twice are refused.
func (v value) entries(want string) []entry {
	if v.node.Kind != yaml.MappingNode {
		v.unwanted(want)
		return nil
	}
	var out []entry
	first := map[string]int{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		key, node := v.node.Content[i], v.node.Content[i+1]
		if !v.isKey(key) {
			continue
		}
		if line, twice := first[key.Value]; twice {
			v.problemAt(key, "key %q is here twice (first on line %d)", key.Value, line)
			continue
		}
		first[key.Value] = key.Line
		out = append(out, entry{key.Value, value{v.reading, node, key, joinPath(v.path, key.Value)}})
	}
	return out
}

func (v value) isKey(key *yaml.Node) bool {
	switch {
	case key.Kind == yaml.AliasNode:
	case key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge":
		v.problemAt(key, "merge keys (<<) are not supported; write the keys out again")
	case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str":
		v.problemAt(key, "want a text as key, found %s", found(key))
	default:
		return true
	}
	return false
}

func joinPath(path, key string) string {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// mapOrList returns a list's values; a map alone counts as a list of one.
func (v value) mapOrList(want string) []value {
	if v.node.Kind == yaml.MappingNode {
		return []value{v}
	}
	return v.items(want, false)
}

// items returns a list's values; a single text counts as a list of one where
// single is set.
func (v value) items(want string, single bool) []value {
	if single && v.node.Kind == yaml.ScalarNode && !v.isNothing() {
		return []value{v}
	}
	if v.node.Kind != yaml.SequenceNode {
		v.unwanted(want)
		return nil
	}
	out := make([]value, len(v.node.Content))
	for i, n := range v.node.Content {
		out[i] = value{v.reading, n, n, fmt.Sprintf("%s[%d]", v.path, i)}
	}
	return out
}
