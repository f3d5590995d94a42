package objstore

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// apart is the error of a folder of the lake that no file of it can be linked into.
func (f *Folder) apart(dir string, err error) error {
	return fmt.Errorf("%s is mounted apart from %s, and a lake in a folder has to lie on one mount, since an object gets its name there by a link: unmount what is there, and mount the folder of the lake as a whole: %w",
		dir, f.root, err)
}

// checkMounts looks for folders of a lake that are other file systems than it: down to those of
// logs and of data, which are not listed. A store that is no folder has none.
func checkMounts(_ context.Context, t *trial) error {
	f, is := t.Store.(*Folder)
	if !is {
		return nil
	}
	root, err := os.Stat(f.root)
	if err != nil {
		return fmt.Errorf("look at the lake: %w", err)
	}
	for _, level := range []string{"*", "*/*", "*/*/*"} {
		found, err := fs.Glob(os.DirFS(f.root), level)
		if err != nil {
			return fmt.Errorf("look for the folders of the lake: %w", err)
		}
		for _, name := range found {
			path := filepath.Join(f.root, name)
			if info, err := os.Lstat(path); err == nil && info.IsDir() && device(info) != device(root) {
				return f.apart(path, syscall.EXDEV)
			}
		}
	}
	return nil
}

// device is the number of the file system that a file is on.
func device(info os.FileInfo) uint64 {
	if stat, known := info.Sys().(*syscall.Stat_t); known {
		return uint64(stat.Dev)
	}
	return 0
}
