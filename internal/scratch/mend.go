package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Mend makes the folder, and those in it, where they were not made yet, or something has removed them, such as
// what clears old files away from a folder for temporary ones. What was in them is lost.
func (d *Dir) Mend() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		if err := d.create(); err != nil {
			return err
		}
	}
	err := d.mend()
	for _, sub := range d.subs {
		if err == nil {
			err = os.MkdirAll(sub, 0o700)
		}
	}
	if err != nil {
		return fmt.Errorf("make the folders of a scratch folder in %s, or make them again where they were removed: %w; set TMPDIR, or engine.temp_dir, to a folder with room that nothing clears away", filepath.Dir(d.path), cause(err))
	}
	return nil
}

// mend makes the folder itself again, and takes its lock, which was lost with it.
func (d *Dir) mend() error {
	lock := filepath.Join(d.path, lockName)
	if _, err := os.Lstat(lock); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return err
	}
	if err := ours(d.path); err != nil {
		return err
	}
	held, err := hold(lock)
	if err != nil {
		return err
	}
	_ = d.lock.Close() // of a file that is gone
	d.lock = held
	return nil
}

// ours is an error if another user has made the folder meanwhile: its parent is open to all.
func ours(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if is, known := info.Sys().(*syscall.Stat_t); !info.IsDir() || known && int(is.Uid) != os.Geteuid() {
		return errors.New("another user has made something there")
	}
	return nil
}
