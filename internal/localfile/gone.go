package localfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"strandline/internal/objstore"
)

// Gone returns the error of whoever read paths that Get or Fetch handed out, nil of nil.
// Where one of these is a file of the lake that is not there any more, it is
// objstore.ErrNotFound, and nothing else that it was: neither the engine nor a reader of
// Parquet knows that a sweep removed a file before they opened it, and they blame the
// machine or the file. Our own copies are no objects, and an ended context is no fault
// of a file.
func (c *Cache) Gone(err error, paths ...string) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	for _, path := range paths {
		if filepath.Dir(path) == filepath.Clean(c.dir) {
			continue
		}
		if _, missing := os.Stat(path); errors.Is(missing, fs.ErrNotExist) {
			return fmt.Errorf("%s was removed while it was read: %w (%v)", path, objstore.ErrNotFound, err)
		}
	}
	return err
}
