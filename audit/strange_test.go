package audit_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"strandline/internal/objstore"
)

// What lies where an object should be, and is none, is told; a folder that keys go
// through is not.
func TestWhatIsNoFileIsTold(t *testing.T) {
	whole, job := built(t)
	root := t.TempDir()
	folder, err := objstore.OpenFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	segments := whole.keys("landing/sales/data/")
	elsewhere := filepath.Join(t.TempDir(), "moved")
	err = os.WriteFile(elsewhere, whole[segments[0]], 0o666)
	lose(whole, segments[0])
	whole.put(t, folder)
	named := "landing/sales/data/" + someID + ".parquet"
	if err := errors.Join(err,
		os.Symlink(elsewhere, folder.LocalPath(segments[0])),
		os.Mkdir(folder.LocalPath(named), 0o777),
		os.Mkdir(folder.LocalPath("landing/sales/data/empty"), 0o777),
		os.Symlink(elsewhere, filepath.Join(root, "notes")),
		os.Symlink(elsewhere, filepath.Join(root, ".notes")),
	); err != nil {
		t.Fatal(err)
	}
	found, _ := audited(t, folder, true, job)
	got := text(found)
	slices.Sort(got)
	want := []string{"missing-segment " + segments[0], "note: foreign " + named, "note: foreign " + segments[0], "note: foreign notes"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found %q\nwant %q", got, want)
	}
}
