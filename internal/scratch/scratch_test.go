package scratch

import (
	"os"
	"path/filepath"
	"testing"
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
	next, err := Open(parent)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{living.Path(): true, next.Path(): true, dead.Path(): false, foreign: true} {
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
