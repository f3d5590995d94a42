package ingest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFoldersAreToldByWhatTheyAre(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"same": "a", "deep": "a/b"} {
		if err := os.Symlink(filepath.Join(dir, to), filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		folder, in string
		want       bool
	}{
		{"a", "a", true}, {"same", "a", true}, {"a", "same", true}, {"deep", "a", true}, {"a", "deep", false},
		{"a/b", "same", true}, {"a", "a/b", false}, {"a/new/x", "same", true}, {"same/new", "a/new", true},
		{"a/new", "same/new/x", false}, {"a/news", "a/new", false}, {"new", "a", false}, {"a", "new", false}, {"new/x", "new", true},
	} {
		got, err := Lies(filepath.Join(dir, c.folder), filepath.Join(dir, c.in))
		if err != nil || got != c.want {
			t.Errorf("%s in %s: got %v, %v", c.folder, c.in, got, err)
		}
	}
}
