package ingest

import (
	"maps"
	"slices"
	"time"
)

// settling knows the files of a watched folder and says when each is due. It
// is told what is seen and what came of it; it looks at no file and no clock.
type settling struct {
	settle, retry, patience time.Duration
	growing                 bool                   // files are due while they still change
	files                   map[string]fileVersion // by path
	pending                 map[string]*candidate  // those of files with something left to do
	dues                    dues
	unlanded                map[string]time.Time // when each file was first seen that has not landed, by path
}

// candidate is one version of a file with something left to do.
type candidate struct {
	since      time.Time // when this version was first seen
	due        time.Time // when to act on it
	unfinished error     // why it has no end yet: it is only due to be reported
	landed     bool      // it is only due to be put away
	whole      wholeness // in the lake, once it has landed
	told       string    // what was reported of it last
}

func newSettling(f Folder) *settling {
	return &settling{
		settle: f.Settle, retry: f.Rescan, patience: f.Patience, growing: f.Tail,
		files: map[string]fileVersion{}, pending: map[string]*candidate{}, unlanded: map[string]time.Time{},
	}
}

// saw takes note of the version a file has now.
func (s *settling) saw(path string, version fileVersion, now time.Time) {
	if known, seen := s.files[path]; seen && known == version {
		return
	}
	c := &candidate{since: now}
	due := now.Add(s.settle)
	if before := s.pending[path]; s.growing && before != nil && before.due.Before(due) {
		due = before.due
	}
	s.files[path], s.pending[path] = version, c
	if _, waits := s.unlanded[path]; !waits {
		s.unlanded[path] = now
	}
	s.dueAt(path, due)
}

// dueAt says when to act on a pending file.
func (s *settling) dueAt(path string, at time.Time) {
	s.pending[path].due = at
	s.dues.push(path, at)
}

// gone forgets a file.
func (s *settling) gone(path string) {
	delete(s.files, path)
	delete(s.pending, path)
	delete(s.unlanded, path)
}

// keepOnly forgets all files that are not in seen.
func (s *settling) keepOnly(seen map[string]bool) {
	maps.DeleteFunc(s.files, func(path string, _ fileVersion) bool { return !seen[path] })
	maps.DeleteFunc(s.pending, func(path string, _ *candidate) bool { return !seen[path] })
	maps.DeleteFunc(s.unlanded, func(path string, _ time.Time) bool { return !seen[path] })
}

// isDue tells whether there is something to do about a file.
func (s *settling) isDue(path string, now time.Time) bool {
	c := s.pending[path]
	return c != nil && !c.due.After(now)
}

// allDue lists the files that are due, by name. They have to be asked for again by
// dueAt if they are to be due once more.
func (s *settling) allDue(now time.Time) []string {
	var due []string
	for {
		first, ok := s.next()
		if !ok || first.After(now) {
			break
		}
		due = append(due, s.dues.pop().path)
	}
	slices.Sort(due)
	return slices.Compact(due)
}

// next returns when the next file is due, or not ok where none is.
func (s *settling) next() (at time.Time, ok bool) {
	for len(s.dues) > 0 {
		first := s.dues[0]
		if c := s.pending[first.path]; c != nil && c.due.Equal(first.at) {
			return first.at, true
		}
		s.dues.pop() // it was put off, done, or is gone
	}
	return at, false
}

// The following say what came of a file that was due.

// landed says that the file has nothing that has not landed.
func (s *settling) landed(path string) { delete(s.unlanded, path) }

// oldest returns since when the file is known that has waited longest to land, also one
// that was reported and left; the zero time: there is none.
func (s *settling) oldest() (since time.Time) {
	for _, at := range s.unlanded {
		if since.IsZero() || at.Before(since) {
			since = at
		}
	}
	return since
}

// handled says that this version needs nothing more.
func (s *settling) handled(path string) { delete(s.pending, path) }

// changing says that the file was seen to change.
func (s *settling) changing(path string, now time.Time) {
	s.pending[path].since = now
	s.dueAt(path, now.Add(s.settle))
}

// endMissing says that the file is unfinished. Only another version can have
// the end, so this one is due once more only to be reported.
func (s *settling) endMissing(path string, why error) {
	c := s.pending[path]
	c.unfinished = why
	s.dueAt(path, c.since.Add(s.patience))
}

// again says that the fault was not the file's: it is to be tried later.
func (s *settling) again(path string, now time.Time) { s.dueAt(path, now.Add(s.retry)) }
