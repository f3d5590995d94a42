package objstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// copyChunk is how much is copied between two looks at the context, in bytes.
const copyChunk = 32 << 20

// writeNew makes a file at path, which must not exist, from what fill writes.
// On an error nothing is left there. With durable the bytes are on disk when
// it returns.
func writeNew(path string, durable bool, fill func(*os.File) error) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	if err = fill(file); err == nil && durable {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// download makes the local file at path from what fill writes: whole or not at
// all, even if the process dies meanwhile.
func download(path string, fill func(*os.File) error) error {
	part := path + ".part-" + rand.Text()
	if err := writeNew(part, false, fill); err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return nil
}

// copyAll copies all of src until the context ends. Between two files the
// kernel does it, without a buffer of ours.
func copyAll(ctx context.Context, dst io.Writer, src io.Reader) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch _, err := io.CopyN(dst, src, copyChunk); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// syncDir makes the names in a folder survive a power cut. File systems that
// cannot do that for folders say EINVAL or ENOTSUP, and have no more to give.
func syncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = file.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, file.Close())
}

// cut checks a range against an object of size bytes and returns how many
// bytes of it there are to read.
func cut(key string, offset, length, size int64) (int64, error) {
	if err := checkRange(key, offset, length); err != nil {
		return 0, err
	}
	if offset >= size {
		return 0, fmt.Errorf("read %q from byte %d: the object ends at byte %d", key, offset, size)
	}
	return min(length, size-offset), nil
}

func checkRange(key string, offset, length int64) error {
	if offset < 0 || length <= 0 {
		return fmt.Errorf("read %q: want an offset from 0 and a length from 1, not %d and %d", key, offset, length)
	}
	return nil
}
