package objstore

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// List implements Store. It reads the folder that prefix names and those below
// that can hold wanted keys, and looks up sizes and times only of the rows it returns.
// Only regular files are objects; names that start with a dot are not ours.
func (f *Folder) List(ctx context.Context, prefix, after string, limit int) ([]Object, error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, fmt.Errorf("list objects: %w", err)
	}
	w := walk{ctx: ctx, folder: f, prefix: prefix, after: after, limit: limit}
	if err := w.dir(folderOf(prefix)); err != nil {
		return nil, fmt.Errorf("list %s: %w", f.URL(prefix), err)
	}
	return w.found, nil
}

// walk is one listing under way.
type walk struct {
	ctx           context.Context
	folder        *Folder
	prefix, after string
	limit         int
	found         []Object
}

// name is one entry of a folder: a file by its key, or a folder by its key
// and a slash. Their byte order is the order of the keys in and under them,
// which is not that of bare names: "a-b" < "a/b", though "a" < "a-b".
type name struct {
	key   string
	entry fs.DirEntry
}

// dir adds the wanted objects under base, which is empty or ends with a slash.
func (w *walk) dir(base string) error {
	names, err := w.wanted(base)
	if err != nil {
		return err
	}
	for _, n := range names {
		if len(w.found) >= w.limit {
			return nil
		}
		if n.entry.IsDir() {
			err = w.dir(n.key)
		} else {
			err = w.file(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) file(n name) error {
	info, err := n.entry.Info()
	switch {
	case err == nil && info.Mode().IsRegular():
		w.found = append(w.found, Object{Key: n.key, Size: info.Size(), Modified: info.ModTime()})
	case err != nil && !isAbsent(err): // absent: deleted since it was read
		return err
	}
	return nil
}

// wanted returns base's entries that are or may hold wanted objects, in order.
// Entries are left out before they are sorted: a log's reader wants the few
// newest of very many.
func (w *walk) wanted(base string) ([]name, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := readDir(w.folder.LocalPath(base))
	if err != nil {
		return nil, err
	}
	var names []name
	for _, entry := range entries {
		n := name{key: base + entry.Name(), entry: entry}
		if entry.IsDir() {
			n.key += "/"
		}
		if w.wants(n) && entry.Name()[0] != '.' {
			names = append(names, n)
		}
	}
	slices.SortFunc(names, func(a, b name) int { return cmp.Compare(a.key, b.key) })
	return names, nil
}

func (w *walk) wants(n name) bool {
	if n.entry.IsDir() {
		return (strings.HasPrefix(n.key, w.prefix) || strings.HasPrefix(w.prefix, n.key)) &&
			(n.key > w.after || strings.HasPrefix(w.after, n.key))
	}
	return n.entry.Type().IsRegular() && strings.HasPrefix(n.key, w.prefix) && n.key > w.after
}

// openDir opens a folder. Of all else, ENOTDIR says what it is; to open a named pipe would wait for its writer.
func openDir(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY, 0)
}

// readDir is os.ReadDir without the sorting. An absent folder is empty.
func readDir(path string) ([]fs.DirEntry, error) {
	dir, err := openDir(path)
	if isAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if isAbsent(err) { // removed while it was read, or a file, which holds no keys
		return nil, nil
	}
	return entries, err
}
