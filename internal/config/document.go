package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxSize is the largest file that is read, in bytes.
const maxSize = 1 << 20

var byteOrderMark = []byte("\xef\xbb\xbf")

// document returns the one YAML document of data, or nil and a problem.
func (ps *problems) document(data []byte) *yaml.Node {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if !ps.readable(data) {
		return nil
	}
	root, second, err := parseYAML(data)
	switch {
	case err != nil:
		ps.syntax(data, err)
		return nil
	case root == nil:
		ps.add(1, 1, "the file is empty (strandline init writes one to start from)")
		return nil
	case second != nil:
		ps.add(second.Line, second.Column, "a second document starts here; a configuration is one document")
	}
	ps.plain(root)
	return root
}

// readable refuses what is not a text of sensible size.
func (ps *problems) readable(data []byte) bool {
	if len(data) > maxSize {
		ps.add(1, 1, "the file has %d bytes; a configuration has at most %d", len(data), maxSize)
		return false
	}
	for line, text := range bytes.Split(data, []byte("\n")) {
		for column := 1; len(text) > 0; column++ {
			r, size := utf8.DecodeRune(text)
			if r == utf8.RuneError && size == 1 {
				ps.add(line+1, column, "byte 0x%02x is not UTF-8; save the file as UTF-8", text[0])
				return false
			}
			if r == 0 {
				ps.add(line+1, column, "a zero byte; this is not a text file")
				return false
			}
			text = text[size:]
		}
	}
	return true
}

// parseYAML returns the first document's content, nil where there is none,
// and the content of a second one.
func parseYAML(data []byte) (root, second *yaml.Node, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if root, err = next(dec); root == nil || err != nil {
		return nil, nil, err
	}
	if second, err = next(dec); err != nil {
		return nil, nil, err
	}
	if root.ShortTag() == "!!null" && second == nil {
		return nil, nil, nil
	}
	return root, second, nil
}

func next(dec *yaml.Decoder) (*yaml.Node, error) {
	var doc yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

var libraryPrefix = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// syntax adds the problem of a file that is not YAML.
func (ps *problems) syntax(data []byte, err error) {
	lines := strings.SplitAfter(string(data), "\n")
	line := libraryLine(err, len(lines))
	if len(lines) <= maxProbedLines && len(data) <= maxProbedBytes {
		line = brokenLine(lines)
	}
	text := lines[line-1]
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	hint := ""
	switch {
	case strings.Contains(text[:indent], "\t"):
		indent = strings.Index(text, "\t")
		hint = " (this line is indented with a tab; YAML wants spaces)"
	case strings.Contains(text, "${"):
		hint = " (inside { } or [ ] put a text with ${…} in quotes)"
	}
	ps.add(line, indent+1, "not YAML from here on: %s%s", libraryPrefix.ReplaceAllString(err.Error(), ""), hint)
}

// The search of brokenLine is quadratic, so it is only made within these.
const (
	maxProbedLines = 500
	maxProbedBytes = 64 << 10
)

// libraryLine is the line that the YAML library names: that of the enclosing
// block, or one off.
func libraryLine(err error, lines int) int {
	if m := libraryPrefix.FindStringSubmatch(err.Error()); m != nil {
		n, _ := strconv.Atoi(m[1])
		return min(max(n, 1), lines)
	}
	return 1
}

// brokenLine finds where a text stops being YAML: the line after its longest
// beginning that is.
func brokenLine(lines []string) int {
	for n := len(lines) - 1; n > 0; n-- {
		if _, _, err := parseYAML([]byte(strings.Join(lines[:n], ""))); err == nil {
			return n + 1
		}
	}
	return 1
}

// plain refuses the parts of YAML that make a file mean other than it says:
// anchors, aliases, merge keys and tags. Without aliases a small file cannot
// grow into a large one either.
func (ps *problems) plain(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		ps.add(n.Line, n.Column, "alias *%s: aliases are not supported; write the value out again", n.Value)
		return
	case n.Anchor != "":
		ps.add(n.Line, n.Column, "anchor &%s: anchors are not supported; leave it out", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		ps.add(n.Line, n.Column, "tag %s: tags are not supported; put a text in quotes instead", n.Tag)
		n.Tag, n.Style = "", n.Style&^yaml.TaggedStyle // so that the value is still checked for what it is
	}
	for _, child := range n.Content {
		ps.plain(child)
	}
}
