package scratch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFolderThatWasRemovedIsMadeAgainAsThatOfALivingProcess(t *testing.T) {
	parent := t.TempDir()
	d := made(t, parent)
	sub, err := d.Sub("engine")
	if err != nil {
		t.Fatal(err)
	}
	for _, removed := range []string{d.Path(), sub, filepath.Join(d.Path(), lockName)} {
		if err := os.RemoveAll(removed); err != nil {
			t.Fatal(err)
		}
		if err := d.Mend(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(sub); err != nil {
			t.Errorf("without %s: %v", removed, err)
		}
		if err := made(t, parent).Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(d.Path(), lockName)); err != nil {
			t.Errorf("another process has cleared it away: %v", err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

func TestAFolderThatCantBeMadeAgainSaysWhatToDo(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "tmp")
	if err := os.Mkdir(parent, 0o700); err != nil {
		t.Fatal(err)
	}
	d := made(t, parent)
	if err := os.RemoveAll(parent); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(parent, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Mend(); err == nil || !strings.Contains(err.Error(), "engine.temp_dir") {
		t.Errorf("got %v", err)
	}
}
