package scratch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// remove removes a folder and all in it. Who dies on the way leaves what the next finds
// and removes.
func remove(path string) error {
	steps, err := steps(path)
	for _, step := range steps {
		if err == nil {
			err = os.RemoveAll(step)
		}
	}
	return err
}

// steps is what to remove of a folder, in order: the lock goes last, since without it
// nobody knows what is left for ours, and then the folder, which is empty.
func steps(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if e.Name() != lockName {
			out = append(out, filepath.Join(path, e.Name()))
		}
	}
	return append(out, filepath.Join(path, lockName), path), err
}

// sweep removes the marked folders that nobody holds the lock of. What can't be
// removed is left for the next.
func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if path := filepath.Join(parent, e.Name()); e.IsDir() && strings.HasPrefix(e.Name(), prefix) {
			clearAway(path)
		}
	}
}

func clearAway(path string) {
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) && abandoned(path) {
		_ = os.Remove(path) // which spares it if anything is in it
	}
	if err != nil {
		return
	}
	defer lock.Close()
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return
	}
	found := make([]byte, len(mark)+1)
	if n, _ := io.ReadFull(lock, found); string(found[:n]) == mark {
		_ = remove(path)
	}
}

// making is far longer than a process takes from making a folder to locking it.
const making = time.Hour

var drawn = regexp.MustCompile(`^` + prefix + `[A-Z2-7]{13}$`)

// abandoned tells whether a folder without a lock is of a name that we draw, and no
// longer one that is being made: who made or removed it died between the two.
func abandoned(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && drawn.MatchString(filepath.Base(path)) && time.Since(info.ModTime()) > making
}
