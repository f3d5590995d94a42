package config

import (
	"path"

	"go.yaml.in/yaml/v3"

	"strandline/internal/datafile"
	"strandline/landing"
)

// streamColumns is what jobs may lean on: the declared columns of each
// declared stream, also of one that has problems of its own.
type streamColumns map[string][]datafile.Column

func (v value) streams(known streamColumns) []Stream {
	var out []Stream
	for _, e := range v.entries("a map with a stream or more") {
		s := e.stream()
		known[e.name] = s.Spec.Columns
		out = append(out, s)
	}
	if v.isEmpty(yaml.MappingNode) {
		v.problemAt(v.key, "declares no stream")
	}
	return out
}

func (e entry) stream() Stream {
	e.named("stream")
	f := e.fields("format", "delimiter", "event_time", "columns", "dir", "retain")
	s := Stream{Name: e.name, Spec: landing.Spec{Stream: e.name}}
	if v, ok := f.need("format", "ndjson or csv"); ok {
		format, _ := v.oneOf(string(FormatNDJSON), string(FormatCSV))
		s.Format = Format(format)
	}
	if s.Format == FormatCSV {
		s.Delimiter = ','
	}
	if v, ok := f.get("delimiter"); ok {
		s.Delimiter = v.delimiter(s.Format)
	}
	if v, ok := f.need("event_time", "{column: …, unit: …} says which field is the event time and what it means"); ok {
		s.Spec.EventTime = v.eventTime()
	}
	if v, ok := f.need("columns", "a map of column names to types, such as {id: VARCHAR}"); ok {
		v.columns(&s.Spec)
	}
	if v, ok := f.get("dir"); ok {
		s.Dir = v.watched()
	}
	if v, ok := f.get("retain"); ok && !v.isNothing() {
		s.Retain = v.retain()
	}
	return s
}

func (v value) delimiter(format Format) byte {
	text, ok := v.anyText()
	switch {
	case !ok:
		return 0
	case format == FormatNDJSON:
		v.problem("only csv has a delimiter")
	case len(text) != 1 || text[0] >= 0x80 || text[0] == '"' || text[0] == '\n' || text[0] == '\r' || text[0] == 0:
		v.problem(`%q: want one ASCII character other than a quote or a line end, such as ";" or "\t"`, text)
	default:
		return text[0]
	}
	return 0
}

func (v value) watched() *Dir {
	d := &Dir{Settle: DefaultSettle}
	if v.isText() {
		d.Path, _ = v.folder()
		return d
	}
	f := v.fields("path", "include", "exclude", "settle")
	if v, ok := f.need("path", "the folder to watch"); ok {
		d.Path, _ = v.folder()
	}
	if v, ok := f.get("include"); ok {
		d.Include = v.patterns()
	}
	if v, ok := f.get("exclude"); ok {
		d.Exclude = v.patterns()
	}
	if v, ok := f.get("settle"); ok {
		d.Settle = v.notNegative()
	}
	return d
}

func (v value) patterns() []string {
	var out []string
	for _, item := range v.items(`a list of patterns such as ["*.ndjson"]`, true) {
		text, ok := item.text()
		if !ok {
			continue
		}
		if _, err := path.Match(text, ""); err != nil {
			item.problem(`%q is not a pattern (* any characters, ? one, [a-z] a range, \ before one that is meant)`, text)
		}
		out = append(out, text)
	}
	return out
}
