package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/internal/objstore"
	"strandline/landing"
)

// manyFiles are files of all kinds in a folder, most of them small and clean.
func manyFiles(t *testing.T, dir string) (files []File) {
	t.Helper()
	row := func(n int) string { return fmt.Sprintf(`{"time":1517365101235,"id":"%d"}`+"\n", n) }
	add := func(name string, content []byte) {
		files = append(files, File{Path: writeFile(t, dir, name, content), Name: name})
	}
	for i := range 20 {
		add(fmt.Sprint(i, ".ndjson"), []byte(strings.Repeat(row(i), i%3+1)))
	}
	add("packed.gz", gzipped([]byte(row(100))))
	add("again.gz", gzipped([]byte(row(100))))
	add("empty", nil)
	add("\xff", []byte(row(101)))
	add("reject", []byte(row(102)+"no JSON\n"))
	add("cut.gz", gzipped([]byte(row(103)))[:20])
	add("large", []byte(strings.Repeat(row(104), SmallPiece/len(row(104))+1)))
	add("blown.gz", gzipped([]byte(strings.Repeat(row(105), 1+smallContent/len(row(105))))))
	files = append(files, File{Path: filepath.Join(dir, "gone"), Name: "gone"}, File{Path: dir, Name: "folder"})
	add("other version", []byte(row(106)))
	files[len(files)-1].Version = "file 1"
	for i := range 3 {
		add(fmt.Sprint("last ", i), []byte(row(110+i)))
		info, err := os.Stat(files[len(files)-1].Path)
		if err != nil {
			t.Fatal(err)
		}
		files[len(files)-1].Version = VersionOf(info)
	}
	return files
}

type told struct {
	outcome Outcome
	err     string
}

func tellOf(o Outcome, err error) told {
	o.Took = 0
	return told{o, fmt.Sprint(err)}
}

func arrivalsOf(t *testing.T, s *landing.Stream) (all []landing.Arrival) {
	t.Helper()
	err := s.Refresh(t.Context())
	if err == nil {
		err = s.Arrivals(t.Context(), 0, s.Next(), func(a landing.Arrival) error {
			a.LandedAt = time.Time{}
			a.RejectFiles = nil
			all = append(all, a)
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func entriesOf(t *testing.T, store objstore.Store) int {
	t.Helper()
	listed, err := store.List(t.Context(), "landing/", "", 10_000)
	if err != nil {
		t.Fatal(err)
	}
	return len(slices.DeleteFunc(listed, func(o objstore.Object) bool { return !strings.Contains(o.Key, "/log/") }))
}

// What lands together is told, known and positioned as if each had landed by itself.
func TestFilesLandTogetherAsTheyWouldAlone(t *testing.T) {
	dir := t.TempDir()
	files := manyFiles(t, dir)
	open := func() (*landing.Stream, objstore.Store) {
		store := objstore.NewMemory()
		return landing.Open(store, quakeSpec(), landing.Options{Scratch: t.TempDir()}), store
	}
	alone, aloneStore := open()
	var want []told
	for _, f := range files {
		want = append(want, tellOf(landFile(t.Context(), alone, f, Options{})))
	}
	together, store := open()
	var got []told
	LandFiles(t.Context(), together, files, Options{}, func(i int, o Outcome, err error) {
		if i != len(got) {
			t.Errorf("file %d is told after %d", i, len(got)-1)
		}
		got = append(got, tellOf(o, err))
	})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got, want := arrivalsOf(t, together), arrivalsOf(t, alone); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got, want := rowsOf(t, together, store), rowsOf(t, alone, aloneStore); !slices.Equal(got, want) {
		t.Errorf("%d rows are not the %d of files that land alone", len(got), len(want))
	}
	if n := entriesOf(t, store); n > 7 {
		t.Errorf("there are %d entries", n)
	}
}

// Several processes land the same files: each content lands once.
func TestFilesThatSeveralProcessesLandTogetherLandOnce(t *testing.T) {
	dir, store := t.TempDir(), objstore.NewMemory()
	files := manyFiles(t, dir)
	var group errgroup.Group
	for range 3 {
		stream := landing.Open(store, quakeSpec(), landing.Options{Scratch: t.TempDir()})
		group.Go(func() (failed error) {
			LandFiles(context.Background(), stream, files, Options{}, func(_ int, _ Outcome, err error) {
				if err != nil && !errors.Is(err, ErrInput) && !errors.Is(err, ErrVanished) && !errors.Is(err, ErrChanged) {
					failed = errors.Join(failed, err)
				}
			})
			return failed
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	once := map[landing.Identity]bool{}
	all := arrivalsOf(t, landing.Open(store, quakeSpec(), landing.Options{Scratch: t.TempDir()}))
	for _, a := range all {
		if a.Size >= 0 && once[a.Identity] {
			t.Errorf("%q landed twice", a.Name)
		}
		once[a.Identity] = true
	}
	if len(once) != 29 {
		t.Errorf("%d contents landed, want 29: %v", len(once), all)
	}
}

func TestSmallFilesOfAFolderLandTogetherAndAreRemembered(t *testing.T) {
	dir, store := t.TempDir(), objstore.NewMemory()
	for i := range 50 {
		writeFile(t, dir, fmt.Sprint("sub/", i), []byte(fmt.Sprintf(`{"time":1517365101235,"id":"%d"}`+"\n", i)))
	}
	land := func(after Action) (landed int) {
		stream := landing.Open(store, quakeSpec(), landing.Options{Scratch: t.TempDir()})
		w, err := NewWatcher(Folder{Dir: dir, Settle: time.Nanosecond, AfterLanding: after}, func(name string, err error) { t.Errorf("%s: %v", name, err) })
		if err != nil {
			t.Fatal(err)
		}
		to := StreamLander{Stream: stream, Landed: func(Outcome) error { landed++; return nil }}
		if err := w.Once(t.Context(), to); err != nil {
			t.Fatal(err)
		}
		return landed
	}
	if n := land(ActionKeep); n != 50 || entriesOf(t, store) > 2 {
		t.Errorf("%d files landed by %d entries", n, entriesOf(t, store))
	}
	wantLeft := func(n int) {
		if left := names(t, dir); len(left) != n {
			t.Errorf("%d files are left, want %d", len(left), n)
		}
	}
	wantLeft(50)
	writeFile(t, dir, "more", []byte(`{"time":1517365101235,"id":"more"}`))
	if n := land(ActionDelete); n != 1 { // the others are known
		t.Errorf("%d files landed", n)
	}
	wantLeft(0)
}
