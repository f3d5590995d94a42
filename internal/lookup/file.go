package lookup

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

var (
	// ErrNotRegular says that a lookup's file is a folder, a pipe, or another thing that
	// has no bytes that stay.
	ErrNotRegular = errors.New("it is no regular file")
	// ErrChanging says that somebody wrote to a lookup's file while it was read.
	ErrChanging = errors.New("it changed while it was being read; run the command again once it is complete")
)

// Read reads the local file. The error is fs.ErrNotExist where there is none, ErrNotRegular,
// ErrTooLarge, or ErrChanging.
func (s Spec) Read() (Content, error) {
	var text []byte
	err := steady(s.File, func(file *os.File) (err error) {
		text, err = io.ReadAll(io.LimitReader(file, MaxBytes+1))
		return err
	})
	switch of := (*fs.PathError)(nil); {
	case errors.Is(err, fs.ErrNotExist):
		return Content{}, fmt.Errorf("read lookup %s: %s: %w; put it there, or say in the configuration where it is (lookups.%s.file)", s.Name, s.File, fs.ErrNotExist, s.Name)
	case errors.As(err, &of): // which names the file too
		return Content{}, fmt.Errorf("read lookup %s: %s: %s: %w", s.Name, s.File, of.Op, of.Err)
	case err != nil:
		return Content{}, fmt.Errorf("read lookup %s: %s: %w", s.Name, s.File, err)
	}
	if len(text) > MaxBytes {
		return Content{}, fmt.Errorf("read lookup %s: %s: %w (at most %d bytes): land it in a stream instead", s.Name, s.File, ErrTooLarge, MaxBytes)
	}
	return Content{sha256.Sum256(text), text}, nil
}

// steady has read take in a regular file, and is ErrChanging if the path then leads to
// another file, or to the same with other bytes. It is looked at before it is opened:
// opening a pipe waits for somebody who writes to it.
func steady(path string, read func(*os.File) error) error {
	before, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !before.Mode().IsRegular() {
		return ErrNotRegular
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := errors.Join(read(file), file.Close()); err != nil {
		return err
	}
	after, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(before, after) || before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) {
		return ErrChanging
	}
	return nil
}
