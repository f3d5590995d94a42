package ingest

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"
)

// settling knows the files of a watched folder and says when each is due. It
// is told what is seen and what came of it; it looks at no file and no clock.
type settling struct {
	settle, retry, patience time.Duration
	files                   map[string]*candidate // by path
	pending                 map[string]*candidate // those of files with something left to do
}

// candidate is one version of a file: another size, modification time or
// inode makes another.
type candidate struct {
	version    fs.FileInfo
	since      time.Time // when this version was first seen
	due        time.Time // when to act on it, while it is pending
	unfinished bool      // its end is missing: it is only due to be reported
	told       string    // what was reported of it last
}

func newSettling(f Folder) *settling {
	return &settling{
		settle: f.Settle, retry: f.Rescan, patience: f.Patience,
		files: map[string]*candidate{}, pending: map[string]*candidate{},
	}
}

// saw takes note of the version a file has now.
func (s *settling) saw(path string, version fs.FileInfo, now time.Time) {
	if c := s.files[path]; c != nil && sameVersion(c.version, version) {
		return
	}
	c := &candidate{version: version, since: now, due: now.Add(s.settle)}
	s.files[path], s.pending[path] = c, c
}

func sameVersion(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// gone forgets a file.
func (s *settling) gone(path string) {
	delete(s.files, path)
	delete(s.pending, path)
}

// keepOnly forgets all files that are not in seen.
func (s *settling) keepOnly(seen map[string]bool) {
	unseen := func(path string, _ *candidate) bool { return !seen[path] }
	maps.DeleteFunc(s.files, unseen)
	maps.DeleteFunc(s.pending, unseen)
}

// isDue tells whether there is something to do about a file.
func (s *settling) isDue(path string, now time.Time) bool {
	c := s.pending[path]
	return c != nil && !c.due.After(now)
}

// allDue lists the files that are due, by name.
func (s *settling) allDue(now time.Time) []string {
	var due []string
	for path := range s.pending {
		if s.isDue(path, now) {
			due = append(due, path)
		}
	}
	slices.Sort(due)
	return due
}

// next returns when the next file is due, or not ok where none is.
func (s *settling) next() (at time.Time, ok bool) {
	for _, c := range s.pending {
		if !ok || c.due.Before(at) {
			at, ok = c.due, true
		}
	}
	return at, ok
}

// The following say what came of a file that was due.

// handled says that this version needs nothing more.
func (s *settling) handled(path string) { delete(s.pending, path) }

// changing says that the file was seen to change.
func (s *settling) changing(path string, now time.Time) {
	c := s.pending[path]
	c.since, c.due = now, now.Add(s.settle)
}

// endMissing says that the file is unfinished. Only another version can have
// the end, so this one is due once more only to be reported.
func (s *settling) endMissing(path string) {
	c := s.pending[path]
	c.unfinished, c.due = true, c.since.Add(s.patience)
}

// again says that the fault was not the file's: it is to be tried later.
func (s *settling) again(path string, now time.Time) { s.pending[path].due = now.Add(s.retry) }
