package objstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"
)

// Folder is a store whose objects are the files under a folder of this
// machine. Any number of processes may use it at once.
//
// An object is made in this order: its bytes in a temporary file, fsync,
// link(2) to its name (the one step that decides a race), fsync the folder,
// unlink the temporary. So an object is whole or absent, and durable once
// acknowledged, whatever is killed in between. A call that finds its key
// taken syncs the folder too: the winner may not have come to that yet, and
// the loser is about to lean on what it reads there.
//
// A deletion may be undone by a power cut.
type Folder struct {
	root string
	// settled holds the folders that this process has made durable, so that
	// the chain above them is synced once.
	settled sync.Map
}

var (
	_ Store  = (*Folder)(nil)
	_ Local  = (*Folder)(nil)
	_ Looker = (*Folder)(nil)
)

// OpenFolder opens the folder at root, which the first write creates if it is
// absent, and removes the old temporaries of processes that died.
func OpenFolder(root string) (*Folder, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", root, err)
	}
	info, err := os.Stat(abs)
	switch {
	case err == nil && !info.IsDir():
		return nil, fmt.Errorf("open folder %s: it is a file; name a folder", abs)
	case err != nil && !isAbsent(err):
		return nil, fmt.Errorf("open folder %s: %w", abs, err)
	}
	f := &Folder{root: abs}
	f.sweepTemporaries()
	return f, nil
}

// Root implements Local.
func (f *Folder) Root() string { return f.root }

// LocalPath implements Local.
func (f *Folder) LocalPath(key string) string {
	return filepath.Join(f.root, filepath.FromSlash(key))
}

// Find implements Local.
func (f *Folder) Find(key string) (string, error) {
	path := f.LocalPath(key)
	if _, err := os.Stat(path); isAbsent(err) {
		return "", fmt.Errorf("find %s: %w", path, ErrNotFound)
	} else if err != nil {
		return "", fmt.Errorf("find object: %w", err)
	}
	return path, nil
}

// URL implements Store.
func (f *Folder) URL(key string) string { return f.LocalPath(key) }

// Read implements Store.
func (f *Folder) Read(ctx context.Context, key string) ([]byte, error) {
	var body []byte
	err := f.withObject(ctx, key, func(file *os.File, size int64) error {
		body = make([]byte, size)
		return readAtOnce(file, body)
	})
	return body, err
}

// readPart is how much of a file one goroutine reads, in bytes.
const readPart = 4 << 20

// readAtOnce fills body from the beginning of a file, the parts of a large one on all
// processors: to have memory made takes longer than to copy into it.
func readAtOnce(file *os.File, body []byte) error {
	var parts errgroup.Group
	for from := 0; from < len(body); from += readPart {
		part := body[from:min(from+readPart, len(body))]
		read := func() error {
			_, err := io.ReadFull(io.NewSectionReader(file, int64(from), int64(len(part))), part)
			return err
		}
		if len(body) <= readPart {
			return read()
		}
		parts.Go(read)
	}
	return parts.Wait()
}

// Has implements Looker. It opens the folder above first: a network file system may
// remember for a minute that a name was not there, until the folder is opened again.
func (f *Folder) Has(ctx context.Context, key string) (bool, error) {
	if err := begin(ctx, key); err != nil {
		return false, fmt.Errorf("look for object: %w", err)
	}
	path := f.LocalPath(key)
	above, err := openDir(filepath.Dir(path))
	if err == nil {
		defer above.Close()
		var info fs.FileInfo
		if info, err = os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			err = inTheWay{path, info.Mode(), "an object"}
		}
	}
	if err != nil && !isAbsent(err) {
		return false, fmt.Errorf("look for object: %w", err)
	}
	return err == nil, nil
}

// ReadRange implements Store.
func (f *Folder) ReadRange(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	var body []byte
	err := f.withObject(ctx, key, func(file *os.File, size int64) error {
		n, err := cut(key, offset, length, size)
		if err != nil {
			return err
		}
		body = make([]byte, n)
		_, err = file.ReadAt(body, offset)
		return err
	})
	return body, err
}

// Download implements Store.
func (f *Folder) Download(ctx context.Context, key, path string) error {
	return f.withObject(ctx, key, func(src *os.File, _ int64) error {
		return download(path, func(dst *os.File) error { return copyAll(ctx, dst, src) })
	})
}

// Delete implements Store.
func (f *Folder) Delete(ctx context.Context, key string) error {
	if err := begin(ctx, key); err != nil {
		return fmt.Errorf("delete object: %w", err)
	}
	path := f.LocalPath(key)
	// os.Remove would take an empty folder as well, which is no object.
	info, err := os.Lstat(path)
	if err == nil && info.Mode().IsRegular() {
		err = os.Remove(path)
	}
	if err != nil && !isAbsent(err) {
		return fmt.Errorf("delete object: %w", err)
	}
	return nil
}

// withObject opens key's file and hands it to use with its size in bytes.
func (f *Folder) withObject(ctx context.Context, key string, use func(*os.File, int64) error) error {
	if err := begin(ctx, key); err != nil {
		return fmt.Errorf("read object: %w", err)
	}
	file, size, err := openRegular(f.LocalPath(key))
	if err != nil {
		if isAbsent(err) {
			return fmt.Errorf("read %s: %w", f.URL(key), ErrNotFound)
		}
		return fmt.Errorf("read object: %w", err)
	}
	defer file.Close()
	if err := use(file, size); err != nil {
		return fmt.Errorf("read %s: %w", f.URL(key), err)
	}
	return nil
}

// openRegular opens a regular file; all else is no object and counts as absent.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fs.ErrNotExist
	}
	file, err := os.Open(path)
	return file, info.Size(), err
}

// begin is what every call on one key starts with.
func begin(ctx context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	return ctx.Err()
}

// isAbsent tells whether err says that a path leads nowhere. ENOTDIR says it
// when a file stands where the path wants a folder.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
