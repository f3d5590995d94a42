// Package scratch gives a process a local folder of its own for files that are
// worth nothing once it has ended, and clears away those of processes that
// ended without doing so.
package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	prefix   = "strandline-"
	lockName = "lock"
)

// Dir is one process's scratch folder. The lock in it is held for as long as
// the process lives, however it ends.
type Dir struct {
	path string
	lock *os.File
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
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the scratch folder %s: %w", path, err), os.RemoveAll(path))
	}
	return &Dir{path: path, lock: lock}, nil
}

// Path returns the folder.
func (d *Dir) Path() string { return d.path }

// Sub makes a folder in it.
func (d *Dir) Sub(name string) (string, error) {
	path := filepath.Join(d.path, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", fmt.Errorf("make a scratch folder: %w", err)
	}
	return path, nil
}

// Close removes the folder and all in it.
func (d *Dir) Close() error {
	return errors.Join(os.RemoveAll(d.path), d.lock.Close())
}

// sweep removes the folders that nobody holds the lock of. What can't be
// removed, or was made a moment ago and has no lock yet, is left for the next.
func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(parent, e.Name())
		lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(path)
		}
		_ = lock.Close()
	}
}
