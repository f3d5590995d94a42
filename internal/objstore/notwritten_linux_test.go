package objstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"strandline/internal/objstore"
)

// Who is told so need not ask the store again and again whether it was written after all.
func TestAFolderThatMayNotBeWrittenSaysThatNothingWas(t *testing.T) {
	for _, closed := range []string{"", ".tmp", "log"} {
		t.Run("closed "+closed, func(t *testing.T) { mayNotWrite(t, closed) })
	}
}

// mayNotWrite writes into a folder store while the folder of that name in it is closed.
func mayNotWrite(t *testing.T, closed string) {
	root := t.TempDir()
	asNobody(t, root)
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

// asNobody takes from the rest of the test what root may do, so that a closed folder is
// closed to it too. dir becomes its own. Who is not root keeps what they are.
func asNobody(t *testing.T, dir string) {
	t.Helper()
	const nobody = 65534
	if os.Geteuid() != 0 {
		return
	}
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chown(dir, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // it holds for one thread
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setfsuid(0); err != nil {
			t.Error(err)
		}
		runtime.UnlockOSThread()
	})
}
