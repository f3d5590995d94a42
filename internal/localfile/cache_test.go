package localfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sync/errgroup"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// store is a memory store with one object, and counted calls.
func store(t *testing.T, body string) *objstore.Fault {
	t.Helper()
	memory := objstore.NewMemory()
	if err := memory.Create(t.Context(), "a/b", []byte(body)); err != nil {
		t.Fatal(err)
	}
	return objstore.NewFault(memory, nil)
}

func TestACopyIsMadeOnceForAllWhoAskAtOnce(t *testing.T) {
	s := store(t, "body")
	c := New(s, t.TempDir(), DefaultMaxBytes)
	var group errgroup.Group
	for range 20 {
		group.Go(func() error {
			path, release, err := c.Get(t.Context(), "a/b")
			if err != nil {
				return err
			}
			defer release()
			body, err := os.ReadFile(path)
			if string(body) != "body" {
				return errors.Join(err, errors.New("read "+string(body)))
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := s.Calls(objstore.OpDownload); n != 1 {
		t.Fatalf("downloaded %d times", n)
	}
}

func TestIdleCopiesGoWhenThereIsNoRoomAndThoseInUseStay(t *testing.T) {
	dir := t.TempDir()
	c := New(store(t, "body"), dir, 1)
	path, release, err := c.Get(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	release()
	release() // twice is once
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Fatalf("%v are left, %v", left, err)
	}
	if _, release, err = c.Get(t.Context(), "a/b"); err != nil {
		t.Fatal(err)
	}
	release()
}

func TestAFileThatIsNotWhatWasWrittenIsRefused(t *testing.T) {
	good := File{Key: "a/b", Bytes: 4, Digest: digest.OfBytes([]byte("body"))}
	for name, body := range map[string]string{"longer": "bodyy", "other": "bodx"} {
		c := New(store(t, body), t.TempDir(), DefaultMaxBytes)
		if _, _, err := c.Fetch(t.Context(), []File{good}); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
	c := New(store(t, "body"), t.TempDir(), DefaultMaxBytes)
	if _, release, err := c.Fetch(t.Context(), []File{good, {Key: "a/b"}}); err != nil {
		t.Error(err)
	} else {
		release()
	}
}

func TestAFolderFileIsCheckedAgainWhenItHasChanged(t *testing.T) {
	root := t.TempDir()
	folder, err := objstore.OpenFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Create(t.Context(), "a/b", []byte("body")); err != nil {
		t.Fatal(err)
	}
	c := New(folder, t.TempDir(), DefaultMaxBytes)
	file := File{Key: "a/b", Bytes: 4, Digest: digest.OfBytes([]byte("body"))}
	if _, release, err := c.Fetch(t.Context(), []File{file}); err != nil {
		t.Fatal(err)
	} else {
		release()
	}
	if err := os.WriteFile(filepath.Join(root, "a", "b"), []byte("bodx"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Fetch(t.Context(), []File{file}); !errors.Is(err, ErrDamaged) {
		t.Fatalf("got %v, want ErrDamaged", err)
	}
}
