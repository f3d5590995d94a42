package config

import "slices"

// CSV says how a stream's CSV is written.
type CSV struct {
	Delimiter byte     // between the cells of a record
	Quote     byte     // around a cell
	Escape    byte     // takes the meaning from the character after it inside of quotes; 0: quotes are doubled
	Header    []string // the names of the columns where files do not begin with them; empty: they do
	Null      string   // the unquoted cell that is NULL
	Own       bool     `json:"-"` // the delimiter was given for some files alone; never of a declaration
}

// usualCSV is what a stream of CSV has that says nothing else.
var usualCSV = CSV{Delimiter: ',', Quote: '"'}

func (v value) csv() CSV {
	out := usualCSV
	f := v.fields("delimiter", "quote", "escape", "header", "null_text")
	for _, c := range []struct {
		key string
		to  *byte
	}{{"delimiter", &out.Delimiter}, {"quote", &out.Quote}, {"escape", &out.Escape}} {
		if v, ok := f.get(c.key); ok {
			*c.to = v.character()
		}
	}
	if v, ok := f.get("header"); ok {
		out.Header = v.header()
	}
	if v, ok := f.get("null_text"); ok {
		out.Null, _ = v.anyText()
	}
	if out.Delimiter == out.Quote || out.Delimiter == out.Escape {
		v.problem("its delimiter is also its quote or escape; want another character for each")
	}
	return out
}

// character reads one that stands between or around cells.
func (v value) character() byte {
	text, ok := v.anyText()
	switch {
	case !ok:
		return 0
	case len(text) != 1 || text[0] >= 0x80 || text[0] == '\n' || text[0] == '\r' || text[0] == 0:
		v.problem(`%q: want one ASCII character other than a line end, such as ";" or "\t"`, text)
		return 0
	}
	return text[0]
}

// header reads the names of the columns of files that have none.
func (v value) header() []string {
	var out []string
	for _, item := range v.items("a list of column names such as [id, time], in the order of the files", false) {
		name, ok := item.text()
		if ok && slices.Contains(out, name) {
			item.problem("%q is here twice", name)
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		v.problem("names no column; leave it out where files begin with their names")
	}
	return out
}

// optional reads which of a stream's columns may be missing in a file's header.
func (v value) optional(s Stream) []string {
	var out []string
	for _, item := range v.items("a list of columns such as [discount]", true) {
		name, ok := item.text()
		if !ok {
			continue
		}
		if !s.declares(name) {
			item.problem("%q is not one of the stream's columns%s", name, DidYouMean(name, s.columnNames()))
		}
		out = append(out, name)
	}
	return out
}

func (s Stream) declares(name string) bool { return slices.Contains(s.columnNames(), name) }

func (s Stream) columnNames() []string {
	names := make([]string, len(s.Spec.Columns))
	for i, c := range s.Spec.Columns {
		names[i] = c.Name
	}
	return names
}
