package ingest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A file that has no end of its own format waits for it, and then lands whole.
func TestFilesWaitForTheEndOfTheirOwnFormat(t *testing.T) {
	quakes := readFile(t, "../testdata/quakes.ndjson")[:20_000]
	quakes = quakes[:bytes.LastIndexByte(quakes, '\n')+1]
	rows := int64(bytes.Count(quakes, []byte("\n")))
	array := append([]byte("["), bytes.ReplaceAll(bytes.TrimSpace(quakes), []byte("\n"), []byte(","))...)
	for name, c := range map[string]struct {
		whole  []byte
		format Format
	}{
		"gzip": {gzipped(quakes), FormatNDJSON}, "zstd": {zstded(quakes), FormatNDJSON}, "JSON array": {append(array, ']'), FormatJSON},
	} {
		dir, stream := t.TempDir(), openStream(t, quakeSpec())
		synctest.Test(t, func(t *testing.T) {
			var reports []string
			w, err := NewWatcher(Folder{Dir: dir}, func(name string, err error) { reports = append(reports, err.Error()) })
			if err != nil {
				t.Fatal(err)
			}
			w.notes = notes{watch: func(string) error { return nil }}
			lander := StreamLander{Stream: stream, Options: Options{Format: c.format}, Landed: func(Outcome) error { return nil }}
			writeFile(t, dir, "a", c.whole[:len(c.whole)/2])
			ctx, stop := context.WithCancel(t.Context())
			stopped := make(chan error)
			go func() { stopped <- w.loop(ctx, lander) }()
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			if stream.Next() != 0 || len(reports) != 1 {
				t.Errorf("%s: half of it landed %d rows, and was told as %q", name, stream.Next(), reports)
			}
			writeFile(t, dir, "a", c.whole)
			time.Sleep(time.Minute)
			synctest.Wait()
			if int64(stream.Next()) != rows || len(reports) != 1 {
				t.Errorf("%s: it landed %d rows of %d, and was told as %q", name, stream.Next(), rows, reports)
			}
			stop()
			if err := <-stopped; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOnceLandsWhatIsThereAndReportsTheRest(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "cut", "growing"} {
		writeFile(t, dir, name, []byte("1"))
	}
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, dir: dir, answer: map[string]error{
			"cut": fmt.Errorf("read: %w", ErrTruncated), "growing": ErrChanged,
		}}
		told := map[string]bool{}
		w, err := NewWatcher(Folder{Dir: dir, AfterLanding: ActionDelete}, func(name string, err error) { told[name] = true })
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Once(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if landed := slices.Compact(slices.Sorted(slices.Values(s.landed))); !slices.Equal(landed, []string{"a", "b", "cut", "growing"}) {
			t.Errorf("handed over %q", landed)
		}
		if got := slices.Sorted(maps.Keys(told)); !slices.Equal(got, []string{"cut", "growing"}) {
			t.Errorf("told of %q", got)
		}
		wantNames(t, dir, "cut", "growing")
	})
}

// 100,000 files that have landed cost a process that starts some seconds, and for each
// the memory of its name.
func TestManyKnownFilesAreRememberedAndNotRead(t *testing.T) {
	dir := t.TempDir()
	const files = 3000
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, dir: dir}
		for i := range files {
			s.known = append(s.known, fmt.Sprint(i))
		}
		w, err := NewWatcher(Folder{Dir: dir}, func(name string, err error) { t.Errorf("%s: %v", name, err) })
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Once(t.Context(), s); err != nil || len(s.landed) > 0 {
			t.Errorf("%d were read, %v", len(s.landed), err)
		}
		if len(w.files.files) != files || len(w.files.pending) != 0 || len(w.files.dues) != 0 {
			t.Errorf("%d are remembered, %d are pending and %d due", len(w.files.files), len(w.files.pending), len(w.files.dues))
		}
	})
}
