package sim

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
	"strandline/internal/duck"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

var (
	oneSeed = flag.Uint64("seed", 0, "live the history of this `SEED` alone, and print it")
	seeds   = flag.Int("seeds", 120, "how many histories to live")
	steps   = flag.Int("steps", 40, "how many events a history has")
	shrinks = flag.Duration("shrink", time.Minute, "how long to try to leave events out of a history that failed")
)

// The engine, and a folder for its files, are the same for all histories: what
// a process computes is a pure function of its input.
var (
	engine  *duck.Engine
	scratch string
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "strandline-sim-"); err == nil {
		defer os.RemoveAll(scratch)
		engine, err = duck.Open(context.Background(), duck.Options{Scratch: scratch, Readable: []string{os.TempDir()}})
	}
	if err == nil {
		defer engine.Close()
		err = errors.Join(compileAll(), warmUp())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func compileAll() error {
	for _, c := range codes {
		strict := *c
		most := int64(strictRows)
		strict.job.Checks = []window.Check{{Name: "few", OnFailure: window.Block, Rule: window.RowCount{Max: &most}}}
		c.strict = &strict
		for _, c := range []*code{c, &strict} {
			var err error
			if c.compiled, err = window.Compile(context.Background(), engine, c.job, window.StreamShape(salesSpec)); err != nil {
				return err
			}
		}
	}
	return nil
}

// warmUp has what is made once in a process, on first use, made outside of any
// bubble.
func warmUp() error {
	path := filepath.Join(scratch, "first.parquet")
	columns := []datafile.Column{{Name: "n", Type: datafile.Type{Kind: datafile.BigInt}}}
	_, err := datafile.Write(path, columns, [][]datafile.Value{{parquet.Int64Value(1)}}, []int{1})
	if err == nil {
		_, err = datafile.Summarize(path, nil)
	}
	return err
}

func removeFile(path string) { _ = os.Remove(path) }

// A few hundred histories, each with its own faults, and after every write the
// invariants of the design hold.
func TestWhateverHappensTheInvariantsHold(t *testing.T) {
	first, n := uint64(1), *seeds
	if *oneSeed > 0 {
		first, n = *oneSeed, 1
	}
	if testing.Short() {
		n = min(n, 20)
	}
	met := map[string]int{}
	for i := range n {
		seed := first + uint64(i)
		lived := relive(t, seed, events(seed, *steps))
		if *oneSeed > 0 {
			t.Log("\n" + lived.history)
		}
		if lived.broken != nil {
			t.Fatal(shrunk(t, seed, events(seed, *steps), lived.broken))
		}
		for what, times := range lived.met {
			met[what] += times
		}
	}
	t.Logf("met %v", met)
	if *steps >= 40 && n >= 120 {
		meet(t, met, common)
	}
	if *steps >= 40 && n >= 200 {
		meet(t, met, rare)
	}
}

// What histories must have been for their tests to say anything: as bad as they are meant to be.
// A hundred meet all that is common, and some hundreds what is rare.
var (
	common = []string{
		"done, and the answer is lost", "fails", "no answer; it comes late",
		"the process dies before", "done, and the process dies", "exists",
		"published", "unchanged", "held", "withheld",
		"unnamed", "merged", "trimmed", "unknown", "replaced", "needs rebuild", "rebuilt", "stopped", "dead",
	}
	rare = []string{"set aside", "condemned", "expired"}
)

func meet(t *testing.T, met map[string]int, all []string) {
	t.Helper()
	for _, what := range all {
		if met[what] == 0 {
			t.Errorf("in none of the histories there was %q", what)
		}
	}
}

// A seed is all that a history follows from, to the letter, though each process computes
// several partitions at a time.
func TestAHistoryIsTheSameEveryTime(t *testing.T) {
	for _, seed := range []uint64{0, 1, 5, 13, 20, 29} {
		all := events(seed, *steps)
		first := relive(t, seed, all)
		if again := relive(t, seed, all); again.history != first.history {
			t.Fatalf("seed %d went another way:\n%s", seed, difference(first.history, again.history))
		}
	}
}

// difference shows where two histories part.
func difference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range as {
		if i >= len(bs) || as[i] != bs[i] {
			from := max(0, i-5)
			return strings.Join(as[from:min(len(as), i+5)], "\n") + "\n--- or\n" + strings.Join(bs[from:min(len(bs), i+5)], "\n")
		}
	}
	return "one goes on"
}

