// Package scratch gives a process a local folder of its own for files that are
// worth nothing once it has ended, and clears away those of processes that
// ended without doing so.
package scratch

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
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

// Dir is one process's scratch folder, which is made when it is first needed. The lock in it is held
// from then on for as long as the process lives, however it ends.
// It is safe for concurrent use.
type Dir struct {
	path string

	mu   sync.Mutex
	lock *os.File // nil: it was not made yet
	subs []string // the folders in it
}

// Open names a scratch folder under parent (os.TempDir() if empty). It is made once it is needed: see Mend.
func Open(parent string) *Dir {
	if parent == "" {
		parent = os.TempDir()
	}
	return &Dir{path: filepath.Join(parent, prefix+rand.Text()[:13])}
}

// create makes the folder, and removes those whose process is gone.
func (d *Dir) create() error {
	parent := filepath.Dir(d.path)
	if strings.ContainsAny(parent, "*?[") {
		return fmt.Errorf("make a scratch folder in %s: the SQL engine takes *, ? and [ in a path for a pattern; set TMPDIR to another folder", parent)
	}
	sweep(parent)
	if err := os.Mkdir(d.path, 0o700); err != nil {
		return fmt.Errorf("make a scratch folder in %s: %w; set TMPDIR, or engine.temp_dir, to a folder that can be written", parent, cause(err))
	}
	lock, err := hold(filepath.Join(d.path, lockName))
	if err != nil {
		return errors.Join(fmt.Errorf("lock a scratch folder in %s: %w", parent, cause(err)), remove(d.path))
	}
	d.lock = lock
	return nil
}

// cause is an error without the name that was drawn: trouble that stays the same says the same each time.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
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

// Later names a folder in it, which Mend makes.
func (d *Dir) Later(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	path := filepath.Join(d.path, name)
	if !slices.Contains(d.subs, path) {
		d.subs = append(d.subs, path)
	}
	return path
}

// Sub makes a folder in it.
func (d *Dir) Sub(name string) (string, error) {
	path := d.Later(name)
	return path, d.Mend()
}

// Close removes the folder and all in it.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		return nil
	}
	return errors.Join(remove(d.path), d.lock.Close())
}
