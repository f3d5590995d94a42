package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"strandline/internal/datafile"
	"strandline/landing"
)

// columnFields gathers what fields a stream's columns are read from.
type columnFields struct {
	of map[string][]landing.Path // by column, where it is not the field of its name alone
	by map[string]string         // the column that a field is read by
}

// columnOf reads {type: …, path: …, aliases: […]}.
func (e entry) columnOf(known columnFields) (t datafile.Type) {
	f := e.fields("type", "path", "aliases")
	if v, ok := f.need("type", "such as VARCHAR"); ok {
		t, _ = v.columnType()
	}
	paths := []landing.Path{{e.name}}
	if v, ok := f.get("path"); ok {
		paths[0] = v.fieldPath()
	}
	known.add(e.value, e.name, paths[0])
	if v, ok := f.get("aliases"); ok {
		for _, item := range v.items("a list of fields such as [magnitude, old.mag]", true) {
			path := item.fieldPath()
			known.add(item, e.name, path)
			paths = append(paths, path)
		}
	}
	if len(paths) > 1 || !slices.Equal(paths[0], landing.Path{e.name}) {
		known.of[e.name] = paths
	}
	return t
}

// fieldPath reads where a field is: names with points between them, or a list of
// names, which may have points in them.
func (v value) fieldPath() (path landing.Path) {
	if v.node.Kind == yaml.SequenceNode {
		for _, item := range v.items("", false) {
			name, _ := item.anyText()
			path = append(path, name)
		}
	} else if text, ok := v.text(); ok {
		path = strings.Split(text, ".")
	} else {
		return nil
	}
	if len(path) == 0 || slices.Contains(path, "") {
		v.problem("want a field such as mag, or user.id for the id in the object user, or as a list [user, id] where a name has a point in it")
		return nil
	}
	return path
}

// add notes that a column is read from a field. A field is read by one column.
func (k columnFields) add(v value, column string, path landing.Path) {
	if path == nil {
		return // which has its problem already
	}
	if other, twice := k.by[fieldKey(path)]; twice {
		v.problem("column %s is already read from the field %s: one field is one column", other, path)
		return
	}
	k.by[fieldKey(path)] = column
}

// flatten adds to each field within an object the one that formats without objects,
// and people who flatten theirs, write for it: user.id. Another column's stays its own.
func (k columnFields) flatten(columns []datafile.Column) {
	for _, c := range columns {
		for _, path := range k.of[c.Name] {
			flat := landing.Path{path.String()}
			if _, taken := k.by[fieldKey(flat)]; len(path) > 1 && !taken {
				k.by[fieldKey(flat)] = c.Name
				k.of[c.Name] = append(k.of[c.Name], flat)
			}
		}
	}
}

// fieldKey tells any two paths apart.
func fieldKey(path landing.Path) string { return strings.Join(path, "\x00") }
