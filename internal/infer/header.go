package infer

import (
	"fmt"
	"slices"

	"strandline/ingest"
)

// header makes up names for the columns of CSV that does not begin with them; nil where
// it does. Files that begin with names and files that don't land in no one stream.
func (s *Sample) header() ([]string, error) {
	if s.Format != ingest.FormatCSV {
		return nil, nil
	}
	var named, bare []source
	for _, from := range s.sources {
		switch {
		case !from.headed:
		case s.lacksHeader(from):
			bare = append(bare, from)
		default:
			named = append(named, from)
		}
	}
	if len(bare) == 0 {
		return nil, nil
	}
	if len(named) > 0 {
		return nil, fmt.Errorf("%s seems to begin with values, and %s begins with the names of its columns: a stream's files all begin with names, or none does: "+
			"write names into the first line of %[1]s, or look at each kind with a DIR of its own (strandline init DIR --from FILE)", bare[0].path, named[0].path)
	}
	for _, from := range bare[1:] {
		if len(from.names) != len(bare[0].names) {
			return nil, fmt.Errorf("%s and %s seem to begin with values, and have %d and %d columns: where names are missing all files of a stream have the same columns: look at each kind with a DIR of its own (strandline init DIR --from FILE)",
				bare[0].path, from.path, len(bare[0].names), len(from.names))
		}
	}
	return madeUp(len(bare[0].names)), nil
}

// lacksHeader tells whether the first record of CSV seems to hold no names but values:
// the name of what looks like the event time is an instant itself.
func (s *Sample) lacksHeader(from source) bool {
	columns, _ := s.columns()
	for _, c := range s.times(columns) {
		if slices.Contains(from.names, c.field.name) {
			return c.field.times[0].fits('"', []byte(c.field.name))
		}
	}
	return from.records == 0 && slices.ContainsFunc(from.names, func(name string) bool {
		return slices.ContainsFunc(meanings, func(m meaning) bool { return m.fits('"', []byte(name)) })
	})
}

// madeUp are names for columns that have none.
func madeUp(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("column_%d", i+1)
	}
	return names
}
