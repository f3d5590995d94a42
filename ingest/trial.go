package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	trialSuffix = ".try"
	// trialAge is how old such a file is of which the process must have died. A try takes
	// milliseconds.
	trialAge = time.Hour
)

// sweepTrials removes what was left of tries by processes that were killed meanwhile. It is
// housekeeping: what can't be looked at or removed stays.
func sweepTrials(dir string) {
	folder, err := os.Open(dir)
	if err != nil {
		return
	}
	defer folder.Close()
	for err == nil {
		var names []string
		names, err = folder.Readdirnames(1024) // the folder may hold all that ever landed
		for _, name := range names {
			if path := filepath.Join(dir, name); isTrial(name) && isLeft(path) {
				_ = os.Remove(path)
			}
		}
	}
}

func isTrial(name string) bool {
	mark, is := strings.CutPrefix(strings.TrimSuffix(name, trialSuffix), asidePrefix)
	return is && len(mark) == asideMark && strings.HasSuffix(name, trialSuffix)
}

func isLeft(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0 && time.Since(info.ModTime()) > trialAge
}

// tryPutAway does with a small hidden file what is to be done with those that have
// landed, so that who can't is told before anything lands.
func (f Folder) tryPutAway() (err error) {
	if !f.putsAway() {
		return nil
	}
	sweepTrials(f.Dir)
	if f.AfterLanding != ActionDelete {
		sweepTrials(f.MoveTo)
	}
	name := freshAside() + trialSuffix
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
