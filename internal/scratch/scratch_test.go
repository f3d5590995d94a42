package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sync/errgroup"
)

func TestFoldersOfEndedProcessesAreSweptAndThoseOfLivingOnesStay(t *testing.T) {
	parent := t.TempDir()
	living, err := Open(parent)
	if err != nil {
		t.Fatal(err)
	}
	dead, err := Open(parent)
	if err != nil {
		t.Fatal(err)
	}
	if err := dead.lock.Close(); err != nil { // as the end of its process does
		t.Fatal(err)
	}
	foreign := filepath.Join(parent, "strandline-notes")
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	lake := filepath.Join(parent, "strandline-lake") // with a file of that name, by chance
	if err := errors.Join(os.Mkdir(lake, 0o755), os.WriteFile(filepath.Join(lake, lockName), []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	next, err := Open(parent)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{living.Path(): true, next.Path(): true, dead.Path(): false, foreign: true, lake: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", path, err, want)
		}
	}
	if err := living.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(living.Path()); err == nil {
		t.Error("a closed folder is still there")
	}
}

func TestNobodyClearsAwayAFolderThatIsBeingMade(t *testing.T) {
	parent := t.TempDir()
	var group errgroup.Group
	for range 50 {
		group.Go(func() error {
			for range 20 {
				d, err := Open(parent)
				if err != nil {
					return err
				}
				if _, err := os.Stat(filepath.Join(d.Path(), lockName)); err != nil {
					return err
				}
				if err := d.Close(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}
