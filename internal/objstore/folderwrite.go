package objstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// temporaryDir holds unfinished objects. Its dot hides it from List and
	// keeps it out of the reach of keys.
	temporaryDir = ".tmp"
	// temporaryAge is how long a temporary may go without a write before
	// OpenFolder takes its writer for dead. A live one that is so slow gets an
	// error from link(2), since temporary names are never used twice.
	temporaryAge = time.Hour
)

// Create implements Store.
func (f *Folder) Create(ctx context.Context, key string, body []byte) error {
	err := f.put(ctx, key, filled(func(file *os.File) error {
		_, err := file.Write(body)
		return err
	}))
	if err != nil {
		return fmt.Errorf("create object: %w", err)
	}
	return nil
}

// Upload implements Store. A key that is taken is ErrExists, as with Create.
func (f *Folder) Upload(ctx context.Context, key, path string) error {
	src, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("upload %q: %w", key, err)
	}
	defer src.Close()
	err = f.put(ctx, key, copied(ctx, src))
	if err != nil {
		return fmt.Errorf("upload %s: %w", path, err)
	}
	return nil
}

// filled returns what makes a file of its own from what fill writes.
func filled(fill func(*os.File) error) func(temporary string) error {
	return func(temporary string) error { return writeNew(temporary, true, fill) }
}

// copied returns what makes a copy of src.
func copied(ctx context.Context, src *os.File) func(temporary string) error {
	return filled(func(file *os.File) error { return copyAll(ctx, file, src) })
}

// put makes the object from the file that is written, whole and durable, under the name of
// a temporary.
func (f *Folder) put(ctx context.Context, key string, write func(temporary string) error) error {
	if err := begin(ctx, key); err != nil {
		return err
	}
	target := f.LocalPath(key)
	if err := f.settle(filepath.Dir(target)); err != nil {
		return notWritten(err)
	}
	// Looking first spares most losers the temporary and its fsync.
	if _, err := os.Lstat(target); err == nil {
		return f.lost(target)
	}
	if err := f.settle(filepath.Join(f.root, temporaryDir)); err != nil {
		return notWritten(err)
	}
	temporary := filepath.Join(f.root, temporaryDir, rand.Text())
	if err := write(temporary); err != nil {
		f.forgetIfGone(err)
		return notWritten(err)
	}
	// What stays behind here is only a second name of a whole object, which
	// the next sweep takes.
	defer os.Remove(temporary)
	if err := ctx.Err(); err != nil {
		return err
	}
	return f.publish(temporary, target)
}

// publish gives the finished temporary its name, if nobody has it.
func (f *Folder) publish(temporary, target string) error {
	err := os.Link(temporary, target)
	if errors.Is(err, fs.ErrExist) && !sameFile(temporary, target) {
		return f.lost(target)
	}
	// A network file system may do the link, lose the answer, ask again and
	// report EEXIST: the name is ours then.
	if err != nil && !errors.Is(err, fs.ErrExist) {
		f.forgetIfGone(err)
		if errors.Is(err, syscall.EXDEV) {
			err = f.apart(filepath.Dir(target), err)
		}
		return notWritten(err)
	}
	return syncDir(filepath.Dir(target))
}

// notWritten gives an error that came before the name was there the class
// ErrNotWritten, if its cause lasts until somebody does something. Any other may be a
// network's, which may have done what it was asked.
func notWritten(err error) error {
	for _, lasting := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EXDEV} {
		if errors.Is(err, lasting) {
			return fmt.Errorf("%w: %w", ErrNotWritten, err)
		}
	}
	return err
}

// lost reports that target is taken, once the winner's object is durable.
func (f *Folder) lost(target string) error {
	info, err := os.Lstat(target)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return inTheWay{target, info.Mode(), "an object"}
	}
	if err := syncDir(filepath.Dir(target)); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", target, ErrExists)
}

// settle makes a folder of the lake, and all above it, exist and survive a
// power cut. A folder that is there already may be one that another process
// has just made and not yet synced, so its name is synced as well, once a
// process.
func (f *Folder) settle(dir string) error {
	if _, done := f.settled.Load(dir); done {
		return nil
	}
	above := len(dir) < len(f.root)
	info, err := os.Lstat(dir)
	if parent := filepath.Dir(dir); err == nil && (above || parent == dir) {
		return nil
	}
	if err == nil && !info.IsDir() && dir != f.root {
		return inTheWay{dir, info.Mode(), "a folder of the lake"}
	}
	parent := filepath.Dir(dir)
	if err := f.settle(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// The folder above a lake may be closed to us; then it is not ours to sync.
	if err := syncDir(parent); err != nil && !(dir == f.root && errors.Is(err, fs.ErrPermission)) {
		return err
	}
	f.settled.Store(dir, nil)
	return nil
}

// forgetIfGone lets the next write make the lake's folders anew after somebody
// has removed some of them.
func (f *Folder) forgetIfGone(err error) {
	if isAbsent(err) {
		f.settled.Clear()
	}
}

// sweepTemporaries removes what dead writers left. It is housekeeping: what
// cannot be removed (a lake open for reading only) stays.
func (f *Folder) sweepTemporaries() {
	dir := filepath.Join(f.root, temporaryDir)
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && time.Since(info.ModTime()) > temporaryAge {
			os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}

func sameFile(a, b string) bool {
	one, errOne := os.Lstat(a)
	two, errTwo := os.Lstat(b)
	return errOne == nil && errTwo == nil && os.SameFile(one, two)
}
