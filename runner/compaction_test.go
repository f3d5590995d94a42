package runner_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"

	"strandline/compaction"
	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// eager merges whatever can be merged, a few segments at a time.
var eager = compaction.Limits{Target: 1 << 20, Growth: 2, Members: 5, Columns: 100}

func (l *lake) compactor(task *runner.Task) *compaction.Compactor {
	return &compaction.Compactor{
		Stream: l.stream, Files: localfile.New(l.store, l.dir, 0), Limits: eager, Vouch: task.CheckHistory,
	}
}

func (l *lake) segmentIDs() (ids []string) {
	l.t.Helper()
	must(l.t, l.stream.Refresh(l.t.Context()))
	l.stream.View(func(s *landing.State) {
		for _, g := range s.Segments() {
			ids = append(ids, g.ID)
		}
	})
	return ids
}

// Any landings, drivers and compactions: what is published stays true, is
// computed alike from other segments, and nothing becomes stale.
func TestReceiptsStandWhateverIsCompacted(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 7))
		l := newLake(t, objstore.NewMemory())
		task := l.task(salesJob())
		for i := range 14 {
			l.land(fmt.Sprint(i), randomSales(random, 1+random.IntN(9))...)
			if random.IntN(2) == 0 {
				l.run(task, backfill(day(1), day(1+random.IntN(4))))
			}
			if random.IntN(4) > 0 {
				continue
			}
			rows, receipts := l.rows(), l.receipts()
			must(t, l.compactor(task).Run(t.Context()))
			survey, err := task.Survey(t.Context())
			must(t, err)
			again := l.run(task, runner.Request{Driver: manifests.DriverBackfill, Range: window.Interval{Start: day(1), End: day(4)}, Again: true})
			for _, o := range again.Outcomes {
				at := slices.IndexFunc(survey.Tasks, func(s window.Status) bool { return s.String() == o.Partition.String() })
				if fresh := survey.Tasks[at].State == window.Fresh; o.Err != nil || fresh && o.Verdict != manifests.Unchanged {
					t.Fatalf("seed %d: %s is %s, and then %s, %v", seed, o.Partition, survey.Tasks[at].State, o.Verdict, o.Err)
				}
			}
			if len(again.Outcomes) == again.Count(manifests.Unchanged) && (!slices.Equal(rows, l.rows()) || !maps.Equal(receipts, l.receipts())) {
				t.Fatalf("seed %d: other rows or receipts", seed)
			}
		}
		must(t, l.compactor(task).Run(t.Context()))
		for name, r := range l.verify(salesJob()) {
			if r.Finding != runner.Reproduced && r.Finding != runner.Stale {
				t.Errorf("seed %d: %s is %s: %v %s", seed, name, r.Finding, r.Differences, r.Unproved)
			}
		}
		if n := len(l.segmentIDs()); n > 7 {
			t.Errorf("seed %d: %d segments are left", seed, n)
		}
	}
}