// lived is what became of a history.
type lived struct {
	history string
	broken  error // what was not as it must be
	met     map[string]int
}

func relive(t *testing.T, seed uint64, events []event) (l lived) {
	t.Helper()
	dir := t.TempDir()
	forget()
	synctest.Test(t, func(*testing.T) {
		w := newWorld(seed, dir)
		for _, e := range events {
			time.Sleep(e.gap)
			if w.failed() != nil {
				break
			}
			w.live(e)
		}
		time.Sleep(time.Minute)
		w.settle()
		if l.broken = w.failed(); l.broken == nil {
			l.broken = w.end()
		}
		l.history, l.met = w.history(), w.met
	})
	return l
}

// forget empties what libraries keep for reuse: a decoder of the bubble before
// holds a channel that this one may not use. The runtime empties a pool in the
// second collection after its last use.
func forget() {
	runtime.GC()
	runtime.GC()
}

// end opens the lake anew, in calm weather, and finds what the model knows; then
// it brings the table up to date, and finds what the job in Go computes.
func (w *world) end() error {
	ctx := context.Background()
	stream := landing.Open(w.store, salesSpec, landing.Options{Scratch: w.dir})
	if err := stream.Refresh(ctx); err != nil {
		return err
	}
	if got := stream.Next(); got != w.model.next() {
		return fmt.Errorf("the stream is not what landed: it ends at %d, want %d", got, w.model.next())
	}
	table := manifests.Open(w.store, "t", manifests.Options{})
	snapshot, err := table.Snapshot(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(w.model.stands(snapshot), w.past(ctx, table)); err != nil {
		return err
	}
	w.ctx, w.stop = context.WithCancel(ctx)
	defer w.stop()
	if err := w.catchUp(); err != nil {
		return err
	}
	return w.complete()
}

// past reads every version of the table: it is what it was, with its files, or has
// expired and says so.
func (w *world) past(ctx context.Context, table *manifests.Table) error {
	for i, was := range w.model.versions {
		version := manifests.Version(i + 1)
		s, err := table.SnapshotAt(ctx, version)
		switch expired := version < w.model.files.oldest; {
		case expired && errors.Is(err, manifests.ErrExpired):
			continue
		case expired || err != nil:
			return fmt.Errorf("a version does not say what became of it: %d, where %d is the oldest: %w", version, w.model.files.oldest, err)
		case len(s.Receipts()) != len(was.table):
			return fmt.Errorf("a version is not what it was: %d has %d partitions, want %d", version, len(s.Receipts()), len(was.table))
		}
		for _, r := range s.Receipts() {
			if fmt.Sprint(r) != fmt.Sprint(was.table[r.Partition]) {
				return fmt.Errorf("a version is not what it was: %s in %d", r.Partition, version)
			}
			for _, f := range r.Files {
				if _, err := w.store.Read(ctx, manifests.DataKey("t", r.Partition, f.ID)); err != nil {
					return fmt.Errorf("a kept version has lost a file: %d: %w", version, err)
				}
			}
		}
	}
	return nil
}

func (w *world) catchUp() error {
	w.mu.Lock()
	p, err := w.newProcess(1000, calm, w.code)
	w.mu.Unlock()
	if err != nil {
		return err
	}
	all := window.Interval{Start: firstDay, End: firstDay.AddDate(0, 0, 3)}
	err = p.executes(runner.Request{Driver: manifests.DriverBackfill, Range: all, Again: true})
	if errors.Is(err, manifests.ErrNeedsRebuild) {
		err = p.executes(runner.Request{Driver: manifests.DriverBackfill, Rebuild: true})
	}
	return errors.Join(err, w.failed())
}

// complete looks that the table is the job over all that has landed.
func (w *world) complete() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	upTo := int64(w.model.next())
	for start := firstDay; start.Before(firstDay.AddDate(0, 0, 3)); {
		p := w.code.job.Grain.Containing(start)
		in := w.model.inputOf(p.Start, p.End, upTo)
		rows, sum := w.code.compute(in.rows)
		r, published := w.model.current[p.String()]
		if len(in.rows) > 0 && (!published || r.Rows != rows || r.RowDigest != sum) {
			return fmt.Errorf("the table is not complete: %s has %d rows, want %d", p, r.Rows, rows)
		}
		start = p.End
	}
	return nil
}
