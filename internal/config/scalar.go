package config

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"strandline/window"
)

// rawText returns a text as it is written.
func (v value) rawText() (string, bool) {
	if v.isText() {
		return v.node.Value, true
	}
	want := "a text"
	if v.node.Kind == yaml.ScalarNode && !v.isNothing() {
		want = "a text (in quotes, if that is one)"
	}
	v.unwanted(want)
	return "", false
}

// anyText returns a text with its ${VAR}s replaced. It may be empty.
func (v value) anyText() (string, bool) {
	raw, ok := v.rawText()
	if !ok {
		return "", false
	}
	return v.expanded(raw)
}

func (v value) expanded(raw string) (string, bool) {
	text, err := expand(raw, v.env)
	if err != nil {
		v.problem("%v", err)
		return "", false
	}
	return text, true
}

// text returns a text of one line that is not empty, with its ${VAR}s replaced.
func (v value) text() (string, bool) {
	text, ok := v.anyText()
	switch {
	case !ok:
		return "", false
	case strings.TrimSpace(text) == "":
		v.problem("is empty")
		return "", false
	case strings.ContainsFunc(text, unicode.IsControl):
		v.problem("%q has control characters or line breaks", text)
		return "", false
	}
	return text, true
}

// textIfAny returns a text of one line, or "" also where it is empty, as an
// unset ${VAR:-} leaves it.
func (v value) textIfAny() string {
	text, ok := v.anyText()
	if ok && text != "" {
		text, _ = v.text()
	}
	return text
}

// measure returns a scalar's text, also where YAML takes it for a number, so
// that "5" can be answered with "5 of what?".
func (v value) measure(want string) (string, bool) {
	switch {
	case v.isScalar("!!int"), v.isScalar("!!float"):
		return v.node.Value, true
	case v.isText():
		return v.text()
	}
	v.unwanted(want)
	return "", false
}

func (v value) duration() (time.Duration, bool) {
	text, ok := v.measure("a duration such as 90s, 15m or 1h")
	if !ok {
		return 0, false
	}
	d, err := window.ParseDuration(text)
	if err != nil {
		v.problem("%v", err)
	}
	return d, err == nil
}

func (v value) notNegative() time.Duration {
	d, ok := v.duration()
	if ok && d < 0 {
		v.problem("%v is less than nothing; want 0s or more", d)
	}
	return d
}

// boolean also reads a text that an ${VAR} turned into true or false.
func (v value) boolean() (is, ok bool) {
	text := v.node.Value
	switch {
	case v.isText() && strings.Contains(text, "${"):
		if text, ok = v.expanded(text); !ok {
			return false, false
		}
	case !v.isScalar("!!bool"):
		v.unwanted("true or false")
		return false, false
	}
	switch strings.ToLower(text) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	v.problem("want true or false, found %q", text)
	return false, false
}

// oneOf returns a text that is one of the choices.
func (v value) oneOf(choices ...string) (string, bool) {
	text, ok := v.text()
	if ok && !slices.Contains(choices, text) {
		v.problem("%q is not one of %s%s", text, strings.Join(choices, ", "), DidYouMean(text, choices))
		return "", false
	}
	return text, ok
}
