package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// names lists the files under dir, hidden ones too.
func names(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(dir, path)
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

func TestFilesThatLandedAreDeletedAndOthersStay(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	writeFile(t, dir, "a", []byte("1"))
	writeFile(t, dir, "sub/b", []byte("1"))
	writeFile(t, dir, "bad", []byte("1"))
	writeFile(t, dir, "d.tmp", []byte("1"))
	if err := os.Symlink(writeFile(t, outside, "c", []byte("1")), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second, AfterLanding: ActionDelete})
		defer s.stop()
		s.lands("bad", fmt.Errorf("read: %w", ErrHeader))
		s.after(2*time.Second, "a", "bad", "link", "sub/b")
		wantNames(t, dir, "bad", "d.tmp", "link")
		wantNames(t, outside, "c")
		s.told(1)
	})
}

func TestFilesThatLandedAreMovedUnderTheirNameAndOverwriteNothing(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "sub/a", []byte("new"))
	writeFile(t, dir, "done/sub/a", []byte("old"))
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second, AfterLanding: ActionMove, MoveTo: filepath.Join(dir, "done")})
		defer s.stop()
		s.after(10*time.Minute, "sub/a")
		wantNames(t, dir, "done/sub/a", "done/sub/a.2")
		s.write("sub/a", "newer")
		s.notify("sub/a")
		s.after(10*time.Minute, "sub/a")
		wantNames(t, dir, "done/sub/a", "done/sub/a.2", "done/sub/a.3")
		s.told(0)
	})
}

// What landed before needs no reading to be put away, after whatever crash.
func TestKnownFilesArePutAwayWithoutBeingRead(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "a", []byte("1"))
	writeFile(t, dir, "b", []byte("1"))
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second, AfterLanding: ActionDelete})
		defer s.stop()
		s.mu.Lock()
		s.known = []string{"a"}
		s.mu.Unlock()
		s.after(2*time.Second, "b")
		wantNames(t, dir)
	})
}

func TestFileThatChangedSinceItLandedIsNotPutAway(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"grown":    func(t *testing.T, path string) { appendTo(t, path, "more") },
		"replaced": func(t *testing.T, path string) { replace(t, path, "1") },
		"edited":   func(t *testing.T, path string) { editUnseen(t, path, "2") },
		"set back": func(t *testing.T, path string) {
			at := time.Now().Add(-time.Hour)
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		},
	} {
		dir := t.TempDir()
		path := writeFile(t, dir, "a", []byte("1"))
		landed := seen(t, path)
		change(t, path)
		if err := (Folder{Dir: dir, AfterLanding: ActionDelete}).putAway(path, landed); err != nil {
			t.Error(err)
		}
		if got := names(t, dir); !slices.Equal(got, []string{"a"}) {
			t.Errorf("%s: the folder holds %q, want the file", name, got)
		}
	}
}

// Between the look at a name and the moment that it is taken, another file may come.
func TestFileThatTookTheNameMeanwhileIsPutBack(t *testing.T) {
	dir := t.TempDir()
	path := writeFile(t, dir, "a", []byte("1"))
	landed := seen(t, path)
	replace(t, path, "2")
	aside := asideOf(path)
	if err := os.Rename(path, aside); err != nil {
		t.Fatal(err)
	}
	if seen(t, aside).movedFrom(landed) {
		t.Error("another file is taken for the one that landed")
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second, Rescan: 30 * time.Second, AfterLanding: ActionDelete})
		defer s.stop()
		s.write("a", "3") // and one more, before a process looks
		s.after(time.Second)
		s.after(time.Minute, "a", "a")
		wantNames(t, dir)
		s.told(0)
	})
}

