package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"strandline/internal/datafile"
	"strandline/internal/objstore"
	"strandline/landing"
)

// logs is a folder of logs and a stream that they land in.
type logs struct {
	t       *testing.T
	dir     string
	store   objstore.Store
	stream  *landing.Stream
	lander  *TailLander
	reports []string
}

func newLogs(t *testing.T) *logs {
	l := &logs{t: t, dir: t.TempDir(), store: objstore.NewMemory()}
	l.restart()
	return l
}

// restart is a new process.
func (l *logs) restart() { l.stream, l.lander = l.process() }

func (l *logs) process() (*landing.Stream, *TailLander) {
	spec := landing.Spec{
		Stream: "s", EventTime: landing.EventTime{Column: "t", Unit: landing.UnitSeconds},
		Columns: []datafile.Column{{Name: "id", Type: datafile.Type{Kind: datafile.Varchar}}},
	}
	stream := landing.Open(l.store, spec, landing.Options{Scratch: l.t.TempDir()})
	return stream, NewTailLander(TailLander{
		Stream: stream,
		Landed: func(Outcome) error { return nil },
		Report: func(name string, err error) { l.reports = append(l.reports, name+": "+err.Error()) },
	})
}

func logLine(id string) string { return fmt.Sprintf("{\"t\":1,\"id\":%q}\n", id) }

func logLines(ids ...string) (text string) {
	for _, id := range ids {
		text += logLine(id)
	}
	return text
}

func (l *logs) path(name string) string { return filepath.Join(l.dir, name) }

