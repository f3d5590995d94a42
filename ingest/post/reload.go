package post

import (
	"os"
	"sync"
	"time"
)

// reloading is a value that is read from files, and again when one of them changes.
type reloading[T any] struct {
	paths   []string
	read    func() (T, error)
	trouble func(error)

	mu    sync.Mutex
	seen  []stamp // of the paths, when they were read
	value T
}

// stamp tells that a file is another than it was.
type stamp struct {
	changed time.Time
	size    int64
}

// reload reads the value a first time.
func reload[T any](read func() (T, error), trouble func(error), paths ...string) (*reloading[T], error) {
	r := &reloading[T]{paths: paths, read: read, trouble: trouble, seen: make([]stamp, len(paths))}
	r.changed()
	var err error
	r.value, err = read()
	return r, err
}

// get returns the newest value that could be read. That a newer one can't be is told once.
func (r *reloading[T]) get() T {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed() {
		value, err := r.read()
		if err != nil {
			r.trouble(err)
		} else {
			r.value = value
		}
	}
	return r.value
}

// changed looks at the files. They are replaced one after another, and each time it is
// tried again.
func (r *reloading[T]) changed() (changed bool) {
	for i, path := range r.paths {
		info, err := os.Stat(path)
		if err != nil {
			continue // it is being replaced, or is read no more
		}
		now := stamp{info.ModTime(), info.Size()}
		if now != r.seen[i] {
			r.seen[i], changed = now, true
		}
	}
	return changed
}
