package objstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"strandline/internal/objstore"
)

// takes brings a file up and tells whether the object is that file itself.
func takes(t *testing.T, store *objstore.Folder, path string) bool {
	t.Helper()
	if err := objstore.Take(t.Context(), store, "a/object", path); err != nil {
		t.Fatal(err)
	}
	body, err := store.Read(t.Context(), "a/object")
	if err != nil || string(body) != "x" {
		t.Fatalf("got %q, %v", body, err)
	}
	left, err := os.ReadDir(filepath.Join(store.Root(), ".tmp"))
	if err != nil || len(left) != 0 {
		t.Errorf("temporaries %v are left, %v", left, err)
	}
	object, err := os.Stat(store.LocalPath("a/object"))
	if err != nil {
		t.Fatal(err)
	}
	return sameFile(t, path, object)
}

func newFile(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFileOnTheLakesFileSystemIsTakenItself(t *testing.T) {
	store, path := openFolder(t, t.TempDir()), newFile(t, t.TempDir())
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if !takes(t, store, path) {
		t.Error("it was copied")
	}
	// A sweep would take what is old for forgotten.
	if found, err := store.List(t.Context(), "a/", "", 2); err != nil || len(found) != 1 || found[0].Modified.Before(old.Add(time.Minute)) {
		t.Errorf("got %v, %v", found, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if body, err := store.Read(t.Context(), "a/object"); err != nil || string(body) != "x" {
		t.Errorf("after the caller's name is gone: got %q, %v", body, err)
	}
}

// The clock of a bubble stands in the year 2000, as that of a writer may that is wrong; the store's does not.
func TestWhatIsTakenIsDatedByTheStoresClockAsWhatIsUploaded(t *testing.T) {
	root, given := t.TempDir(), newFile(t, t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		store := openFolder(t, root)
		if err := errors.Join(store.Upload(t.Context(), "a/1", given), store.Take(t.Context(), "a/2", given)); err != nil {
			t.Fatal(err)
		}
		now, err := objstore.Clock(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		found, err := store.List(t.Context(), "a/", "", 3)
		if err != nil || len(found) != 2 || found[1].Modified.Before(found[0].Modified) || now.Before(found[1].Modified) {
			t.Errorf("at %s of the store's clock: got %v, %v", now, found, err)
		}
		if object, err := os.Stat(store.LocalPath("a/2")); err != nil || !sameFile(t, given, object) {
			t.Error("it was copied")
		}
	})
}

func sameFile(t *testing.T, path string, object os.FileInfo) bool {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(info, object)
}

func TestAFileThatIsNotAsTheLakesAreIsCopied(t *testing.T) {
	for name, alter := range map[string]func(t *testing.T, root, path string) error{
		"rights of its own": func(_ *testing.T, _, path string) error { return os.Chmod(path, 0o600) },
		"a lake of a group": func(t *testing.T, root, _ string) error {
			return errors.Join(os.Chown(root, -1, otherGroup(t)), os.Chmod(root, 0o777|os.ModeSetgid))
		},
		"an attribute": func(_ *testing.T, _, path string) error {
			return unix.Setxattr(path, "user.strandline", []byte("1"), 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			root, path := t.TempDir(), newFile(t, t.TempDir())
			if err := alter(t, root, path); errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EPERM) {
				t.Skip("it can't be made here:", err)
			} else if err != nil {
				t.Fatal(err)
			}
			if takes(t, openFolder(t, root), path) {
				t.Error("the object is that file itself")
			}
		})
	}
}

// otherGroup returns a group of this user that new files do not get.
func otherGroup(t *testing.T) int {
	t.Helper()
	if os.Geteuid() == 0 {
		return os.Getegid() + 1
	}
	groups, err := os.Getgroups()
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range groups {
		if group != os.Getegid() {
			return group
		}
	}
	t.Skip("this user is in one group only")
	return -1
}

func TestOfFilesThatAreTakenForOneKeyOneWins(t *testing.T) {
	store := openFolder(t, t.TempDir())
	for i, dir := range []string{t.TempDir(), t.TempDir()} {
		err := objstore.Take(t.Context(), store, "a/object", newFile(t, dir))
		if (i == 0) != (err == nil) || i == 1 && !errors.Is(err, objstore.ErrExists) {
			t.Errorf("call %d: got %v", i, err)
		}
	}
}
