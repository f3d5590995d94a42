package objstore

import (
	"context"
	"fmt"
	"io/fs"
)

// Strange calls each with what lies in the folder under a name that keys can have and
// is no object, since it is no regular file; folders are among that.
func (f *Folder) Strange(ctx context.Context, each func(key string, mode fs.FileMode)) error {
	if err := f.strange(ctx, "", each); err != nil {
		return fmt.Errorf("look for what is no object in %s: %w", f.URL(""), err)
	}
	return nil
}

// strange does so under base, which is empty or ends with a slash.
func (f *Folder) strange(ctx context.Context, base string, each func(string, fs.FileMode)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := readDir(f.LocalPath(base))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() || entry.Name()[0] == '.' {
			continue
		}
		key := base + entry.Name()
		each(key, entry.Type())
		if !entry.IsDir() {
			continue
		}
		if err := f.strange(ctx, key+"/", each); err != nil {
			return err
		}
	}
	return nil
}
