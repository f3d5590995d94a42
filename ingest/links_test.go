package ingest

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// Links to files are followed, also out of the folder; those to folders, those that
// lead nowhere and those that lead in a circle are not, and nobody is told.
func TestLinksToFilesAreFollowedAndNoOthers(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	writeFile(t, outside, "beside/c", []byte("1"))
	link(t, writeFile(t, outside, "a", []byte("1")), filepath.Join(dir, "out"))
	link(t, filepath.Join(outside, "beside"), filepath.Join(dir, "folder"))
	link(t, filepath.Join(outside, "nothing"), filepath.Join(dir, "nowhere"))
	link(t, filepath.Join(dir, "two"), filepath.Join(dir, "one"))
	link(t, filepath.Join(dir, "one"), filepath.Join(dir, "two"))
	link(t, dir, filepath.Join(dir, "self"))
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second})
		defer s.stop()
		s.after(10*time.Minute, "out")
		writeFile(t, outside, "a", []byte("12"))
		s.after(time.Minute, "out")
		s.told(0)
	})
}

func TestWatchedFolderMayBeALink(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "sub/a", []byte("1"))
	path := filepath.Join(t.TempDir(), "link")
	link(t, dir, path)
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, path, Folder{Settle: 2 * time.Second})
		s.dir = dir // as it is found
		defer s.stop()
		s.after(2*time.Second, "sub/a")
	})
}
