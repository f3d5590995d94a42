// Package prefix takes in the objects that others put under a prefix of a bucket.
//
// What has landed is a set of keys in versions (ETags), kept by the landing log, and
// never "what is newer than". So objects may come in any order, be put again with
// other content, and be deleted once they have landed.
package prefix

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"strandline/ingest"
	"strandline/internal/objstore"
	"strandline/landing"
)

// Bucket is where the objects are. An *objstore.Bucket is one.
type Bucket interface {
	Page(ctx context.Context, prefix, after string, max int) ([]objstore.Version, error)
	Open(ctx context.Context, v objstore.Version) (io.ReadCloser, error)
	URL(key string) string
}

// Source is a prefix whose objects a stream takes in. Empty objects, keys that end
// with a slash and hidden or temporary names, as ingest.Folder has them, are never
// taken: they are the marks by which tools make folders of keys.
type Source struct {
	Bucket Bucket
	Prefix string // empty, or with a slash at its end
	// Include and Exclude are patterns over keys without the prefix, as those of an
	// ingest.Folder.
	Include, Exclude []string
	// Every is how often the prefix is listed. Default 30 s.
	Every time.Duration
}

// Validate tells what is wrong with the source.
func (s Source) Validate() error {
	if s.Prefix != "" && !strings.HasSuffix(s.Prefix, "/") {
		return fmt.Errorf("watched prefix %q: want a slash at its end", s.Prefix)
	}
	for _, pattern := range slices.Concat(s.Include, s.Exclude) {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("watched prefix %q: pattern %q is no glob pattern", s.Prefix, pattern)
		}
	}
	return nil
}

// takes tells whether an object is one to take.
func (s Source) takes(v objstore.Version) bool {
	return v.Size > 0 && ingest.Picked(strings.TrimPrefix(v.Key, s.Prefix), s.Include, s.Exclude)
}

// Target is where the objects go.
type Target struct {
	Stream  *landing.Stream
	Options ingest.Options
	// Landed is told of each object that landed, or whose content had landed before.
	Landed func(ingest.Outcome) error
	// Report is told what is wrong with an object, or with the prefix as a whole, by
	// its address: each fault once.
	Report func(name string, err error)
	// Over, if not nil, is told when the prefix as a whole is listed and landed again.
	Over func()
	// Oldest, if not nil, is told since when the object is in the bucket that has waited
	// longest to land, and the zero time where there is none.
	Oldest func(since time.Time)
}
