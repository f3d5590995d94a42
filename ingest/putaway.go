package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Action is what becomes of a file of a watched folder once the landing log has its
// content. Links are left as they are.
type Action string

// The actions.
const (
	ActionKeep   Action = "keep"
	ActionDelete Action = "delete"
	ActionMove   Action = "move" // to the same name under another folder of the same file system
)

// putsAway tells whether files that have landed go.
func (f Folder) putsAway() bool {
	return f.AfterLanding == ActionDelete || f.AfterLanding == ActionMove
}

// putAway does with a file what the folder says, now that version landed of it has
// landed. It leaves anything else that is there now. Whoever dies in the middle leaves
// the file aside, and the next listing puts it back: it is known, and put away again.
//
// The name is taken aside before the last look, so that a file which is put in its
// place meanwhile is not the one that goes.
func (f Folder) putAway(path string, landed fileVersion) error {
	if !f.putsAway() {
		return nil
	}
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || versionOf(info) != landed {
		return ignoreGone(err)
	}
	aside, err := takeAside(path)
	if err != nil {
		return ignoreGone(err)
	}
	defer leave(aside)
	info, err = os.Lstat(aside)
	if err == nil && versionOf(info).movedFrom(landed) {
		if err = f.dispose(aside, f.name(path)); err == nil {
			return nil
		}
	}
	return errors.Join(ignoreGone(err), putBack(aside, path))
}

// ignoreGone is nil for a file that somebody else took away.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// dispose deletes or moves a file that was taken aside.
func (f Folder) dispose(aside, name string) error {
	if f.AfterLanding == ActionDelete {
		return ignoreGone(os.Remove(aside))
	}
	target := filepath.Join(f.MoveTo, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return err
	}
	for n := 1; ; n++ {
		to := target
		if n > 1 { // another file of that name came before
			to = numbered(target, n)
		}
		if err := moveTo(aside, to); !errors.Is(err, fs.ErrExist) {
			return ignoreGone(err)
		}
	}
}

// numbered adds a number to the name of a file, of which as much stays as there is room
// for.
func numbered(path string, n int) string {
	dir, base := filepath.Split(path)
	number := fmt.Sprintf(".%d", n)
	return dir + base[:min(len(base), longestName-len(number))] + number
}

// moveTo renames a file to a name that must be free, or be the file's already. The new
// name is on disk before the old one goes.
func moveTo(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil, errors.Is(err, fs.ErrExist) && isSameFile(from, to):
		if err := syncFolder(filepath.Dir(to)); err != nil {
			return err
		}
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return err
	}
	// The file system has no links, or it is another one.
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

func isSameFile(a, b string) bool {
	first, err := os.Lstat(a)
	if err != nil {
		return false
	}
	second, err := os.Lstat(b)
	return err == nil && os.SameFile(first, second)
}

func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = folder.Sync() // some file systems can't, and have no more to give
	return folder.Close()
}
