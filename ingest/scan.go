package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// scanAll lists the whole folder, and forgets the files that are gone.
func (w *Watcher) scanAll() {
	seen := map[string]bool{}
	away := w.away
	w.away = false
	w.scan(w.folder.Dir, seen)
	w.files.keepOnly(seen)
	if away && !w.away {
		delete(w.told, w.folder.Dir) // the next time is another
	}
}

// scan lists dir and the folders in it, watches each, and adds the files that
// are there to seen. A folder is watched before it is listed, so that no file
// falls between the two.
func (w *Watcher) scan(dir string, seen map[string]bool) {
	// The function handles every error itself, so WalkDir returns none.
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if path == w.folder.Dir {
				w.away = true
			}
			if path == w.folder.Dir || !errors.Is(err, fs.ErrNotExist) {
				w.tell(path, fmt.Errorf("list folder: %w", err))
			}
			return fs.SkipDir
		}
		if !entry.IsDir() {
			w.lookAtFile(path, seen)
			return nil
		}
		if !w.folder.enters(path) {
			return fs.SkipDir
		}
		if err := w.notes.watch(path); err != nil {
			w.tell(path, fmt.Errorf("watch folder (it is still listed every %v): %w", w.folder.Rescan, err))
		}
		return nil
	})
}

// look takes note of what is at path now, if anything.
func (w *Watcher) look(path string) {
	path = filepath.Clean(path)
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		w.files.gone(path)
	case info.IsDir() && w.folder.enters(path):
		w.scan(path, map[string]bool{})
	default:
		w.lookAtFile(path, map[string]bool{})
	}
}

func (w *Watcher) lookAtFile(path string, seen map[string]bool) {
	if _, is := isAside(path); !is && !w.folder.takes(w.folder.name(path)) {
		return
	}
	info, err := os.Stat(path) // of a link's target
	if err != nil || !info.Mode().IsRegular() {
		w.files.gone(path)
		return
	}
	seen[path] = true
	w.files.saw(path, versionOf(info), time.Now())
}

// notes are the notifications of changes in watched folders. They are hints:
// a folder's truth is its listing.
type notes struct {
	events <-chan fsnotify.Event
	errors <-chan error
	watch  func(dir string) error // watching one twice is nothing new
	close  func() error
}

// openNotes starts listening. Where the machine allows no more of it, that is
// reported and the folder is just listed from time to time.
func openNotes(report func(error)) notes {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		report(fmt.Errorf("listen to changes of folders (they are still listed): %w", err))
		return notes{watch: func(string) error { return nil }, close: func() error { return nil }}
	}
	return notes{events: watcher.Events, errors: watcher.Errors, watch: watcher.Add, close: watcher.Close}
}
