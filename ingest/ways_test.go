package ingest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/landing"
)

// TestRowsSayByWhichWayTheyCameIn lands the same files by the ways that there are of files.
func TestRowsSayByWhichWayTheyCameIn(t *testing.T) {
	spec := landing.Spec{Stream: "s", EventTime: landing.EventTime{Column: "t", Unit: landing.UnitISO}}
	dir := t.TempDir()
	var files []File
	for _, name := range []string{"a", "b", "c"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(`{"t":"2026-03-01T00:00:00Z","n":"`+name+`"}`+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, File{Path: path, Name: name})
	}
	none := func(Outcome) error { return nil }
	for name, c := range map[string]struct {
		want string
		land func(*landing.Stream) error
	}{
		"a file": {WayLand, func(s *landing.Stream) error {
			_, err := LandFile(t.Context(), s, files[0].Path, "a", Options{})
			return err
		}},
		"a reader": {WayLand, func(s *landing.Stream) error {
			_, err := LandReader(t.Context(), s, strings.NewReader(`{"t":"2026-03-01T00:00:00Z"}`), "stdin", Options{})
			return err
		}},
		"files of a folder": {WayDir, func(s *landing.Stream) error {
			_, err := StreamLander{Stream: s, Landed: none}.Land(t.Context(), files[0])
			return err
		}},
		"many of a folder": {WayDir, func(s *landing.Stream) (err error) {
			StreamLander{Stream: s, Landed: none}.LandAll(t.Context(), files, func(_ int, _ Outcome, e error) { err = errors.Join(err, e) })
			return err
		}},
		"a log of a folder": {WayDir, func(s *landing.Stream) error {
			_, err := NewTailLander(TailLander{Stream: s, Landed: none}).Land(t.Context(), files[0])
			return err
		}},
	} {
		s := landing.Open(objstore.NewMemory(), spec, landing.Options{Scratch: t.TempDir()})
		if err := c.land(s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var ways []string
		s.View(func(state *landing.State) {
			for _, w := range state.WaysIn(time.Now()) {
				ways = append(ways, w.Name)
			}
		})
		if !slices.Equal(ways, []string{c.want}) {
			t.Errorf("%s came in by %v, want %s", name, ways, c.want)
		}
	}
}
