package ingest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Lies tells whether a folder is another, or lies in it, by whatever names and links
// they are reached. What of either path does not exist yet lies where it would be made.
func Lies(folder, in string) (bool, error) {
	outer, rest, err := resolve(in)
	if err != nil {
		return false, err
	}
	at, below, err := resolve(folder)
	if err != nil {
		return false, err
	}
	for {
		same, err := sameFolder(at, outer)
		if err != nil {
			return false, err
		}
		if same {
			return beginsWith(below, rest), nil
		}
		above := filepath.Dir(at)
		if above == at {
			return false, nil
		}
		at, below = above, filepath.Join(filepath.Base(at), below)
	}
}

// resolve returns the deepest folder of a path that exists, without links, and what of
// the path comes below it, or "".
func resolve(path string) (folder, rest string, err error) {
	for {
		folder, err = filepath.EvalSymlinks(path)
		above := filepath.Dir(path)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || above == path {
			return folder, rest, err
		}
		path, rest = above, filepath.Join(filepath.Base(path), rest)
	}
}

func sameFolder(a, b string) (bool, error) {
	one, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two), err
}

// beginsWith tells whether a relative path is another or lies below it; "" is where both
// begin.
func beginsWith(path, with string) bool {
	if with == "" {
		return true
	}
	rel, err := filepath.Rel(with, path)
	return err == nil && path != "" && filepath.IsLocal(rel)
}
