package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

func made(t *testing.T, parent string) *Dir {
	t.Helper()
	d := Open(parent)
	if err := d.Mend(); err != nil {
		t.Fatal(err)
	}
	return d
}

// Who only reads logs needs no room on this machine.
func TestAFolderIsMadeWhenItIsNeeded(t *testing.T) {
	parent := t.TempDir()
	d := Open(parent)
	later := d.Later("engine")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("%v are there before anything needs it, %v", left, err)
	}
	if _, err := d.Sub("copies"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(later); err != nil {
		t.Error(err)
	}
}

// Trouble that stays the same says the same each time, whatever name was drawn.
func TestTroubleWithAFolderIsAlwaysTheSameText(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "none")
	first, second := Open(parent).Mend(), Open(parent).Mend()
	if !errors.Is(first, fs.ErrNotExist) || first.Error() != second.Error() || !strings.Contains(first.Error(), parent) {
		t.Errorf("it says\n%v\n%v", first, second)
	}
}

func TestFoldersOfEndedProcessesAreSweptAndThoseOfLivingOnesStay(t *testing.T) {
	parent := t.TempDir()
	living := made(t, parent)
	dead := made(t, parent)
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
	next := made(t, parent)
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

// A process may be killed while it removes its folder, or one that another has left.
func TestAFolderWhoseRemovalWasBrokenOffAnywhereIsRemovedByTheNext(t *testing.T) {
	for n := 0; ; n++ {
		parent := t.TempDir()
		d := made(t, parent)
		for _, name := range []string{"engine", "zone"} { // before and after the lock by name
			if sub, err := d.Sub(name); err != nil || os.WriteFile(filepath.Join(sub, "file"), []byte("x"), 0o600) != nil {
				t.Fatal(err)
			}
		}
		all, err := steps(d.Path())
		if err != nil || len(all) != 4 {
			t.Fatal(all, err)
		}
		if n == len(all) {
			return
		}
		for _, step := range all[:n] {
			if err := os.RemoveAll(step); err != nil {
				t.Fatal(err)
			}
		}
		long := time.Now().Add(-2 * making)
		if err := errors.Join(d.lock.Close(), os.Chtimes(d.Path(), long, long)); err != nil {
			t.Fatal(err)
		}
		next := made(t, parent)
		if _, err := os.Stat(d.Path()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after %d steps it stays: %v", n, err)
		}
		if err := next.Close(); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
			t.Errorf("%v are left, %v", left, err)
		}
	}
}

func TestAnEmptyFolderThatMayBeInTheMakingOrIsNoneOfOursStays(t *testing.T) {
	parent := t.TempDir()
	long := time.Now().Add(-2 * making)
	for name, at := range map[string]time.Time{prefix + "ABCDEFGHIJKLM": time.Now(), prefix + "notes": long, prefix + "ABCDEFGHIJKLMN": long} {
		path := filepath.Join(parent, name)
		if err := errors.Join(os.Mkdir(path, 0o700), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
		made(t, parent)
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestNobodyClearsAwayAFolderThatIsBeingMade(t *testing.T) {
	parent := t.TempDir()
	var group errgroup.Group
	for range 50 {
		group.Go(func() error {
			for range 20 {
				d := Open(parent)
				if err := d.Mend(); err != nil {
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
