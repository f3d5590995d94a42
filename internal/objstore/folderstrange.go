package objstore

import (
	"context"
	"fmt"
	"io/fs"
)

// inTheWay says that something stands where nothing of that kind may: until it is moved
// nothing is written there.
type inTheWay struct {
	path    string
	mode    fs.FileMode
	belongs string
}

func (e inTheWay) Error() string {
	return fmt.Sprintf("%s is %s where %s belongs: move it out of the lake", e.path, KindOf(e.mode), e.belongs)
}

// Is tells that it is an ErrBadKey and an ErrNotWritten.
func (e inTheWay) Is(target error) bool { return target == ErrBadKey || target == ErrNotWritten }

// KindOf names what lies in a folder: "a named pipe".
func KindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	}
	return "no regular file"
}

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
