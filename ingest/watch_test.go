package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// stage runs a Watcher on a real folder with a clock and notifications that
// the test owns. It must be set up inside of a synctest bubble.
type stage struct {
	t       *testing.T
	dir     string
	watcher *Watcher
	events  chan fsnotify.Event
	errors  chan error
	answer  map[string]error // of Land, by name
	known   []string         // names of files that have landed before
	mu      sync.Mutex       // the bubble's clock orders nothing
	landed  []string
	reports []string
	oldest  time.Time // since when something waits
	stop    func()
}

func newStage(t *testing.T, dir string, folder Folder) *stage {
	s := &stage{t: t, dir: dir, events: make(chan fsnotify.Event), errors: make(chan error), answer: map[string]error{}}
	folder.Dir = dir
	w, err := NewWatcher(folder, s.report)
	if err != nil {
		t.Fatal(err)
	}
	w.notes = notes{events: s.events, errors: s.errors, watch: func(string) error { return nil }}
	s.watcher = w
	w.Oldest = s.waits
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- w.loop(ctx, s) }()
	s.stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	synctest.Wait()
	return s
}

func (s *stage) Land(_ context.Context, file File) (Outcome, error) {
	if file.Path != filepath.Join(s.dir, filepath.FromSlash(file.Name)) {
		s.t.Errorf("path %q does not go with name %q", file.Path, file.Name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.landed = append(s.landed, file.Name)
	return Outcome{}, s.answer[file.Name]
}

func (s *stage) Stays(context.Context, File) (why, err error) { return nil, nil }

func (s *stage) Known(_ context.Context, files []File) ([]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make([]bool, len(files))
	for i, file := range files {
		known[i] = slices.Contains(s.known, file.Name)
	}
	return known, nil
}

func (s *stage) report(name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reports = append(s.reports, name+": "+err.Error())
}

func (s *stage) waits(since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.oldest = since
}

// waiting wants the oldest file that has not landed to have been there so long; 0: there
// is none.
func (s *stage) waiting(want time.Duration) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var got time.Duration
	if !s.oldest.IsZero() {
		got = time.Since(s.oldest)
	}
	if got != want {
		s.t.Errorf("the oldest file waits for %v, want %v", got, want)
	}
}

// lands says what Land is to answer from now on.
func (s *stage) lands(name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer[name] = err
}

// write changes a file; the watcher is told only where it is asked for.
func (s *stage) write(name, content string) {
	s.t.Helper()
	writeFile(s.t, s.dir, name, []byte(content))
}

func (s *stage) notify(name string) {
	s.events <- fsnotify.Event{Name: filepath.Join(s.dir, name), Op: fsnotify.Write}
	synctest.Wait()
}

// after lets time pass and wants exactly these files handed over in it.
func (s *stage) after(d time.Duration, want ...string) {
	s.t.Helper()
	s.mu.Lock()
	s.landed = nil
	s.mu.Unlock()
	time.Sleep(d) // of the bubble: no real time passes
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.landed, want) {
		s.t.Errorf("after %v: got %q, want %q", d, s.landed, want)
	}
}

// told wants exactly so many reports since it was asked last.
func (s *stage) told(want int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.reports) != want {
		s.t.Errorf("got %d reports %q, want %d", len(s.reports), s.reports, want)
	}
	s.reports = nil
}

func TestFileIsTakenOnceItHasStoodStill(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "before.ndjson", []byte("x"))
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second})
		defer s.stop()
		s.after(1900 * time.Millisecond)
		s.after(200*time.Millisecond, "before.ndjson")
		for i := range 5 { // it grows for five seconds
			s.write("growing.ndjson", fmt.Sprint(1<<(4*i)))
			s.notify("growing.ndjson")
			s.after(time.Second)
		}
		s.after(time.Second, "growing.ndjson")
		s.notify("growing.ndjson")
		s.after(10 * time.Minute)
		s.write("growing.ndjson", "another version")
		s.notify("growing.ndjson")
		s.after(2*time.Second, "growing.ndjson")
		s.told(0)
	})
}

func TestFileThatGrowsUnnoticedIsNotTakenWhileItGrows(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second})
		defer s.stop()
		s.write("a", "1")
		s.notify("a")
		s.after(1900 * time.Millisecond)
		s.write("a", "12") // and no notification
		s.after(2 * time.Second)
		s.after(200*time.Millisecond, "a")
	})
}

