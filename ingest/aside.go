package ingest

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// asidePrefix begins the hidden names of files that are being put away, and of folders
// that hold one whose name is too long to have more before it.
const asidePrefix = ".strandline-"

// asideMark is how many letters after that make the name one that nothing else has.
const asideMark = 8

// longestName is how many bytes the name of a file may have, as most file systems have it.
const longestName = 255

func freshAside() string { return asidePrefix + rand.Text()[:asideMark] }

func asideOf(path string) string {
	dir, base := filepath.Split(path)
	mark := freshAside()
	if len(mark)+1+len(base) > longestName {
		return filepath.Join(dir, mark, base)
	}
	return dir + mark + "-" + base
}

// takeAside gives a file a hidden name.
func takeAside(path string) (aside string, err error) {
	aside = asideOf(path)
	if hidden := filepath.Dir(aside); isAsideFolder(hidden) {
		if err := os.Mkdir(hidden, 0o777); err != nil {
			return "", err
		}
	}
	if err := os.Rename(path, aside); err != nil {
		leave(aside)
		return "", err
	}
	return aside, nil
}

// leave removes the folder that a file was taken aside to, now that the file is not in
// it any more. One that is not empty stays.
func leave(aside string) {
	if hidden := filepath.Dir(aside); isAsideFolder(hidden) {
		_ = os.Remove(hidden)
	}
}

// isAsideFolder tells whether a folder is one that holds a file which was taken aside.
func isAsideFolder(dir string) bool {
	mark, is := strings.CutPrefix(filepath.Base(dir), asidePrefix)
	return is && len(mark) == asideMark
}

// isAside returns the name that a file had before it was taken aside.
func isAside(path string) (before string, is bool) {
	dir, base := filepath.Split(path)
	if hidden := filepath.Clean(dir); isAsideFolder(hidden) {
		return filepath.Join(filepath.Dir(hidden), base), true
	}
	rest, is := strings.CutPrefix(base, asidePrefix)
	if !is || len(rest) < asideMark+2 || rest[asideMark] != '-' {
		return "", false
	}
	return dir + rest[asideMark+1:], true
}

// putBack gives a file that was taken aside its name again. Where another file has it
// by now, the one aside has to wait until that is away.
func putBack(aside, path string) error {
	err := moveTo(aside, path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	leave(aside)
	return ignoreGone(err)
}
