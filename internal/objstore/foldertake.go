package objstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var _ Taker = (*Folder)(nil)

// Take implements Taker. Only a file is taken that is in every respect as one made in the
// lake would be, and on its file system: where the lake's files belong to a group, or have
// rules of access of their own, the object is a copy.
func (f *Folder) Take(ctx context.Context, key, path string) error {
	src, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("upload %q: %w", key, err)
	}
	defer src.Close()
	err = f.put(ctx, key, func(temporary string) error {
		if took, err := takeAs(src, temporary); took || err != nil {
			return err
		}
		return copied(ctx, src)(temporary)
	})
	if err != nil {
		return fmt.Errorf("upload %s: %w", path, err)
	}
	return nil
}

// takeAs gives src, once it is durable, a second name in the lake. Not took means that this
// file can't be had there, and that nothing is at that name.
func takeAs(src *os.File, temporary string) (took bool, err error) {
	made, err := attributesOfNew(temporary)
	if err != nil {
		return false, err
	}
	if !attributesOf(src).equal(made) {
		return false, nil
	}
	// A sweep goes by when an object was written, which is when it came into the lake. The store says when that is,
	// as of every other object: its clock may be another machine's.
	if os.Chtimes(src.Name(), made.written, made.written) != nil {
		return false, nil // as of a file that is reached through a mount for reading only
	}
	if err := src.Sync(); err != nil {
		return false, err // and a copy might be made of what was lost
	}
	err = os.Link(src.Name(), temporary)
	for _, refused := range []error{syscall.EXDEV, syscall.EPERM, syscall.EACCES, syscall.EMLINK} {
		if errors.Is(err, refused) {
			return false, nil // as between two mounts of one file system
		}
	}
	// A network file system may do the link, lose the answer, and ask again.
	if errors.Is(err, fs.ErrExist) && sameFile(src.Name(), temporary) {
		err = nil
	}
	return err == nil, err
}

// attributes are what the lake's files have in common, whoever reads them. Those of a file that they can't be told of
// equal none: it is copied.
type attributes struct {
	device, owner, group, mode uint64
	regular                    bool
	extended                   map[string]string // such as lists of access and labels
	written                    time.Time         // by the store's clock, and no matter to equal
}

func (a attributes) equal(b attributes) bool {
	return a.regular && b.regular && a.device == b.device && a.owner == b.owner && a.group == b.group && a.mode == b.mode &&
		maps.Equal(a.extended, b.extended)
}

// attributesOfNew makes a file, says what it is like, and removes it.
func attributesOfNew(path string) (a attributes, err error) {
	err = writeNew(path, false, func(file *os.File) (err error) {
		a = attributesOf(file)
		return nil
	})
	if err == nil {
		err = os.Remove(path)
	}
	return a, err
}

func attributesOf(file *os.File) attributes {
	info, err := file.Stat()
	if err != nil {
		return attributes{}
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return attributes{}
	}
	extended, err := extendedOf(int(file.Fd()))
	if err != nil {
		return attributes{}
	}
	return attributes{
		device: uint64(is.Dev), owner: uint64(is.Uid), group: uint64(is.Gid), mode: uint64(is.Mode),
		regular: info.Mode().IsRegular(), extended: extended, written: info.ModTime(),
	}
}

// extendedOf reads what a file has of attributes by name; nothing where the file system
// knows none.
func extendedOf(fd int) (map[string]string, error) {
	names, err := readExtended(func(into []byte) (int, error) { return unix.Flistxattr(fd, into) })
	if errors.Is(err, unix.ENOTSUP) {
		return nil, nil
	}
	extended := map[string]string{}
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		if err == nil && name != "" {
			extended[name], err = readExtended(func(into []byte) (int, error) { return unix.Fgetxattr(fd, name, into) })
		}
	}
	return extended, err
}

// readExtended reads what a call tells the size of, in bytes, when it is given no room.
func readExtended(call func(into []byte) (int, error)) (string, error) {
	size, err := call(nil)
	if err != nil || size == 0 {
		return "", err
	}
	value := make([]byte, size)
	size, err = call(value)
	if err != nil {
		return "", err
	}
	return string(value[:size]), nil
}
