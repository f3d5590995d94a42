package post

import (
	"os"
	"slices"
	"sync"

	"strandline/ingest"
)

// reloading is a value that is read from files, and again when one of them changes.
type reloading[T any] struct {
	paths   []string
	read    func(before T) (T, error) // with an error too it returns what to go on with
	trouble func(error)

	mu    sync.Mutex
	seen  []string // versions of the files, when they were read
	value T
	ill   bool // the last reading went wrong
}

// reload reads the value a first time.
func reload[T any](read func(before T) (T, error), trouble func(error), paths ...string) (*reloading[T], error) {
	r := &reloading[T]{paths: paths, read: read, trouble: trouble, seen: versionsOf(paths)}
	var err error
	r.value, err = read(r.value)
	return r, err
}

// get returns the value as the files are now. That they can't be read is told once for each
// change of them; until they can be it is tried again.
func (r *reloading[T]) get() T {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := versionsOf(r.paths)
	changed := !slices.Equal(now, r.seen)
	if !changed && !r.ill {
		return r.value
	}
	var err error
	r.value, err = r.read(r.value)
	if err != nil && (changed || !r.ill) {
		r.trouble(err)
	}
	r.seen, r.ill = now, err != nil
	return r.value
}

// versionsOf tells which files are at the paths; "" is none.
func versionsOf(paths []string) []string {
	versions := make([]string, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			versions[i] = ingest.VersionOf(info)
		}
	}
	return versions
}