func (l *logs) write(name, text string) {
	l.t.Helper()
	file, err := os.OpenFile(l.path(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = file.WriteString(text)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		l.t.Fatal(err)
	}
}

func (l *logs) rename(from, to string) {
	l.t.Helper()
	if err := os.Rename(l.path(from), l.path(to)); err != nil {
		l.t.Fatal(err)
	}
}

// copyAndCut is how some tools rotate: they copy, and then cut the file.
func (l *logs) copyAndCut(from, to string) {
	l.t.Helper()
	text, err := os.ReadFile(l.path(from))
	if err == nil {
		err = os.WriteFile(l.path(to), text, 0o644)
	}
	if err == nil {
		err = os.Truncate(l.path(from), 0)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *logs) land(name string, want error) {
	l.t.Helper()
	if _, err := l.lander.Land(l.t.Context(), File{Path: l.path(name), Name: name}); !errors.Is(err, want) {
		l.t.Fatalf("land %s: got %v, want %v", name, err, want)
	}
}

func (l *logs) landAll() {
	l.t.Helper()
	for _, name := range names(l.t, l.dir) {
		_, err := l.lander.Land(l.t.Context(), File{Path: l.path(name), Name: name})
		if !waits(err) {
			l.t.Fatal(err)
		}
	}
}

// waits tells whether an error is nil, or one after which a file is looked at again.
func waits(err error) bool {
	return err == nil || errors.Is(err, ErrPartial) || errors.Is(err, ErrChanged)
}

// rows returns what has landed: ids, and for each the source and its position.
func (l *logs) rows() map[string]string {
	l.t.Helper()
	found := map[string]string{}
	if err := l.stream.Refresh(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	var segments []landing.Segment
	l.stream.View(func(s *landing.State) { segments = s.Segments() })
	for _, segment := range segments {
		path := filepath.Join(l.t.TempDir(), segment.ID)
		if err := l.store.Download(l.t.Context(), l.stream.SegmentKey(segment.ID), path); err != nil {
			l.t.Fatal(err)
		}
		file, err := datafile.Open(path)
		if err != nil {
			l.t.Fatal(err)
		}
		column := map[string]int{}
		for i, c := range file.Columns() {
			column[c.Name] = i
		}
		err = file.Scan(func(row []datafile.Value) error {
			id := string(row[column["id"]].ByteArray())
			if at, twice := found[id]; twice && id != "" && id != "banner" {
				l.t.Errorf("%s has landed twice, first as %s", id, at)
			}
			found[id] = fmt.Sprintf("%s %d", row[column["source"]].ByteArray(), row[column["source_position"]].Int64())
			return nil
		})
		if err := errors.Join(err, file.Close()); err != nil {
			l.t.Fatal(err)
		}
	}
	return found
}

// holds wants exactly these rows to have landed, each once.
func (l *logs) holds(want ...string) {
	l.t.Helper()
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(l.rows())); !slices.Equal(got, want) {
		l.t.Errorf("landed %q, want %q", got, want)
	}
}

func TestOnlyWholeLinesOfALogLandAndARestartGoesOn(t *testing.T) {
	l := newLogs(t)
	l.write("a.log", logLine("1")[:5])
	l.land("a.log", ErrPartial)
	l.write("a.log", logLine("1")[5:]+logLine("2")+"{")
	l.land("a.log", ErrPartial)
	l.holds("1", "2")
	l.restart()
	l.write("a.log", "\n"+logLine("3"))
	l.land("a.log", nil)
	l.land("a.log", nil)
	l.holds("1", "2", "3")
	if got := l.rows()["3"]; got != "a.log 36" {
		t.Errorf("the third row is at %q, want the offset of its line", got)
	}
	if _, rejects := countArrived(l.stream); rejects != 1 {
		t.Errorf("%d rejects, want the line that is a brace", rejects)
	}
}

func countArrived(stream *landing.Stream) (arrivals, rejects int64) {
	stream.View(func(s *landing.State) { arrivals, rejects = s.Arrived() })
	return arrivals, rejects
}

func TestRotatedLogsLandToTheirEndAndNewOnesFromTheirBeginning(t *testing.T) {
	for name, rotate := range map[string]func(*logs){
		"renamed": func(l *logs) { l.rename("a.log", "a.log.1") },
		"copied":  func(l *logs) { l.copyAndCut("a.log", "a.log.1") },
	} {
		for _, restart := range []bool{false, true} {
			l := newLogs(t)
			l.write("a.log", logLines("1", "2"))
			l.land("a.log", nil)
			l.write("a.log", logLine("3")) // not seen before it is rotated
			rotate(l)
			l.write("a.log", logLines("4", "5"))
			if restart {
				l.restart()
			}
			l.landAll()
			l.holds("1", "2", "3", "4", "5")
			if told := len(l.reports) == 1; told == restart {
				t.Errorf("%s, restarted %v: told %q", name, restart, l.reports)
			}
		}
	}
}

// A log may begin as the one did that it replaces, or as another beside it.
func TestLogsThatBeginAlikeAreToldApart(t *testing.T) {
	l := newLogs(t)
	banner := "{\"t\":1,\"log\":\"begins\"}\n"
	ids := func(log string, n int) (ids []string) {
		for i := range n {
			ids = append(ids, fmt.Sprint(log, i))
		}
		return ids
	}
	l.write("a.log", strings.TrimSuffix(banner, "\n")+"\n"+logLines(ids("a", 9)...))
	l.write("b.log", banner+logLines(ids("b", 12)...))
	l.landAll()
	if err := os.Truncate(l.path("a.log"), 0); err != nil {
		t.Fatal(err)
	}
	l.write("a.log", banner+logLines(ids("c", 5)...))
	l.landAll()
	l.write("a.log", logLines(ids("d", 20)...))
	l.restart()
	l.landAll()
	got := l.rows()
	delete(got, "") // the banners
	want := slices.Concat(ids("a", 9), ids("b", 12), ids("c", 5), ids("d", 20))
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(got)); !slices.Equal(got, want) {
		t.Errorf("landed %q, want %q", got, want)
	}
}

// A copy of a part of a log lands nothing, however long it is and whoever looks at it.
func TestCopyOfALogLandsNothing(t *testing.T) {
	whole := logLines("1", "2", "3", "4", "5", "6")
	for _, size := range []int{1, 16, 17, 18, 34, 49, 51, 52, 101, 102} {
		for _, restart := range []bool{false, true} {
			l := newLogs(t)
			l.write("a.log", whole[:50])
			l.landAll()
			l.write("a.log", whole[50:])
			l.write("a.log.bak", whole[:size])
			if restart {
				l.restart()
			}
			l.landAll()
			l.landAll()
			l.holds("1", "2", "3", "4", "5", "6")
			if len(l.reports) != 0 {
				t.Fatalf("a copy of %d bytes beside its log: told %q", size, l.reports)
			}
		}
	}
}

// Nobody has the log any more that a copy is of.
func TestCopyOfALogThatIsGoneLandsNothingAndIsTold(t *testing.T) {
	whole := logLines("1", "2", "3", "4")
	places := map[int]bool{len(logLines("1", "2")): true, len(whole): true}
	for _, size := range []int{17, 18, 33, 34, 35, 51, 67, 68} {
		for _, restart := range []bool{false, true} {
			l := newLogs(t)
			l.write("a.log", logLines("1", "2"))
			l.landAll()
			l.write("a.log", logLines("3", "4"))
			l.landAll()
			l.write("a.log.bak", whole[:size])
			if err := os.Truncate(l.path("a.log"), 0); err != nil {
				t.Fatal(err)
			}
			l.write("a.log", logLines("5"))
			if restart {
				l.restart()
			}
			for range 3 {
				l.landAll()
			}
			l.reports = slices.DeleteFunc(l.reports, func(s string) bool { return strings.HasPrefix(s, "a.log:") })
			l.holds("1", "2", "3", "4", "5")
			if told := len(l.reports) == 1; told == places[size] {
				t.Fatalf("a copy of %d bytes, restart %v: told %q", size, restart, l.reports)
			}
		}
	}
}

// What is appended to a copy is its own.
func TestCopyThatIsAppendedToLandsWhatOnlyItHas(t *testing.T) {
	for _, restart := range []bool{false, true} {
		l := newLogs(t)
		l.write("a.log", logLines("1", "2"))
		l.landAll()
		l.write("a.log.bak", logLines("1", "2", "3"))
		l.write("a.log", logLines("3", "4", "5"))
		l.land("a.log", nil)
		l.write("a.log.bak", logLines("x", "y", "z", "u", "v"))
		if restart {
			l.restart()
		}
		l.landAll()
		l.landAll()
		l.write("a.log.bak", logLine("w"))
		l.write("a.log", logLine("6"))
		l.restart()
		l.landAll()
		l.holds("1", "2", "3", "4", "5", "6", "u", "v", "w", "x", "y", "z")
	}
}

func TestCompressedLogIsRefused(t *testing.T) {
	l := newLogs(t)
	l.write("a.log.gz", string(gzipped([]byte(logLine("1")))))
	l.land("a.log.gz", ErrFormat)
}

// Lines longer than what is looked at at once, and than a record may be.
func TestLongLinesOfALogLandOrAreRejected(t *testing.T) {
	l := newLogs(t)
	l.lander.Options.MaxRecord = 200 << 10
	long := strings.Repeat("x", 100<<10)
	l.write("a.log", logLine("1")+logLine(long)+logLine(long+long)+logLine("2")+`{"t":1,"id":"`+long)
	l.land("a.log", ErrPartial)
	l.holds("1", long, "2")
	if _, rejects := countArrived(l.stream); rejects != 1 {
		t.Errorf("%d rejects, want that of the line which is too long", rejects)
	}
	end, err := endOfLines(openFile(t, l.path("a.log")), int64(len(logLine("1"))), 500<<10, 10)
	if want := int64(len(logLine("1") + logLine(long))); err != nil || end != want {
		t.Errorf("a line longer than a chunk ends at %d, %v; want %d", end, err, want)
	}
}

func openFile(t *testing.T, path string) *os.File {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// Cut and written anew while it is read, as far as anybody can be that fast.
func TestLogThatIsCutWhileItIsReadLandsNothingOfTheRange(t *testing.T) {
	for name, change := range map[string]func(*logs) error{
		"cut":   func(l *logs) error { return os.Truncate(l.path("a.log"), 10) },
		"anew":  func(l *logs) error { return os.WriteFile(l.path("a.log"), []byte(logLines("7", "8", "9")), 0o644) },
		"alike": func(l *logs) error { return os.WriteFile(l.path("a.log"), []byte(logLines("1", "8", "9")), 0o644) },
	} {
		l := newLogs(t)
		l.write("a.log", logLines("1", "2"))
		l.land("a.log", nil)
		l.write("a.log", logLine("3"))
		file := openFile(t, l.path("a.log"))
		r, err := l.lander.next(t.Context(), file, "a.log")
		if err == nil {
			err = change(l)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.lander.land(t.Context(), file, "a.log", r); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: got %v, want ErrChanged", name, err)
		}
		l.holds("1", "2")
	}
}

// Whatever happens to logs and processes, each whole line lands once.
func TestTailedLogsLandEachLineOnceInAnyHistory(t *testing.T) {
	for seed := range uint64(16) {
		h := &logHistory{logs: newLogs(t), random: rand.New(rand.NewPCG(seed, 1)), banner: seed%4 == 3}
		h.add("")
		for range 40 {
			switch h.random.IntN(10) {
			case 0:
				h.rotate()
			case 1:
				h.restart()
			case 2:
				h.race()
			case 3, 4:
				h.landAll()
			case 5:
				h.backUp()
			case 6:
				h.rotateLate()
			default:
				h.append()
			}
		}
		h.add(h.rest)
		h.landAll()
		h.landAll()
		got := h.rows()
		delete(got, "banner")
		slices.Sort(h.written)
		if got := slices.Sorted(maps.Keys(got)); !slices.Equal(got, h.written) || t.Failed() {
			t.Fatalf("seed %d: landed %q, want %q", seed, got, h.written)
		}
	}
}

// logHistory is a log, a.log, and what becomes of it.
type logHistory struct {
	*logs
	random  *rand.Rand
	banner  bool // each log begins with the same line
	written []string
	rest    string // of a line that is half written
	rotated int
}

// append writes lines, the last of them in part.
func (h *logHistory) append() {
	text := h.rest
	for range h.random.IntN(5) {
		id := fmt.Sprint(len(h.written))
		if h.random.IntN(4) == 0 {
			id += strings.Repeat("y", h.random.IntN(3000))
		}
		h.written = append(h.written, id)
		text += logLine(id)
	}
	cut := 0
	if text != "" {
		cut = h.random.IntN(len(text) + 1)
	}
	h.add(text[:cut])
	h.rest = text[cut:]
}

// add writes text, below the banner where there is one.
func (h *logHistory) add(text string) {
	if info, err := os.Stat(h.path("a.log")); h.banner && (err != nil || info.Size() == 0) {
		text = "{\"t\":1,\"id\":\"banner\"}\n" + text
	}
	h.write("a.log", text)
}

// rotate does so between lines, as loggers do.
func (h *logHistory) rotate() {
	h.add(h.rest)
	h.rest = ""
	h.rotated++
	rotate := []func(from, to string){h.rename, h.copyAndCut}[h.random.IntN(2)]
	rotate("a.log", fmt.Sprintf("a.log.%d", h.rotated))
	if h.random.IntN(2) == 0 {
		h.append()
	}
	h.add("")
}

// rotateLate cuts the log when more of it has landed than what was copied of it. Without
// the log or the copy a new one that begins alike could not be told from a copy.
func (h *logHistory) rotateLate() {
	if h.banner {
		return
	}
	h.backUp()
	h.add(h.rest)
	h.rest = ""
	h.landAll()
	if err := os.Truncate(h.path("a.log"), 0); err != nil {
		h.t.Fatal(err)
	}
}

// backUp copies the log, or goes on with a copy, up to anywhere.
func (h *logHistory) backUp() {
	text, err := os.ReadFile(h.path("a.log"))
	if err != nil {
		h.t.Fatal(err)
	}
	name := fmt.Sprintf("b%d.%d", h.rotated, h.random.IntN(2))
	copied := text[:h.random.IntN(len(text)+1)]
	if err := os.WriteFile(h.path(name), copied, 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// race has two processes land everything at once.
func (l *logs) race() {
	l.t.Helper()
	var group errgroup.Group
	for range 2 {
		_, lander := l.process()
		lander.Report = func(string, error) {}
		group.Go(func() error {
			for _, name := range names(l.t, l.dir) {
				_, err := lander.Land(context.Background(), File{Path: l.path(name), Name: name})
				if !waits(err) {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		l.t.Fatal(err)
	}
}
