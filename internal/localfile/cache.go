// Package localfile brings a lake's immutable data files to local paths, which
// is where the SQL engine and the Parquet reader read. On a folder lake the
// files are read where they are; from other stores they are copied once and
// kept while there is room.
package localfile

import (
	"container/list"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"strandline/internal/objstore"
)

// DefaultMaxBytes is how many bytes of copies a cache keeps if not told else.
const DefaultMaxBytes = 4 << 30

// Cache holds local copies of a lake's data files. It never sees a key change:
// data files are written once. It is safe for concurrent use.
type Cache struct {
	// Mend, if not nil, makes the folder of the copies where it is missing. It is set before the first use.
	Mend func() error

	store objstore.Store
	dir   string
	max   int64

	mu      sync.Mutex
	entries map[string]*entry
	idle    *list.List      // of *entry, the longest unused first
	bytes   int64           // of all copies, in use or idle
	checked map[string]seen // files whose digest was found right, by path
}

// entry is one copy, or one on its way.
type entry struct {
	key, path string
	size      int64
	users     int
	idle      *list.Element
	ready     chan struct{} // closed when err and size are final
	err       error
}

// New returns a cache that keeps its copies in dir, a folder that is the caller's to make, or to have Mend make, and
// to remove. It keeps up to maxBytes of copies that nobody uses;
// those in use are never counted out.
func New(store objstore.Store, dir string, maxBytes int64) *Cache {
	return &Cache{store: store, dir: dir, max: maxBytes, entries: map[string]*entry{}, idle: list.New(), checked: map[string]seen{}}
}

// Get returns a local path that holds key's bytes until release is called. On a folder
// lake others may remove the file all the same: who reads it passes his errors to Gone.
func (c *Cache) Get(ctx context.Context, key string) (path string, release func(), err error) {
	if local, ok := c.store.(objstore.Local); ok && !strings.ContainsAny(local.LocalPath(key), patternCharacters) {
		path, err := local.Find(key)
		return path, func() {}, err
	}
	for {
		e, mine := c.claim(key)
		if mine {
			c.fill(ctx, e)
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			c.release(e)
			return "", nil, ctx.Err()
		}
		if e.err == nil {
			return e.path, sync.OnceFunc(func() { c.release(e) }), nil
		}
		c.release(e)
		// Another caller's cancelled download is no answer to this one.
		if mine || ctx.Err() != nil {
			return "", nil, e.err
		}
	}
}

// Fetch is Get for several files, each of which must be what is expected of it:
// ErrDamaged if it is not. The paths are in the order of the files; see Get for how
// long they hold.
func (c *Cache) Fetch(ctx context.Context, files []File) (paths []string, release func(), err error) {
	var releases []func()
	release = func() {
		for _, r := range releases {
			r()
		}
	}
	for _, file := range files {
		path, r, err := c.Get(ctx, file.Key)
		if err == nil {
			releases = append(releases, r)
			err = c.Gone(c.check(file, path), path)
		}
		if err != nil {
			release()
			return nil, nil, err
		}
		paths = append(paths, path)
	}
	return paths, release, nil
}

// claim counts a user in, and tells whether it is the one to download.
func (c *Cache) claim(key string) (e *entry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e = c.entries[key]
	if e != nil && e.lost() {
		c.drop(e)
		e = nil
	}
	if e == nil {
		path := filepath.Join(c.dir, strings.ReplaceAll(key, "/", "~"))
		e = &entry{key: key, path: path, ready: make(chan struct{})}
		c.entries[key], mine = e, true
	}
	e.users++
	if e.idle != nil {
		c.idle.Remove(e.idle)
		e.idle = nil
	}
	return e, mine
}

func (c *Cache) fill(ctx context.Context, e *entry) {
	defer close(e.ready)
	if c.Mend != nil {
		e.err = c.Mend()
	}
	if e.err == nil {
		e.err = c.store.Download(ctx, e.key, e.path)
	}
	if e.err == nil {
		var info os.FileInfo
		if info, e.err = os.Stat(e.path); e.err == nil {
			e.size = info.Size()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += e.size
	if e.err != nil {
		delete(c.entries, e.key) // the next caller tries anew
	}
}

// release counts a user out and drops the longest unused copies over the limit.
func (c *Cache) release(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.users--
	if e.users > 0 || c.entries[e.key] != e {
		return
	}
	e.idle = c.idle.PushBack(e)
	for c.bytes > c.max && c.idle.Len() > 0 {
		old := c.idle.Front().Value.(*entry)
		c.drop(old)
		_ = os.Remove(old.path) // the folder is removed as a whole in the end
	}
}

// drop forgets a copy.
func (c *Cache) drop(e *entry) {
	if e.idle != nil {
		c.idle.Remove(e.idle)
		e.idle = nil
	}
	delete(c.entries, e.key)
	c.bytes -= e.size
}

// lost tells whether something else has removed a copy that had come.
func (e *entry) lost() bool {
	select {
	case <-e.ready:
	default:
		return false // it is on its way
	}
	_, err := os.Stat(e.path)
	return e.err == nil && os.IsNotExist(err)
}
