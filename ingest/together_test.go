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

	"strandline/internal/localfile"
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
	add("in parts.gz", gzipped([]byte(strings.Repeat(row(109), 1+2*manyBytes/len(row(109))))))
	add("empty", nil)
	add("\xff", []byte(row(101)))
	add("reject", []byte(row(102)+"no JSON\n"))
	add("rejects alone", []byte("\nno JSON\n{}\n"))
	add("clean", []byte(row(107)))
	add("cut reject", []byte(strings.Repeat("x", rawKept+1)+"\n"+row(108)+"{}\n"))
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
	landBothWays(t, manyFiles(t, t.TempDir()), Options{MaxRecord: rawKept}, 5, 5)
}

// Files of CSV and of types land together too: those that can be read, and don't have more
// rows than their size would let one expect.
func TestSmallFilesOfOtherFormatsLandTogether(t *testing.T) {
	dir := t.TempDir()
	var tables []File
	for i, text := range []string{"time,id\n1517365101235,a\n", "id;time\nb;1\n", "time,id\n1,c\nx,d\n2,e\n", "", "time,id\n\"", "id,time,place\nf,3,\n"} {
		tables = append(tables, File{Path: writeFile(t, dir, fmt.Sprint(i, ".csv"), []byte(text)), Name: fmt.Sprint(i)})
	}
	optional := []string{"id", "mag", "net", "place"}
	landBothWays(t, tables, Options{Format: FormatCSV, Optional: optional}, 2, 2)

	db := openDuckDB(t)
	var typed []File
	for i, query := range []string{"SELECT 1 AS time, 'a' AS id", "SELECT 2 AS time, i::VARCHAR AS id FROM range(40) t(i)", "SELECT 'soon' AS time UNION ALL SELECT '3'", "SELECT 4 AS time FROM range(200000)", "SELECT 5 AS time", "SELECT 6 AS time"} {
		path := filepath.Join(dir, fmt.Sprint(i, ".parquet"))
		run(t, db, "COPY (%s) TO '%s' (FORMAT parquet)", query, path)
		if info, err := os.Stat(path); err != nil || info.Size() > SmallPiece {
			t.Fatalf("%s has %d bytes (%v), want few", path, info.Size(), err)
		}
		typed = append(typed, File{Path: path, Name: fmt.Sprint(i)})
	}
	typed = append(typed, File{Path: writeFile(t, dir, "none", []byte("PAR1")), Name: "none"})
	landBothWays(t, typed, Options{Format: FormatParquet, Optional: optional, Scratch: t.TempDir()}, 1, 3)
}

// landBothWays lands files alone and together, and wants the same of both, with so many
// rejects, but for the entries of the log, of which there are so many together.
func landBothWays(t *testing.T, files []File, opts Options, rejects, entries int) {
	t.Helper()
	open := func() (*landing.Stream, objstore.Store) {
		store := objstore.NewMemory()
		return landing.Open(store, quakeSpec(), landing.Options{Scratch: t.TempDir()}), store
	}
	alone, aloneStore := open()
	var want []told
	for _, f := range files {
		want = append(want, tellOf(landFile(t.Context(), alone, f, opts)))
	}
	together, store := open()
	var got []told
	LandFiles(t.Context(), together, files, opts, func(i int, o Outcome, err error) {
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
	if got, want := rejectsOf(t, together, store), rejectsOf(t, alone, aloneStore); !slices.Equal(got, want) || len(got) != rejects {
		t.Errorf("got the rejects %q\nwant %q", got, want)
	}
	if n := entriesOf(t, store); n != entries {
		t.Errorf("there are %d entries, want %d", n, entries)
	}
}

func rejectsOf(t *testing.T, s *landing.Stream, store objstore.Store) (all []string) {
	t.Helper()
	err := s.Rejects(t.Context(), localfile.New(store, t.TempDir(), localfile.DefaultMaxBytes), func(r landing.LandedReject) error {
		all = append(all, fmt.Sprintf("%s:%d %s %.20q %t %s %q", r.Source, r.SourcePosition, r.Reason, r.Raw, r.Cut, r.Format, r.Context))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
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
	if len(once) != 33 {
		t.Errorf("%d contents landed, want 33: %v", len(once), all)
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
