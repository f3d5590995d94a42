package localfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"strandline/internal/digest"
	"strandline/internal/objstore"
	"strandline/internal/objstore/storetest"
)

func TestAFileThatWasRemovedIsGoneWhateverItsReaderSays(t *testing.T) {
	folder, err := objstore.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Create(t.Context(), "a/b", []byte("body")); err != nil {
		t.Fatal(err)
	}
	c := New(folder, t.TempDir(), DefaultMaxBytes)
	path, release, err := c.Get(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	blamed := errors.New("the machine is at fault")
	if err := c.Gone(blamed, path); err != blamed {
		t.Errorf("of a file that is there: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := c.Gone(nil, path); err != nil {
		t.Errorf("of a reader who had opened it: %v", err)
	}
	if err := c.Gone(blamed, path); !errors.Is(err, objstore.ErrNotFound) || errors.Is(err, blamed) {
		t.Errorf("got %v, want ErrNotFound alone", err)
	}
	if err := c.Gone(fmt.Errorf("read: %w", context.Canceled), path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}

// A copy is no object: that it is lost says nothing of the lake.
func TestACopyThatWasRemovedIsNoLostObject(t *testing.T) {
	c := New(store(t, "body"), t.TempDir(), DefaultMaxBytes)
	path, release, err := c.Get(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	blamed := errors.New("no such file")
	if err := c.Gone(blamed, path); err != blamed {
		t.Errorf("got %v", err)
	}
}

func TestAFileThatIsRemovedBeforeItIsCheckedIsGone(t *testing.T) {
	folder, err := objstore.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Create(t.Context(), "a/b", []byte("body")); err != nil {
		t.Fatal(err)
	}
	swept := storetest.Finding{Folder: folder, After: func(key string) {
		if err := folder.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
	}}
	c := New(swept, t.TempDir(), DefaultMaxBytes)
	file := File{Key: "a/b", Bytes: 4, Digest: digest.OfBytes([]byte("body"))}
	if _, _, err := c.Fetch(t.Context(), []File{file}); !errors.Is(err, objstore.ErrNotFound) {
		t.Fatalf("got %v, want ErrNotFound", err)
	}
}
