package objstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"strandline/internal/objstore"
)

func TestAbsentFolderReadsAsEmptyAndStaysAbsent(t *testing.T) {
	root := filepath.Join(t.TempDir(), "lake")
	store := openFolder(t, root)
	if found, err := store.List(t.Context(), "a/", "", 10); err != nil || len(found) != 0 {
		t.Errorf("list: got %v, %v, want nothing", found, err)
	}
	if _, err := store.Read(t.Context(), "a/b"); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("read: got %v, want ErrNotFound", err)
	}
	if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made by reading: %v", err)
	}
}

func TestFileIsNoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path)
	if _, err := objstore.OpenFolder(path); err == nil {
		t.Error("want an error")
	}
}

func TestFolderListsObjectsOnly(t *testing.T) {
	root := t.TempDir()
	store := openFolder(t, root)
	if err := store.Create(t.Context(), "a/object", nil); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(root, "a", ".hidden"))
	if err := errors.Join(
		os.Mkdir(filepath.Join(root, "a", "empty"), 0o777),
		os.Symlink("object", filepath.Join(root, "a", "link")),
		os.Symlink("a", filepath.Join(root, "linked")),
	); err != nil {
		t.Fatal(err)
	}
	found, err := store.List(t.Context(), "", "", 10)
	if err != nil || len(found) != 1 || found[0].Key != "a/object" {
		t.Errorf("list: got %v, %v, want a/object alone", found, err)
	}
	for _, key := range []string{"a/link", "a/empty", "a"} {
		if _, err := store.Read(t.Context(), key); !errors.Is(err, objstore.ErrNotFound) {
			t.Errorf("read %s: got %v, want ErrNotFound", key, err)
		}
	}
	for _, key := range []string{"a", "a/link", "a/object/below", "linked/new"} {
		if err := store.Create(t.Context(), key, nil); !errors.Is(err, objstore.ErrBadKey) {
			t.Errorf("create %s: got %v, want ErrBadKey", key, err)
		}
	}
	if err := store.Delete(t.Context(), "a/empty"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(root, "a", "empty")); err != nil {
		t.Errorf("delete of a key took a folder: %v", err)
	}
}

func TestOpeningSweepsOnlyOldTemporaries(t *testing.T) {
	root := t.TempDir()
	old, young := filepath.Join(root, ".tmp", "old"), filepath.Join(root, ".tmp", "young")
	if err := os.Mkdir(filepath.Dir(old), 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, old)
	writeFile(t, young)
	longAgo := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	openFolder(t, root)
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("old temporary: got %v, want it gone", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("young temporary: %v", err)
	}
}

func TestFolderLeavesNoTemporaries(t *testing.T) {
	root := t.TempDir()
	stores := []*objstore.Folder{openFolder(t, root), openFolder(t, root)}
	var all sync.WaitGroup
	for w := range 16 {
		all.Go(func() {
			for i := range 10 {
				err := stores[w%2].Create(t.Context(), fmt.Sprintf("k/%d", i), []byte("x"))
				if err != nil && !errors.Is(err, objstore.ErrExists) {
					t.Errorf("create: %v", err)
				}
			}
		})
	}
	all.Wait()
	if err := stores[0].Upload(t.Context(), "k/none", filepath.Join(root, "absent")); err == nil {
		t.Error("upload of an absent file: want an error")
	}
	if left, err := os.ReadDir(filepath.Join(root, ".tmp")); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestFolderIsMadeAnewAfterItWasRemoved(t *testing.T) {
	root := filepath.Join(t.TempDir(), "lake")
	store := openFolder(t, root)
	if err := store.Create(t.Context(), "a/b/1", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if err := store.Create(t.Context(), "a/b/2", nil); err == nil {
		t.Fatal("the create that finds its folder gone: want an error")
	}
	if err := store.Create(t.Context(), "a/b/3", nil); err != nil {
		t.Errorf("the next create: %v", err)
	}
}

func TestLocalPathHoldsTheBytes(t *testing.T) {
	store := openFolder(t, t.TempDir())
	if err := store.Create(t.Context(), "a/b", []byte("tide")); err != nil {
		t.Fatal(err)
	}
	if body, err := os.ReadFile(store.LocalPath("a/b")); err != nil || string(body) != "tide" {
		t.Errorf("got %q, %v", body, err)
	}
	if store.URL("a/b") != filepath.Join(store.Root(), "a", "b") {
		t.Errorf("URL is %s", store.URL("a/b"))
	}
}

func writeFile(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What stands where an object, or the folder of some, belongs is told with what to do, and waited for by nobody.
func TestWhatIsInTheWayIsTold(t *testing.T) {
	folder := openFolder(t, t.TempDir())
	if err := folder.Create(t.Context(), "a/b", nil); err != nil {
		t.Fatal(err)
	}
	for key, put := range map[string]func(path string) error{
		"a/a named pipe":    func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"a/a folder":        func(path string) error { return os.Mkdir(path, 0o777) },
		"a/a symbolic link": func(path string) error { return os.Symlink(folder.LocalPath("a/b"), path) },
	} {
		if err := put(folder.LocalPath(key)); err != nil {
			t.Fatal(err)
		}
		want := folder.LocalPath(key) + " is " + strings.TrimPrefix(key, "a/") + " where an object belongs: move it out of the lake"
		_, looked := folder.Has(t.Context(), key)
		for act, err := range map[string]error{"create": folder.Create(t.Context(), key, nil), "look": looked} {
			if !errors.Is(err, objstore.ErrNotWritten) || !errors.Is(err, objstore.ErrBadKey) || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: got %v, want that %s", act, err, want)
			}
		}
	}
	pipe := "a/a named pipe"
	if err := folder.Create(t.Context(), pipe+"/c", nil); !errors.Is(err, objstore.ErrNotWritten) || !strings.Contains(err.Error(), "where a folder of the lake belongs: move it out") {
		t.Errorf("below: got %v", err)
	}
	if found, err := folder.List(t.Context(), pipe+"/", "", 1); err != nil || len(found) > 0 {
		t.Errorf("list: got %v, %v", found, err)
	}
	if has, err := folder.Has(t.Context(), pipe+"/c"); err != nil || has {
		t.Errorf("look below: got %v, %v", has, err)
	}
}

func TestAFolderHasWhatCanBeRead(t *testing.T) {
	folder := openFolder(t, t.TempDir())
	has := func(key string, want bool) {
		t.Helper()
		if got, err := folder.Has(t.Context(), key); err != nil || got != want {
			t.Errorf("has %s: got %v, %v, want %v", key, got, err, want)
		}
	}
	has("a/b/c", false)
	if err := folder.Create(t.Context(), "a/b/c", nil); err != nil {
		t.Fatal(err)
	}
	has("a/b/c", true)
	has("a/b/d", false)
	has("a/b/c/d", false) // nor does an object hold keys
	if err := folder.Delete(t.Context(), "a/b/c"); err != nil {
		t.Fatal(err)
	}
	has("a/b/c", false)
	if got, err := folder.Has(t.Context(), "a/b"); got || err == nil || !strings.Contains(err.Error(), "a folder where an object belongs") {
		t.Errorf("of a folder, which is no object: got %v, %v", got, err)
	}
	if _, err := folder.Has(t.Context(), "a//b"); !errors.Is(err, objstore.ErrBadKey) {
		t.Errorf("got %v, want ErrBadKey", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := folder.Has(ended, "a/b/c"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context has ended", err)
	}
}
