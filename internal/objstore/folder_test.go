package objstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
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
	has("a/b", false)     // a folder is no object
	has("a/b/c/d", false) // nor does an object hold keys
	if err := folder.Delete(t.Context(), "a/b/c"); err != nil {
		t.Fatal(err)
	}
	has("a/b/c", false)
	if _, err := folder.Has(t.Context(), "a//b"); !errors.Is(err, objstore.ErrBadKey) {
		t.Errorf("got %v, want ErrBadKey", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := folder.Has(ended, "a/b/c"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context has ended", err)
	}
}
