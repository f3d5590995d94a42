// Package objstore is the narrow door to where a lake lives: a folder, an S3
// bucket or memory. It knows keys and bytes and nothing of what they mean.
//
// Two kinds of object pass through it. Small conditional ones (log entries)
// are made with Create and decide races. Bulk data goes through Upload, under
// a key that nobody has used before, so that it needs no condition. No key is
// ever a prefix folder of another key ("a" and "a/b" never both exist), since
// some stores hide one of them.
package objstore

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"time"
)

var (
	// ErrExists says that a Create was refused because the key was taken, and
	// that this very call did not take it: a clean loss.
	ErrExists = errors.New("object exists")
	// ErrNotFound says that the key has no object.
	ErrNotFound = errors.New("object not found")
	// ErrBadKey says that a key is one that some store could not hold.
	ErrBadKey = errors.New("bad object key")
	// ErrNotWritten says that a Create did nothing, nor will it later, by no fault of
	// the key: such as for want of space or of rights.
	ErrNotWritten = errors.New("nothing was written")
)

// Object is one row of a listing.
type Object struct {
	Key  string
	Size int64 // bytes
	// Modified is when its bytes were written, by the store's clock, to the
	// second or finer; zero if the store does not say.
	Modified time.Time
	// Tag is another for other bytes. Stores of the usual kind say the hexadecimal MD5 of the bytes (see TagOf),
	// those that encrypt something else; "" if the store does not say.
	Tag string
}

// TagOf is the Tag of an object of these bytes in a store of the usual kind.
func TagOf(body []byte) string {
	sum := md5.Sum(body) // of what nobody means to forge: a listing says no other
	return hex.EncodeToString(sum[:])
}

// OlderThan tells whether the object was written before then. One of unknown
// age is not.
func (o Object) OlderThan(then time.Time) bool {
	return !o.Modified.IsZero() && o.Modified.Before(then)
}

// Store is one lake's storage. All methods are safe for concurrent use.
//
// Any error other than ErrExists, ErrNotFound, ErrBadKey and ErrNotWritten means that the
// outcome is not known: a write may have happened, or may still happen.
type Store interface {
	// Create makes key hold body if, and only if, key does not exist. Of any
	// number of racing callers exactly one gets nil. It never retries by
	// itself: a retry would turn its own success into ErrExists.
	Create(ctx context.Context, key string, body []byte) error
	// Upload stores the local file at path under key, which no other caller
	// uses. The object is whole or absent, and durable when Upload returns.
	Upload(ctx context.Context, key, path string) error
	// Read returns the whole object, or ErrNotFound.
	Read(ctx context.Context, key string) ([]byte, error)
	// ReadRange returns length bytes from offset; fewer only where the object
	// ends before. An offset at or past the end is an error.
	ReadRange(ctx context.Context, key string, offset, length int64) ([]byte, error)
	// Download writes the whole object to a new local file at path, or leaves
	// nothing there.
	Download(ctx context.Context, key, path string) error
	// List returns up to max objects whose key starts with prefix and is
	// greater than after, in byte order of their keys. An empty after starts
	// at the beginning; fewer than max rows means that there are no more. It
	// holds all that was there when it started; of objects made meanwhile it
	// may miss one and still hold another that was made later.
	List(ctx context.Context, prefix, after string, max int) ([]Object, error)
	// Delete removes key. Removing what is not there is no error.
	Delete(ctx context.Context, key string) error
	// URL names the object as other programs would open it: an absolute path
	// or an s3:// address.
	URL(key string) string
}

// Local is implemented by stores whose objects are files of this machine, so
// that readers need no copy of them.
type Local interface {
	// LocalPath returns the absolute path that holds key's bytes.
	LocalPath(key string) string
	// Find is LocalPath of a key that has a file: ErrNotFound if it has none. Others may
	// remove the file as soon as it is found.
	Find(key string) (path string, err error)
	// Root returns the absolute folder that all keys lie under.
	Root() string
}

// Looker is implemented by stores that find one key at a price which does not grow
// with the number of its neighbours, though a listing reads all of their names.
type Looker interface {
	// Has tells whether key has an object at a moment within the call. Something that is none and stands in its
	// place, which a listing leaves out, is an error.
	Has(ctx context.Context, key string) (bool, error)
}