func TestLostNotificationsAreMadeUpFor(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second, Rescan: 30 * time.Second})
		defer s.stop()
		s.write("sub/deep/a", "1")
		s.after(31 * time.Second)
		s.after(2*time.Second, "sub/deep/a")
		s.write("sub/b", "1")
		s.errors <- fsnotify.ErrEventOverflow
		s.after(2*time.Second, "sub/b")
		if err := os.RemoveAll(filepath.Join(dir, "sub", "deep")); err != nil {
			t.Fatal(err)
		}
		s.after(30 * time.Second)
		if known := len(s.watcher.files.files); known != 1 {
			t.Errorf("%d files are remembered, want the one that is there", known)
		}
		s.told(0)
	})
}

func TestOnlyTheFilesAskedForAreTaken(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"a.csv", "sub/b.csv", "c.ndjson", "old/d.csv", "sub/old/e.csv",
		".hidden.csv", ".git/f.csv", "g.csv.tmp", "h.csv~", "i.csv.part", "j.csv.crdownload", "k.csv.swp", "~$l.csv", "#m.csv#",
	} {
		writeFile(t, dir, name, []byte(name))
	}
	if err := os.Symlink(filepath.Join(dir, "a.csv"), filepath.Join(dir, "link.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "loop.csv")); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Include: []string{"*.csv"}, Exclude: []string{"old/**"}})
		defer s.stop()
		s.after(2*time.Second, "a.csv", "link.csv", "sub/b.csv", "sub/old/e.csv")
		if err := os.Rename(filepath.Join(dir, "g.csv.tmp"), filepath.Join(dir, "g.csv")); err != nil {
			t.Fatal(err)
		}
		s.notify("g.csv.tmp")
		s.notify("g.csv")
		s.after(2*time.Second, "g.csv")
	})
}

func TestFaultyFileIsReportedOnceAVersionAndDoesNotStopTheOthers(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second, Rescan: 30 * time.Second})
		defer s.stop()
		s.lands("a", fmt.Errorf("read a: %w", ErrHeader))
		for _, name := range []string{"a", "b"} {
			s.write(name, "1")
			s.notify(name)
		}
		s.after(2*time.Second, "a", "b")
		s.told(1)
		s.after(10 * time.Minute)
		s.told(0)
		s.waiting(10*time.Minute + 2*time.Second)
		s.write("a", "still wrong")
		s.notify("a")
		s.after(2*time.Second, "a")
		s.told(1)
		s.waiting(10*time.Minute + 4*time.Second)
		s.lands("a", nil)
		s.write("a", "right at last")
		s.notify("a")
		s.after(2*time.Second, "a")
		s.waiting(0)
	})
}

func TestFaultThatIsNotTheFilesIsTriedAgainAndReportedOnce(t *testing.T) {
	for _, fault := range []error{errors.New("the store does not answer"), ErrUnreadable} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, dir, Folder{Settle: 2 * time.Second, Rescan: 30 * time.Second})
			defer s.stop()
			s.lands("a", fault)
			s.write("a", "1")
			s.notify("a")
			s.after(2*time.Second, "a")
			s.after(60*time.Second, "a", "a")
			s.told(1)
			s.lands("a", nil)
			s.after(30*time.Second, "a")
			s.after(10 * time.Minute)
			s.told(0)
		})
	}
}

func TestUnfinishedFileWaitsForItsEndAndIsReportedInTheMeantime(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second, Patience: time.Minute})
		defer s.stop()
		s.lands("a.gz", fmt.Errorf("read a.gz: %w", ErrTruncated))
		s.write("a.gz", "1")
		s.notify("a.gz")
		s.after(2*time.Second, "a.gz")
		s.after(57 * time.Second)
		s.told(0)
		s.after(2 * time.Second)
		s.told(1)
		s.after(10 * time.Minute)
		s.told(0)
		s.lands("a.gz", nil)
		s.write("a.gz", "12")
		s.notify("a.gz")
		s.after(2*time.Second, "a.gz")
		s.told(0)
	})
}

func TestFileThatChangesOrVanishesWhileItIsReadIsNoFault(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second, Rescan: time.Hour})
		defer s.stop()
		s.lands("a", ErrChanged)
		s.lands("b", ErrVanished)
		s.write("a", "1")
		s.write("b", "1")
		s.notify("")
		s.after(2*time.Second, "a", "b")
		s.lands("a", nil)
		s.after(2*time.Second, "a")
		if err := os.Remove(filepath.Join(dir, "a")); err != nil {
			t.Fatal(err)
		}
		s.notify("a")
		s.after(time.Minute)
		s.told(0)
	})
}

// landFunc is a Lander that knows nothing.
type landFunc func(context.Context, File) error

func (f landFunc) Land(ctx context.Context, file File) (Outcome, error) {
	return Outcome{}, f(ctx, file)
}

func (f landFunc) Stays(context.Context, File) (why, err error) { return nil, nil }

func (f landFunc) Known(_ context.Context, files []File) ([]bool, error) {
	return make([]bool, len(files)), nil
}

func TestLandingUnderWayWhenTheContextEndsIsAbandonedWithoutAReport(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "a", nil)
	writeFile(t, dir, "b", nil)
	synctest.Test(t, func(t *testing.T) {
		w, err := NewWatcher(Folder{Dir: dir}, func(name string, err error) { t.Errorf("%s: %v", name, err) })
		if err != nil {
			t.Fatal(err)
		}
		w.notes = notes{watch: func(string) error { return nil }}
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		err = w.loop(ctx, landFunc(func(ctx context.Context, _ File) error {
			calls++
			cancel()
			return ctx.Err()
		}))
		if err != nil || calls != 1 {
			t.Errorf("got %v after %d calls, want nil after 1", err, calls)
		}
	})
}

func TestFolderThatCanNotBeWatchedIsAnError(t *testing.T) {
	file := writeFile(t, t.TempDir(), "a", nil)
	for _, dir := range []string{file, filepath.Join(t.TempDir(), "none")} {
		w, err := NewWatcher(Folder{Dir: dir}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Run(t.Context(), nil); err == nil {
			t.Errorf("%s was watched", dir)
		}
	}
	for _, folder := range []Folder{{}, {Dir: "x", Include: []string{"["}}, {Dir: "x", Exclude: []string{""}}} {
		if _, err := NewWatcher(folder, nil); err == nil {
			t.Errorf("%+v was accepted", folder)
		}
	}
}

func TestGlobsMatchFoldersAtAnyDepth(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"*.csv", "a.csv", true}, {"*.csv", "x/y/a.csv", true}, {"*.csv", "a.csvx", false},
		{"x/*.csv", "x/a.csv", true}, {"x/*.csv", "x/y/a.csv", false}, {"x/*.csv", "a.csv", false},
		{"**/a.csv", "a.csv", true}, {"**/a.csv", "x/y/a.csv", true}, {"**/a.csv", "x/b.csv", false},
		{"x/**/z/*.csv", "x/z/a.csv", true}, {"x/**/z/*.csv", "x/1/2/z/a.csv", true}, {"x/**/z/*.csv", "x/1/a.csv", false},
		{"x/**", "x/y/a.csv", true}, {"x/**", "y/a.csv", false}, {"**", "x/a", true}, {"[ab].csv", "x/b.csv", true},
	} {
		if got := matchGlob(c.pattern, c.name); got != c.want {
			t.Errorf("matchGlob(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}

// The one test on real notifications: what is written or moved into the
// folder, at any depth, is handed over without any rescan.
func TestRealNotificationsBringFilesOfNewFolders(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	writeFile(t, other, "moved/in/a", []byte("1"))
	folder := Folder{Dir: dir, Settle: 10 * time.Millisecond, Rescan: time.Hour}
	w, err := NewWatcher(folder, func(name string, err error) { t.Errorf("%s: %v", name, err) })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	names, done := make(chan string), make(chan error)
	writeFile(t, dir, "first", nil)
	go func() {
		done <- w.Run(ctx, landFunc(func(_ context.Context, file File) error { names <- file.Name; return nil }))
	}()
	expect := func(want string) {
		t.Helper()
		select {
		case got := <-names:
			if got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%q was never handed over", want)
		}
	}
	expect("first") // from here on it is watching
	writeFile(t, dir, "plain", []byte("1"))
	expect("plain")
	writeFile(t, dir, "new/folder/b", []byte("1"))
	expect("new/folder/b")
	if err := os.Rename(filepath.Join(other, "moved"), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	expect("moved/in/a")
	writeFile(t, dir, "new/folder/late/c", []byte("1"))
	expect("new/folder/late/c")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestFolderThatIsGoneForAWhileIsReportedAndPickedUpAgain(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "in")
	writeFile(t, dir, "a", nil)
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second, Rescan: 30 * time.Second})
		defer s.stop()
		s.after(2*time.Second, "a")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		s.after(2 * time.Minute)
		s.told(1)
		s.write("b", "1")
		s.after(time.Minute, "b")
		s.told(0)
	})
}

// One that is gone for seconds is told of, each time, and taken up long before the next listing.
func TestFolderThatIsGoneForSecondsIsReportedAndPickedUpAtOnce(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "in")
	writeFile(t, dir, "a", nil)
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, Folder{Settle: 2 * time.Second, Rescan: time.Hour})
		defer s.stop()
		s.after(2*time.Second, "a")
		for _, name := range []string{"b", "c"} {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			s.events <- fsnotify.Event{Name: dir, Op: fsnotify.Remove}
			s.after(10 * time.Second)
			s.told(1)
			s.write(name, "1")
			s.after(4*time.Second, name)
			s.told(0)
		}
	})
}
