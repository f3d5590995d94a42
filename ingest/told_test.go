package ingest

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"strandline/internal/scratch"
	"strandline/internal/trouble"
)

// fullDisk is the trouble of a full disk, with names that are drawn at each try by the code that draws them.
func fullDisk(t *testing.T, dir string) error {
	t.Helper()
	d := scratch.Open(dir)
	path, err := d.Sub("landing")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Errorf("write %s beside %s: %w", filepath.Join(path, "segment"), asideOf(filepath.Join(dir, "a")), syscall.ENOSPC)
}

// A full disk is tried again and again, under other names. It is told once, and so is what comes after it.
func TestTheSameTroubleOfAFolderIsToldOnceWhateverNamesWereDrawn(t *testing.T) {
	dir, parent := t.TempDir(), t.TempDir()
	if one, other := fullDisk(t, parent), fullDisk(t, parent); one.Error() == other.Error() || trouble.Text(one) != trouble.Text(other) {
		t.Fatalf("drawn: %v\n%v", one, other)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: time.Second, Rescan: time.Minute})
		defer s.stop()
		s.lands("a", fullDisk(t, parent))
		s.write("a", "1")
		s.notify("a")
		s.after(time.Second, "a")
		s.told(1)
		for range 3 {
			s.lands("a", fullDisk(t, parent))
			s.after(time.Minute, "a")
			s.told(0)
		}
		s.lands("a", fmt.Errorf("write: %w", syscall.EIO))
		s.after(time.Minute, "a")
		s.told(1)
	})
}

// What is wrong with a folder as a whole is told once, too.
func TestTroubleOfAWholeFolderIsToldOnce(t *testing.T) {
	dir := t.TempDir()
	var reports []string
	w, err := NewWatcher(Folder{Dir: dir}, func(name string, err error) { reports = append(reports, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.tell(dir, fullDisk(t, dir))
	}
	if len(reports) != 1 || !strings.Contains(reports[0], "no space left") {
		t.Errorf("told %q", reports)
	}
}
