package duck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

func TestSessionsDoNotSeeEachOther(t *testing.T) {
	e, _ := open(t, Options{})
	var group errgroup.Group
	var ready sync.WaitGroup
	ready.Add(4)
	for i := range int64(4) {
		s := session(t, e)
		group.Go(func() error {
			must(t, s, fmt.Sprintf("CREATE TEMP VIEW quakes AS SELECT %d AS x", i))
			ready.Done()
			ready.Wait()
			if got := one(t, s, "SELECT x::BIGINT FROM quakes"); got != i {
				return fmt.Errorf("session %d sees the view of %v", i, got)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := session(t, e).Describe(t.Context(), "FROM quakes"); err == nil {
		t.Error("a new session sees an old one's view")
	}
}

func TestAClosedSessionTakesItsViewsWithIt(t *testing.T) {
	e, _ := open(t, Options{})
	s, err := e.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	must(t, s, "CREATE TEMP VIEW v AS SELECT 1")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := session(t, e).Describe(t.Context(), "FROM v"); err == nil {
		t.Error("the view lives on")
	}
}

// endless would run for hours.
const endless = "SELECT count(*) AS n FROM range(10_000_000) a(i), range(10_000_000) b(j) WHERE (i * j) % 7 = 3"

func TestCancelInterruptsPromptly(t *testing.T) {
	e, folder := open(t, Options{})
	for name, run := range map[string]func(context.Context, *Session) error{
		"copy": func(ctx context.Context, s *Session) error {
			_, err := s.CopySorted(ctx, endless, []string{"n"}, filepath.Join(folder, "scratch", "x"))
			return err
		},
		"query": func(ctx context.Context, s *Session) error { _, err := s.Query(ctx, endless); return err },
		"exec":  func(ctx context.Context, s *Session) error { return s.Exec(ctx, endless) },
	} {
		s := session(t, e)
		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("enough"))
		start := time.Now()
		err := run(ctx, s)
		cancel()
		if err == nil || !strings.Contains(err.Error(), "(enough)") || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		if got := one(t, s, "SELECT 1::BIGINT"); got != int64(1) {
			t.Errorf("%s: the session is of no use afterwards: %v", name, got)
		}
	}
}

// groups needs some 250 MB in memory.
const groups = "SELECT hash(i) AS k, count(*) AS n, max(i) AS last, min(i) AS first, avg(i) AS mean, sum(i)::BIGINT AS total FROM range(2_500_000) r(i) GROUP BY ALL"

func TestAGroupByLargerThanMemorySpills(t *testing.T) {
	e, folder := open(t, Options{MemoryLimit: "128MB"})
	s := session(t, e)
	paths, err := s.CopySorted(t.Context(), groups, []string{"k"}, filepath.Join(folder, "scratch", "groups"))
	if err != nil {
		t.Fatal(err)
	}
	if got := one(t, s, "SELECT count(*) FROM "+ReadParquet(paths)); got != int64(2_500_000) {
		t.Errorf("%v groups", got)
	}
}

func TestWhatFitsNeitherMemoryNorDiskIsACleanError(t *testing.T) {
	e, folder := open(t, Options{MemoryLimit: "128MB", MaxTemp: "50MB"})
	s := session(t, e)
	for name, sql := range map[string]string{
		"memory": "SELECT length(list(i)::VARCHAR) AS k FROM range(100_000_000) r(i)",
		"disk":   groups,
	} {
		_, err := s.CopySorted(t.Context(), sql, []string{"k"}, filepath.Join(folder, "scratch", name))
		if !errors.Is(err, ErrMemory) || strings.Contains(err.Error(), "SET ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := one(t, s, "SELECT 1::BIGINT"); got != int64(1) {
		t.Errorf("the session is of no use afterwards: %v", got)
	}
}

func TestSessionsOfOneThreadEachRunInParallel(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one core")
	}
	e, _ := open(t, Options{Threads: 1})
	query := func(t *testing.T) func() error {
		s := session(t, e)
		return func() error { return s.Exec(t.Context(), "SELECT sum(hash(i) % 1000) FROM range(20_000_000) r(i)") }
	}
	spin := func(*testing.T) func() error {
		return func() error {
			for x, start := uint64(1), time.Now(); x == 0 || time.Since(start) < 300*time.Millisecond; x *= 3 {
			}
			return nil
		}
	}
	if one := cores(t, 1, query); one > 1.3 {
		t.Errorf("one session used %.2f cores", one)
	}
	// Other processes take their share of the cores, of plain loops too.
	best := 0.0
	for try := 0; try < 8 && best < 0.8; try++ {
		best = max(best, cores(t, 2, query)/cores(t, 2, spin))
	}
	if best < 0.8 {
		t.Errorf("two sessions used %.2f times the cores that two plain loops do", best)
	}
}

// cores is how many cores n goroutines of work used.
func cores(t *testing.T, n int, work func(*testing.T) func() error) float64 {
	t.Helper()
	var group errgroup.Group
	start, cpu := time.Now(), cpuTime(t)
	for range n {
		group.Go(work(t))
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return (cpuTime(t) - cpu).Seconds() / time.Since(start).Seconds()
}

func TestHundredsOfRecomputesDoNotGrowMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	e, folder := open(t, Options{MemoryLimit: "256MB"})
	in := segment(t, session(t, e), filepath.Join(inFolder(t, folder), "a.parquet"), 1000, 0, "i AS mag, 'n' || i % 7 AS net,")
	out := filepath.Join(folder, "scratch", "out")
	recompute := func() {
		s, err := e.Session(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.InputView(t.Context(), "quakes", []InputFile{{Path: in}}, nil); err != nil {
			t.Fatal(err)
		}
		const sql = "SELECT date_trunc('day', event_time) AS day, count(*) AS n, max(position) AS last FROM quakes GROUP BY day"
		if _, err := s.Describe(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
		if _, err := s.CopySorted(t.Context(), sql, []string{"day"}, out); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		if got := written(t, s, sql, FormatCSV); !strings.HasPrefix(got, "day,n,last\n") {
			t.Fatal(got)
		}
	}
	for range 150 { // until the allocators have what they need
		recompute()
	}
	warm := resident(t)
	const times = 600
	for range times {
		recompute()
	}
	if grown := resident(t) - warm; grown > times*14<<10 {
		t.Errorf("memory grew by %d KB", grown>>10)
	}
}

// resident is the process's memory in bytes, without Go's garbage, which is collected when
// the machine has time for it.
func resident(t *testing.T) int64 {
	t.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("no /proc")
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
