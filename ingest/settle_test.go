package ingest

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestVersionChangesWithSizeTimeOrInodeAlone(t *testing.T) {
	dir := t.TempDir()
	path := writeFile(t, dir, "a", []byte("one"))
	at := time.Date(2018, 1, 31, 0, 0, 0, 0, time.UTC)
	see := func() fileVersion {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		v := versionOf(info)
		v.inode.changed = 0 // which all that follows changes
		return v
	}
	date := func(at time.Time) {
		t.Helper()
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	date(at)
	first := see()
	if first != see() {
		t.Error("an untouched file has another version")
	}
	writeFile(t, dir, "a", []byte("other size"))
	date(at)
	if first == see() {
		t.Error("another size is the same version")
	}
	writeFile(t, dir, "a", []byte("two"))
	date(at.Add(time.Microsecond))
	if first == see() {
		t.Error("another time is the same version")
	}
	if err := os.Rename(writeFile(t, dir, "b", []byte("one")), filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	date(at)
	if first == see() {
		t.Error("another file is the same version")
	}
}
