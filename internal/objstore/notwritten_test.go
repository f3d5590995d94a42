package objstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"strandline/internal/objstore"
)

// Who is told so need not ask the store again and again whether it was written after all.
func TestAFolderThatMayNotBeWrittenSaysThatNothingWas(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	for _, closed := range []string{"", ".tmp", "log"} {
		root := t.TempDir()
		folder, err := objstore.OpenFolder(root)
		if err != nil {
			t.Fatal(err)
		}
		if err := folder.Create(t.Context(), "log/1", []byte("1")); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(root, closed)
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		key := "log/2"
		if closed == "" {
			key = "other/2"
		}
		err = folder.Create(t.Context(), key, []byte("2"))
		if !errors.Is(err, objstore.ErrNotWritten) {
			t.Errorf("%q closed: got %v, want ErrNotWritten", closed, err)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := folder.Create(t.Context(), key, []byte("2")); err != nil {
			t.Errorf("%q open again: %v", closed, err)
		}
	}
}
