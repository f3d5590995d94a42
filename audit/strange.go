package audit

import (
	"context"
	"fmt"
	"io/fs"

	"strandline/sweep"
)

// strange tells of what lies in a store that is a folder and is no object, whatever its
// name: no listing has it. Folders are told where an object should be.
func (r *run) strange(ctx context.Context) error {
	folder, is := r.Store.(interface {
		Strange(ctx context.Context, each func(key string, mode fs.FileMode)) error
	})
	if !is {
		return nil
	}
	return folder.Strange(ctx, func(key string, mode fs.FileMode) {
		if mode.IsDir() {
			if _, ours := sweep.ParseKey(key); !ours {
				return
			}
		}
		r.tell(Fault{Name: ForeignObject, Key: key, Seen: fmt.Sprintf("%s, which is no object of the lake", kindOf(mode))})
	})
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	}
	return "no regular file"
}
