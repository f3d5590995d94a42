package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// tryPutAway does with a small hidden file what is to be done with those that have
// landed, so that who can't is told before anything lands.
func (f Folder) tryPutAway() (err error) {
	if !f.putsAway() {
		return nil
	}
	name := freshAside() + ".try"
	trial := filepath.Join(f.Dir, name)
	if err := os.WriteFile(trial, nil, 0o600); err != nil {
		return fmt.Errorf("watch folder %q: files that have landed can't be taken away: %w", f.Dir, err)
	}
	defer func() { err = errors.Join(err, ignoreGone(os.Remove(trial))) }()
	if f.AfterLanding == ActionDelete {
		return nil
	}
	moved := filepath.Join(f.MoveTo, name)
	switch err := moveTo(trial, moved); {
	case errors.Is(err, syscall.EXDEV):
		return fmt.Errorf("watch folder %q: files that have landed can't be moved to %q, which is on another file system: name a folder on the same one (%w)", f.Dir, f.MoveTo, err)
	case err != nil:
		return fmt.Errorf("watch folder %q: files that have landed can't be moved to %q: %w", f.Dir, f.MoveTo, err)
	}
	return os.Remove(moved)
}
