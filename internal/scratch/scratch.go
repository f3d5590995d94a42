// Package scratch gives a process a local folder of its own for files that are
// worth nothing once it has ended, and clears away those of processes that
// ended without doing so.
package scratch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

const (
	prefix   = "strandline-"
	lockName = "lock"
	// mark is what the lock file of a scratch folder holds. Without it a folder is
	// not ours, whatever its name.
	mark = "a scratch folder of strandline; whoever finds this file unlocked may remove it\n"
)

// Dir is one process's scratch folder. The lock in it is held for as long as
// the process lives, however it ends.
// It is safe for concurrent use.
type Dir struct {
	path string

	mu   sync.Mutex
	lock *os.File
	subs []string // folders that were made in it
}

// Open makes a scratch folder under parent (os.TempDir() if empty) and removes
// those whose process is gone.
func Open(parent string) (*Dir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	if strings.ContainsAny(parent, "*?[") {
		return nil, fmt.Errorf("make a scratch folder in %s: the SQL engine takes *, ? and [ in a path for a pattern; set TMPDIR to another folder", parent)
	}
	sweep(parent)
	path, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, fmt.Errorf("make a scratch folder in %s: %w; set TMPDIR, or engine.temp_dir, to a folder that can be written", parent, err)
	}
	lock, err := hold(filepath.Join(path, lockName))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the scratch folder %s: %w", path, err), os.RemoveAll(path))
	}
	return &Dir{path: path, lock: lock}, nil
}

// hold locks a new file, and marks it only then: a process that clears away sees
// the mark of a living one always locked. It may hold the lock for a moment
// itself, to look for the mark.
func hold(path string) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	if err == nil {
		_, err = lock.WriteString(mark)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// Path returns the folder.
func (d *Dir) Path() string { return d.path }

// Sub makes a folder in it.
func (d *Dir) Sub(name string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	path := filepath.Join(d.path, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", fmt.Errorf("make a scratch folder: %w", err)
	}
	if !slices.Contains(d.subs, path) {
		d.subs = append(d.subs, path)
	}
	return path, nil
}

// Close removes the folder and all in it.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Join(os.RemoveAll(d.path), d.lock.Close())
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
	if err != nil {
		return
	}
	defer lock.Close()
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return
	}
	found := make([]byte, len(mark)+1)
	if n, _ := io.ReadFull(lock, found); string(found[:n]) == mark {
		_ = os.RemoveAll(path)
	}
}