// The hidden name under which a file goes has room for any name that a file can have.
func TestFilesOfTheLongestNamesArePutAway(t *testing.T) {
	long := strings.Repeat("n", longestName)
	for _, action := range []Action{ActionDelete, ActionMove} {
		dir, done := t.TempDir(), t.TempDir()
		writeFile(t, done, long, []byte("old"))
		aside, err := takeAside(writeFile(t, dir, long[1:], []byte("1")))
		if err != nil {
			t.Fatal(err)
		}
		if before, is := isAside(aside); !is || before != filepath.Join(dir, long[1:]) {
			t.Errorf("%q was %q before (%v)", aside, before, is)
		}
		writeFile(t, dir, long, []byte("2"))
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, dir, Folder{Settle: 2 * time.Second, AfterLanding: action, MoveTo: done})
			defer s.stop()
			s.after(time.Minute, long, long[1:])
			s.told(0)
		})
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s leaves %v (%v)", action, left, err)
		}
		if action == ActionMove {
			wantNames(t, done, long[:longestName-2]+".2", long[1:], long)
		}
	}
}

// Whoever can't put files away is told before any has landed.
func TestAMoveToAnotherFileSystemIsToldAtStart(t *testing.T) {
	dir := t.TempDir()
	other, err := os.MkdirTemp("/dev/shm", "strandline-")
	if err != nil {
		t.Skipf("there is no second file system: %v", err)
	}
	defer os.RemoveAll(other)
	if err := os.Link(writeFile(t, dir, "a", []byte("1")), filepath.Join(other, "a")); !errors.Is(err, syscall.EXDEV) {
		t.Skipf("there is no second file system: a link to it has %v", err)
	}
	w, err := NewWatcher(Folder{Dir: dir, AfterLanding: ActionMove, MoveTo: other}, func(string, error) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Find(); !errors.Is(err, syscall.EXDEV) || !strings.Contains(err.Error(), "another file system") {
		t.Errorf("got %v", err)
	}
	wantNames(t, dir, "a")
	wantNames(t, other)
}

// A process was killed while it tried whether files can be moved.
func TestWhatIsLeftOfTriesIsRemovedAndNothingElse(t *testing.T) {
	dir, done := t.TempDir(), t.TempDir()
	old := time.Now().Add(-2 * trialAge)
	for _, folder := range []string{dir, done} {
		for name, content := range map[string]string{
			".strandline-ABCDEFGH.try": "", ".strandline-ABCDEFGI.try": "not ours", ".strandline-ABCDEFG.try": "", ".strandline-ABCDEFGH.tr": "", "a.try": "",
		} {
			if path := writeFile(t, folder, name, []byte(content)); os.Chtimes(path, old, old) != nil {
				t.Fatal("it can't be dated")
			}
		}
		writeFile(t, folder, ".strandline-ABCDEFGJ.try", nil) // of a living process
	}
	if err := (Folder{Dir: dir, AfterLanding: ActionMove, MoveTo: done}).tryPutAway(); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{dir, done} {
		wantNames(t, folder, ".strandline-ABCDEFG.try", ".strandline-ABCDEFGH.tr", ".strandline-ABCDEFGI.try", ".strandline-ABCDEFGJ.try", "a.try")
	}
}

// Killed at any step of putting a file away, the next process does it again, and the
// file is in one place.
func TestKilledWhileAFileIsPutAwayTheNextProcessDoesIt(t *testing.T) {
	for step := range 3 {
		dir, done := t.TempDir(), t.TempDir()
		path := writeFile(t, dir, "a", []byte("1"))
		aside := asideOf(path)
		steps := []func() error{
			func() error { return os.Rename(path, aside) },
			func() error { return os.Link(aside, filepath.Join(done, "a")) },
			func() error { return os.Remove(aside) },
		}
		for _, act := range steps[:step+1] {
			if err := act(); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, dir, Folder{Settle: 2 * time.Second, AfterLanding: ActionMove, MoveTo: done})
			defer s.stop()
			time.Sleep(time.Minute)
			synctest.Wait()
			wantNames(t, dir)
			wantNames(t, done, "a")
			s.told(0)
		})
	}
}

func seen(t *testing.T, path string) fileVersion {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return versionOf(info)
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// editUnseen gives a file another content of the same size, and the time it had before.
// It does so until the file system's clock, which ticks slowly, has moved on.
func editUnseen(t *testing.T, path, text string) {
	t.Helper()
	before := seen(t, path)
	for seen(t, path) == before {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(0, before.modified)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// replace puts another file in the place of one, with the same size and time.
func replace(t *testing.T, path, text string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	other := writeFile(t, t.TempDir(), "other", []byte(text))
	if err := os.Chtimes(other, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
}
