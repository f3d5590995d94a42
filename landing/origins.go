package landing

import (
	"slices"

	"strandline/internal/datafile"
)

// Origins says where a segment has the values of the columns that spec declares, by
// their names, where it is not for each simply the segment's column of that name and
// type: nil if it is. A column without origins has no value in the segment.
func (s Spec) Origins(g Segment) map[string][]datafile.Origin {
	if slices.Equal(s.Columns, g.Columns) && len(s.Fields) == 0 && len(g.Fields) == 0 {
		return nil // of nearly all segments
	}
	out := map[string][]datafile.Origin{}
	plain := true
	for _, c := range s.Columns {
		origins := s.originsOf(c, g)
		plain = plain && len(origins) == 1 && origins[0].Column == c && len(origins[0].Paths) == 0
		out[c.Name] = origins
	}
	if plain {
		return nil
	}
	return out
}

// originsOf looks for a column under its name, if any of its fields was read into that,
// and for the other fields. What was read from none of them, and had the name
// before, is another thing.
func (s Spec) originsOf(c datafile.Column, g Segment) (origins []datafile.Origin) {
	paths := s.FieldsOf(c.Name)
	var read []Path
	if i := slices.IndexFunc(g.Columns, func(k datafile.Column) bool { return k.Name == c.Name }); i >= 0 {
		read = fieldsOf(g.Fields, c.Name)
		if slices.ContainsFunc(paths, func(p Path) bool { return contains(read, p) }) {
			origins = append(origins, datafile.Origin{Column: g.Columns[i]})
		}
	}
	for _, path := range paths {
		if contains(read, path) {
			continue
		}
		if column, within, ok := s.find(path, g); ok {
			origins = addOrigin(origins, c, column, within)
		}
	}
	return origins
}

func contains(paths []Path, path Path) bool {
	return slices.ContainsFunc(paths, func(p Path) bool { return slices.Equal(p, path) })
}

// addOrigin adds a value that lies within a column: all of it, or in the JSON that it
// holds.
func addOrigin(origins []datafile.Origin, c, column datafile.Column, within Path) []datafile.Origin {
	if len(within) == 0 && (column.Type.Kind != datafile.JSON || c.Type.Kind == datafile.JSON) {
		return append(origins, datafile.Origin{Column: column})
	}
	for i := range origins {
		if origins[i].Column == column && len(origins[i].Paths) > 0 {
			origins[i].Paths = append(origins[i].Paths, within)
			return origins
		}
	}
	return append(origins, datafile.Origin{Column: column, Paths: [][]string{within}})
}

// find returns the column of a segment that holds a field, and where in it.
func (s Spec) find(path Path, g Segment) (column datafile.Column, within Path, ok bool) {
	taken := false // the outermost field is in a column, and not in extra
	for _, k := range g.Columns {
		for _, read := range fieldsOf(g.Fields, k.Name) {
			if len(read) > len(path) || !slices.Equal(read, path[:len(read)]) {
				continue
			}
			if len(read) == len(path) || k.Type.Kind == datafile.JSON {
				return k, path[len(read):], true
			}
			taken = taken || len(read) == 1
		}
	}
	switch {
	case taken:
		return datafile.Column{}, nil, false // what is no JSON has no fields
	case len(path) == 1 && contains(fieldsOf(g.Fields, s.EventTime.Column), path):
		return datafile.Column{Name: ColumnEventTime, Type: datafile.Type{Kind: datafile.TimestampTZ}}, nil, true
	}
	return datafile.Column{Name: ColumnExtra, Type: datafile.Type{Kind: datafile.JSON}}, path, true
}
