package sim

import (
	"fmt"
	"slices"
	"strings"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/landing"
	"strandline/manifests"
)

// files is what the model knows of data files.
type files struct {
	named     map[string]bool            // keys that some entry named: what they hold was looked at
	segments  map[string]landing.Segment // by id, those that the landing log names now
	condemned map[string]bool            // ids
	gone      map[string]bool            // keys of what was removed, entries included
	oldest    manifests.Version          // of the table, that is kept
}

func newFiles() files {
	return files{named: map[string]bool{}, segments: map[string]landing.Segment{}, condemned: map[string]bool{}, gone: map[string]bool{}}
}

// names looks whether an entry may name a file. It is true if one did before.
func (m *model) names(key string) (before bool, err error) {
	switch {
	case m.files.condemned[freshID.FindString(key)]:
		return false, fmt.Errorf("an entry names a condemned file: %s", key)
	case m.files.gone[key]:
		return false, fmt.Errorf("an entry names a file that was removed: %s", key)
	}
	before = m.files.named[key]
	m.files.named[key] = true
	return before, nil
}

// condemns looks at what a sweep condemns: nothing that is named.
func (m *model) condemns(ids []string) error {
	for _, id := range ids {
		if m.isNamed(id) {
			return fmt.Errorf("a file was condemned that is named: %s", id)
		}
		m.files.condemned[id] = true
	}
	return nil
}

// isNamed tells whether the landing log, or a version of the table that is kept,
// names a file.
func (m *model) isNamed(id string) bool {
	if _, named := m.files.segments[id]; named {
		return true
	}
	isIt := func(f manifests.File) bool { return f.ID == id }
	for _, v := range m.versions[max(m.files.oldest, 1)-1:] {
		for _, r := range v.table {
			if slices.ContainsFunc(r.Files, isIt) {
				return true
			}
		}
		for _, r := range v.held {
			if slices.ContainsFunc(r.Files, isIt) {
				return true
			}
		}
	}
	return false
}

// removed looks at an object that is about to go.
func (m *model) removed(key string) error {
	id := freshID.FindString(key)
	switch {
	case strings.HasPrefix(key, "selftest/"):
		return nil
	case id == "":
		return m.trimmed(key)
	case m.isNamed(id):
		return fmt.Errorf("a live file was removed: %s", key)
	case m.files.named[key] && !m.files.condemned[id]:
		return fmt.Errorf("a file was removed that no sweep condemned: %s", key)
	}
	m.files.gone[key] = true
	return nil
}

// holds looks at a segment that an entry names: its file is there, and holds the
// very rows of its positions.
func (m *model) holds(s landing.Segment) error {
	key := fmt.Sprintf("landing/sales/data/%s.parquet", s.ID)
	if _, err := m.names(key); err != nil {
		return err
	}
	summary, err := m.file(key, func(row []datafile.Value) error {
		at := s.Base + landing.Position(row[0].Int64())
		if digest.OfRow(datafile.AppendRow(nil, landedColumns, row[1:])) != m.rowAt(at) {
			return fmt.Errorf("row %d of segment %s is not what arrived", at, s.ID)
		}
		return nil
	})
	if err != nil || summary.Rows != s.Rows {
		return fmt.Errorf("a segment is not what the log says: %d rows of %d: %w", summary.Rows, s.Rows, err)
	}
	m.files.segments[s.ID] = s
	return nil
}

// rowAt is the digest of what arrived at a position.
func (m *model) rowAt(at landing.Position) (none digest.Sum128) {
	for _, a := range m.arrivals {
		if a.from <= at && at < a.to {
			return a.digests[at-a.from]
		}
	}
	return none
}

// compacted looks at a compaction: it puts a segment in the place of those that hold
// its positions.
func (m *model) compacted(c *landing.Compaction) error {
	next := c.Segment.Base
	for _, id := range c.Replaced {
		s, named := m.files.segments[id]
		if !named || s.Base != next {
			return fmt.Errorf("a compaction replaces what is not there: segment %s at %d", id, next)
		}
		next = s.End()
		delete(m.files.segments, id)
	}
	if next != c.Segment.End() {
		return fmt.Errorf("a compaction replaces other positions: up to %d, not %d", next, c.Segment.End())
	}
	return m.holds(c.Segment)
}

// sweeps looks at what an edit of a sweep says.
func (m *model) sweeps(number uint64, e manifests.Edit) error {
	if e.Oldest > 0 {
		if e.Oldest < m.files.oldest || uint64(e.Oldest) >= number {
			return fmt.Errorf("versions expired that can't: those below %d, after %d", e.Oldest, m.files.oldest)
		}
		m.files.oldest = e.Oldest
	}
	if e.Condemned == nil {
		return nil
	}
	return m.condemns(e.Condemned.Files)
}
