package localfile

import (
	"errors"
	"fmt"
	"os"
	"time"

	"strandline/internal/digest"
)

// ErrDamaged says that a file is not the one that was written.
var ErrDamaged = errors.New("damaged file")

// patternCharacters would make a path a pattern to the SQL engine, whose
// sandbox knows no way to say that it is none. Files of a lake on such a path
// are copied.
const patternCharacters = "*?["

// File is a data file and what its log entry says of it.
type File struct {
	Key    string
	Bytes  int64       // its size; 0: not looked at
	Digest digest.Hash // SHA-256 of its bytes; the zero Hash: only the size is looked at
}

// seen tells a version of a file apart from another at the same path.
type seen struct {
	size    int64
	changed time.Time
	digest  digest.Hash
}

// check holds the local file against what is expected of it. A file's bytes are
// read once for as long as its size and time of change stand still.
func (c *Cache) check(file File, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look at %s: %w", file.Key, err)
	}
	if file.Bytes != 0 && info.Size() != file.Bytes {
		return fmt.Errorf("%w: %s has %d bytes, want %d", ErrDamaged, file.Key, info.Size(), file.Bytes)
	}
	if file.Digest.IsZero() {
		return nil
	}
	want := seen{info.Size(), info.ModTime(), file.Digest}
	c.mu.Lock()
	known := c.checked[path] == want
	c.mu.Unlock()
	if known {
		return nil
	}
	found, err := digest.OfFile(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", file.Key, err)
	}
	if found != file.Digest {
		return fmt.Errorf("%w: the bytes of %s are not those that were written: restore it from a copy", ErrDamaged, file.Key)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checked[path] = want
	return nil
}
