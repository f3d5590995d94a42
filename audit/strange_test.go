package audit_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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

// What is no object and stands where one of a log, or the log, belongs, hides it, and nobody writes past it.
func TestWhatHidesAnObjectOfALogIsAFault(t *testing.T) {
	whole, job := built(t)
	elsewhere := filepath.Join(t.TempDir(), "moved")
	if err := os.WriteFile(elsewhere, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	link := func(path string) error { return os.Symlink(elsewhere, path) }
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o666) }
	for _, c := range []struct {
		key string
		put func(path string) error
		do  string
	}{
		{"landing/sales/log/00000000000000000099.json", link, "what it leads to into its place"},
		{"landing/sales/log/00000000000000000099.json", pipe, "move the object out"},
		{"landing/sales/checkpoints/00000000000000000099.bin", pipe, "move the object out"},
		{"tables/sales_hourly/log/00000000000000000099.json", func(path string) error { return os.Mkdir(path, 0o777) }, "move the object out"},
		{"tables/sales_hourly/trims", link, "what it leads to into its place"},
		{"tables/other", pipe, "move the object out"},
		{"requests", link, "what it leads to into its place"},
	} {
		folder, err := objstore.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		whole.put(t, folder)
		path := folder.LocalPath(c.key)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), c.put(path)); err != nil {
			t.Fatal(err)
		}
		found, _ := audited(t, folder, false, job)
		if got, want := text(found), []string{"strange-log-object " + c.key}; !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		} else if !strings.Contains(found[0].Do, c.do) {
			t.Errorf("%s of %q: says to %s, want %s", c.key, found[0].In, found[0].Do, c.do)
		}
	}
}
