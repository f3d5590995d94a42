package ingest

import (
	"context"
	"io"
	"os"
	"time"

	"strandline/landing"
)

// steady is an open file that has to stay as it is while it is read.
type steady struct {
	file   *os.File
	before fileVersion
	opened time.Time
}

// watchOver begins to watch over a file that is about to be read. It is ErrChanged if
// that is not the version that was meant; "" is any.
func watchOver(file *os.File, version string) (steady, error) {
	info, err := file.Stat()
	if err != nil {
		return steady{}, err
	}
	s := steady{file: file, before: versionOf(info), opened: time.Now()}
	if version != "" && version != s.before.String() {
		return steady{}, ErrChanged
	}
	return s, nil
}

// held is ErrChanged unless the file is still as it was when what has the identity read
// was read from it. Where its version can't tell, it is read again.
func (s steady) held(ctx context.Context, read landing.Identity, opts Options) error {
	if sure, err := s.look(); err != nil || sure {
		return err
	}
	again, err := identifyAgain(ctx, s.file, opts)
	if err == nil && again != read {
		err = ErrChanged
	}
	return err
}

// look is ErrChanged if the file has changed for sure, and tells whether it is sure that
// it has not. A rename and other rights change the inode's time alone.
func (s steady) look() (sure bool, err error) {
	info, err := s.file.Stat()
	if err != nil {
		return false, err
	}
	now := versionOf(info)
	if !now.movedFrom(s.before) {
		return false, ErrChanged
	}
	return now == s.before && s.before.tells(s.opened), nil
}

// identifyAgain takes the identity of a whole file, and leaves it at its beginning.
func identifyAgain(ctx context.Context, file *os.File, opts Options) (landing.Identity, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return landing.Identity{}, err
	}
	id, err := Identify(ctx, file, opts)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	return id, err
}
