package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// tryBytes is little, and more than what a file system keeps beside a file's name.
const tryBytes = 1 << 20

// Try finds out whether files can be made in the folder, as what computes needs it: it is made where it is missing.
func (d *Dir) Try() error {
	if err := d.Mend(); err != nil {
		return err
	}
	if err := d.try(); err != nil {
		return fmt.Errorf("write a file of 1 MiB into a scratch folder in %s: %w; make room, or set TMPDIR, or engine.temp_dir, to a folder that has some", filepath.Dir(d.path), cause(err))
	}
	return nil
}

func (d *Dir) try() (err error) {
	file, err := os.CreateTemp(d.path, "try-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if _, err := file.Write(make([]byte, tryBytes)); err != nil {
		return cause(err)
	}
	return cause(file.Sync())
}