// Everybody at once, and replaced segments are removed from under them.
func TestCompactionsStandInNobodysWay(t *testing.T) {
	store := objstore.NewMemory()
	group, ctx := errgroup.WithContext(t.Context())
	landings, stop := context.WithCancel(ctx)
	defer stop()
	const arrivals = 40
	for w := range 2 {
		l := newLake(t, store)
		random := rand.New(rand.NewPCG(uint64(w), 1))
		group.Go(func() error {
			defer func() {
				if w == 0 {
					stop()
				}
			}()
			for i := range arrivals {
				if _, err := l.tryLand(fmt.Sprint(w, "/", i), randomSales(random, 1+random.IntN(5))...); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for range 2 {
		l := newLake(t, store)
		compactor := l.compactor(l.task(salesJob()))
		compactor.Done = func(task compaction.Task, _ landing.Segment) {
			for _, g := range task.Segments { // as a sweep without a grace would
				if err := store.Delete(ctx, l.stream.SegmentKey(g.ID)); err != nil {
					t.Error(err)
				}
			}
		}
		group.Go(func() error {
			for landings.Err() == nil {
				if err := compactor.Run(ctx); err != nil {
					return fmt.Errorf("compact: %w", err)
				}
			}
			return nil
		})
	}
	for _, r := range []runner.Request{stream, {Driver: manifests.DriverBackfill, Range: window.Interval{Start: day(1), End: day(4)}, Again: true}} {
		l := newLake(t, store)
		task := l.task(salesJob())
		group.Go(func() error {
			for landings.Err() == nil {
				report, err := execute(ctx, task, r)
				if err != nil {
					return fmt.Errorf("%s: %w", r.Driver, err)
				}
				for _, o := range report.Failed() {
					return fmt.Errorf("%s of %s: %s, %w", r.Driver, o.Partition, o.Verdict, o.Err)
				}
			}
			return nil
		})
	}
	must(t, group.Wait())
	l := newLake(t, store)
	task := l.task(salesJob())
	l.run(task, stream)
	must(t, l.compactor(task).Run(t.Context()))
	for name, r := range l.verify(salesJob()) {
		if r.Finding != runner.Reproduced {
			t.Errorf("%s is %s: %v %s", name, r.Finding, r.Differences, r.Unproved)
		}
	}
	l.stream.View(func(s *landing.State) {
		if n, _ := s.Arrived(); n != 2*arrivals {
			t.Errorf("%d arrivals landed, want %d", n, 2*arrivals)
		}
	})
}

// A plan is pinned to its positions: what lands afterwards is no part of it, also
// if a compaction puts it into one segment with what is.
func TestAPlanReadsUpToItsPositionsAlsoWithinAMergedSegment(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	task := l.task(salesJob())
	l.land("a", sale{day(1), "1", "x", 1})
	generation, err := task.Register(t.Context(), manifests.DriverStream)
	must(t, err)
	plan, err := task.Plan(t.Context(), stream)
	must(t, err)
	l.land("b", sale{day(1), "2", "x", 2})
	must(t, l.compactor(task).Run(t.Context()))
	_, err = task.Execute(t.Context(), plan, runner.Options{Driver: stream.Driver, Generation: generation, Parallel: 1})
	must(t, err)
	if got := l.rows(); !slices.Equal(got, []string{"03-01T00 x 1 1"}) || len(l.segmentIDs()) != 1 {
		t.Errorf("it published %v", got)
	}
	if r := l.verify(salesJob())["2026-03-01"]; r.Finding != runner.Stale {
		t.Errorf("the receipt of the first row is %s: %v", r.Finding, r.Differences)
	}
}

// A column that was declared later is NULL in the rows before, and stays so.
func TestSegmentsOfTwoDeclarationsAreMergedApart(t *testing.T) {
	store := objstore.NewMemory()
	l := newLake(t, store)
	for i := range 4 {
		l.land(fmt.Sprint(i), sale{day(1), fmt.Sprint(i), "x", int64(i)})
	}
	spec := salesSpec
	spec.Columns = append(slices.Clone(spec.Columns), datafile.Column{Name: "tip", Type: datafile.Type{Kind: datafile.BigInt}})
	l.stream = landing.Open(store, spec, landing.Options{Scratch: l.dir})
	for i := range 4 {
		in, err := l.stream.Begin(landing.Source{Name: fmt.Sprint("tip", i)})
		must(t, err)
		must(t, in.Add(landing.Row{EventTime: day(1).UnixMicro(), SourcePosition: 1, Values: []datafile.Value{
			parquet.ByteArrayValue([]byte("t")), parquet.ByteArrayValue([]byte("y")), parquet.Int64Value(1), parquet.Int64Value(int64(10 * i)),
		}}))
		_, err = in.Commit(t.Context(), landing.Identity{Digest: digest.OfBytes([]byte{byte(i)}), Size: 1})
		must(t, err)
	}
	job := salesJob()
	job.Dedup = nil
	job.SQL = "SELECT window_start, shop, count(tip) AS n, coalesce(sum(tip), -1)::BIGINT AS cents FROM sales GROUP BY window_start, shop"
	task := l.task(job)
	l.run(task, stream)
	before := l.rows()
	must(t, l.compactor(task).Run(t.Context()))
	if n := len(l.segmentIDs()); n != 2 {
		t.Errorf("%d segments, want one for each declaration", n)
	}
	l.run(task, runner.Request{Driver: manifests.DriverBackfill, Range: window.Interval{Start: day(1), End: day(2)}, Again: true})
	if want := []string{"03-01T00 x 0 -1", "03-01T00 y 4 60"}; !slices.Equal(before, want) || !slices.Equal(l.rows(), want) {
		t.Errorf("%v, and then %v; want %v", before, l.rows(), want)
	}
}

// Where a receipt's positions end within a merged segment, a log that has lost
// what it was computed from is found out as far as rows can be counted.
func TestAContradictionIsFoundWithinACompactedSegment(t *testing.T) {
	read := newLake(t, objstore.NewMemory())
	read.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "1", "x", 1})
	read.run(read.task(salesJob()), stream)
	for name, c := range map[string]struct {
		landed      []sale
		contradicts bool
	}{
		"the same rows":       {[]sale{{day(1), "1", "x", 1}, {day(2), "1", "x", 1}, {day(2), "2", "x", 1}}, false},
		"no row of it":        {[]sale{{day(2), "1", "x", 1}, {day(2), "2", "x", 1}, {day(2), "3", "x", 1}}, true},
		"as many, other rows": {[]sale{{day(1), "9", "x", 9}, {day(2), "1", "x", 1}, {day(2), "2", "x", 1}}, true},
	} {
		l := newLake(t, objstore.NewMemory())
		copyObjects(t, read.store, l.store, "tables/")
		if !c.contradicts { // rows are the same only if they landed in the same arrival
			copyObjects(t, read.store, l.store, "landing/")
			l.land("b", c.landed[2])
		} else {
			for i, s := range c.landed {
				l.land(fmt.Sprint(i), s)
			}
		}
		_, err := l.stream.Compact(t.Context(), localfile.New(l.store, l.dir, 0), l.allSegments())
		must(t, err)
		if err := l.task(salesJob()).CheckHistory(t.Context()); errors.Is(err, window.ErrHistory) != c.contradicts {
			t.Errorf("with %s: %v", name, err)
		}
	}
}

func (l *lake) allSegments() (segments []landing.Segment) {
	l.segmentIDs()
	l.stream.View(func(s *landing.State) { segments = s.Segments() })
	return segments
}

func copyObjects(t *testing.T, from, to objstore.Store, prefix string) {
	t.Helper()
	found, err := from.List(t.Context(), prefix, "", 1000)
	must(t, err)
	for _, o := range found {
		body, err := from.Read(t.Context(), o.Key)
		must(t, err)
		must(t, to.Create(t.Context(), o.Key, body))
	}
}
