package runner_test

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// expires lets the n oldest segments of the stream go, whoever needs them.
func (l *lake) expires(n int) landing.Expiry {
	l.t.Helper()
	must(l.t, l.stream.Refresh(l.t.Context()))
	var keep landing.Retain
	l.stream.View(func(s *landing.State) {
		for _, g := range s.Segments()[n:] {
			keep.Bytes += g.Bytes
		}
	})
	e, err := l.stream.Expire(l.t.Context(), keep, time.Now(), func(*landing.State) (landing.Position, error) { return math.MaxInt64, nil })
	must(l.t, err)
	if len(e.Segments) != n {
		l.t.Fatalf("%d segments expired, want %d", len(e.Segments), n)
	}
	return e
}

// sweeps removes the files of what expired, as a sweep does afterwards.
func (l *lake) sweeps(e landing.Expiry) {
	l.t.Helper()
	for _, id := range e.Segments {
		must(l.t, l.store.Delete(l.t.Context(), l.stream.SegmentKey(id)))
	}
}

// status is where one partition of the job stands.
func (l *lake) status(job window.Job, partition string) window.Status {
	l.t.Helper()
	plan, err := l.task(job).Survey(l.t.Context())
	must(l.t, err)
	i := slices.IndexFunc(plan.Tasks, func(s window.Status) bool { return s.String() == partition })
	if i < 0 {
		l.t.Fatalf("partition %s is in no state at all", partition)
	}
	return plan.Tasks[i]
}

// late is a lake whose partition 2026-03-01 was published from two rows that have
// expired since, with a late row for it.
func late(t *testing.T, store objstore.Store) *lake {
	l := newLake(t, store)
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(1), "2", "x", 2})
	l.land("b", sale{day(2), "3", "x", 4})
	l.run(l.task(salesJob()), stream)
	l.sweeps(l.expires(1))
	l.land("c", sale{day(1), "4", "x", 8})
	return l
}

var publishedBefore = []string{"03-01T00 x 2 3", "03-02T00 x 1 4"}

func TestExpiredRowsLeaveTheirPartitionsFresh(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1})
	l.land("b", sale{day(2), "2", "x", 2})
	l.run(l.task(salesJob()), stream)
	l.sweeps(l.expires(1))
	if s := l.status(salesJob(), "2026-03-01"); s.State != window.Fresh || s.Recomputable() || s.Reason() != "" {
		t.Errorf("state %s, %d rows expired, reason %q; want it fresh, with one row expired", s.State, s.Expired, s.Reason())
	}
	if report := l.run(l.task(salesJob()), stream); len(report.Outcomes) != 0 {
		t.Errorf("the stream did %+v", report.Outcomes)
	}
}

func TestLateRowsNeverShrinkAPartitionWhoseRowsExpired(t *testing.T) {
	l := late(t, folder(t))
	s := l.status(salesJob(), "2026-03-01")
	if s.State != window.Held || !s.Outlived() || s.Reason() != "raw expired: 1 row arrived since, 2 of its 3 rows are gone" {
		t.Errorf("state %s: %s", s.State, s.Reason())
	}
	again := backfill(day(1), day(3))
	again.Again = true
	for name, r := range map[string]runner.Request{
		"stream": stream, "backfill": backfill(day(1), day(3)), "backfill --recompute": again,
		"replay": {Driver: manifests.DriverReplay, From: 0},
	} {
		report := l.run(l.task(salesJob()), r)
		failed := report.Failed()
		if len(failed) != 1 || report.Left() != 1 || failed[0].Partition.String() != "2026-03-01" || !errors.Is(failed[0].Err, landing.ErrExpired) {
			t.Errorf("%s: %+v, want 2026-03-01 to be left out", name, report.Outcomes)
		}
		if got := l.rows(); !slices.Equal(got, publishedBefore) {
			t.Fatalf("after %s the table has %v, want %v", name, got, publishedBefore)
		}
	}
}

func TestChangedCodeNeverShrinksAPartitionWhoseRowsExpired(t *testing.T) {
	l := late(t, folder(t))
	job := salesJob()
	job.SQL += " HAVING count(*) > 0"
	if s := l.status(job, "2026-03-01"); s.State != window.Held || s.Reason() != "raw expired: data and code changed, 2 of its 3 rows are gone" {
		t.Errorf("state %s: %s", s.State, s.Reason())
	}
	report := l.run(l.task(job), backfill(day(1), day(3)))
	if report.Left() != 1 || report.Count(manifests.Swap) != 1 {
		t.Errorf("got %+v, want one published and one left out", report.Outcomes)
	}
	if got := l.rows(); !slices.Equal(got, publishedBefore) {
		t.Errorf("the table has %v, want %v", got, publishedBefore)
	}
}

func TestCodeAloneHoldsNothingForAPerson(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1})
	l.land("b", sale{day(2), "2", "x", 2})
	l.run(l.task(salesJob()), stream)
	l.sweeps(l.expires(1))
	job := salesJob()
	job.SQL += " HAVING count(*) > 0"
	s := l.status(job, "2026-03-01")
	if s.State != window.Stale || s.Outlived() || s.Reason() != "code changed; raw rows have expired, so it stays as it is" {
		t.Errorf("state %s: %s", s.State, s.Reason())
	}
	if report := l.run(l.task(job), stream); len(report.Outcomes) != 0 {
		t.Errorf("the stream did %+v", report.Outcomes)
	}
	if report := l.run(l.task(job), backfill(day(1), day(2))); report.Left() != 1 || report.Outcomes[0].Input != s.Input || report.Outcomes[0].Expired != 1 {
		t.Errorf("a backfill did %+v, want one left out, with its input", report.Outcomes)
	}
}

func TestARebuildThatWouldDropExpiredPartitionsIsRefused(t *testing.T) {
	l := late(t, folder(t))
	job := salesJob()
	job.Grain = window.GrainMonth
	_, err := l.task(job).Plan(t.Context(), runner.Request{Driver: manifests.DriverBackfill, Rebuild: true})
	if !errors.Is(err, runner.ErrIncomplete) || !strings.Contains(err.Error(), "1 of 1 partitions") {
		t.Fatalf("got %v, want ErrIncomplete with how many", err)
	}
}

func TestAPartitionThatWasNeverPublishedStaysMissingOnceItsRowsExpired(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1})
	l.land("b", sale{day(1), "2", "x", 2})
	l.expires(1)
	if s := l.status(salesJob(), "2026-03-01"); s.State != window.Missing || s.Reason() != "never published; raw expired: 1 of its 2 rows is gone" {
		t.Errorf("state %s: %s", s.State, s.Reason())
	}
	if report := l.run(l.task(salesJob()), stream); len(report.Outcomes) != 0 {
		t.Errorf("the stream did %+v", report.Outcomes)
	}
	if report := l.run(l.task(salesJob()), backfill(day(1), day(2))); report.Left() != 1 || len(l.rows()) != 0 {
		t.Errorf("a backfill did %+v, and the table has %v", report.Outcomes, l.rows())
	}
}

func TestTheStreamTellsOnceOfWhatItLeavesOut(t *testing.T) {
	l := late(t, folder(t))
	wake := make(chan struct{}, 1)
	f := l.follow(l.task(salesJob()), wake, time.Hour)
	next := func(partition string, left bool) {
		t.Helper()
		if o := f.next(); o.Partition.String() != partition || errors.Is(o.Err, landing.ErrExpired) != left {
			t.Fatalf("got %+v, want %s, left out: %v", o, partition, left)
		}
	}
	next("2026-03-01", true)
	l.land("d", sale{day(3), "5", "x", 1})
	wake <- struct{}{}
	next("2026-03-03", false)
	l.land("e", sale{day(1), "6", "x", 1})
	wake <- struct{}{}
	next("2026-03-01", true)
}

// A process is interrupted at each of its calls to the store by others who let
// rows expire and sweep their files. Whatever it has read by then, it publishes
// a partition of all its rows or not at all.
func TestNoInterleavingWithAnExpiryPublishesFewerRows(t *testing.T) {
	shared := newLake(t, objstore.NewMemory())
	for _, c := range []interrupted{
		{published: false, gone: 1, swept: true},
		{published: false, gone: 2, swept: false},
		{published: true, gone: 1, swept: false},
		{published: true, gone: 2, swept: true},
	} {
		for at, calls := 1, 1; at <= calls; at++ {
			calls = c.backfill(shared, at)
		}
	}
}

// interrupted is a backfill that is interrupted by an expiry.
type interrupted struct {
	published bool // the partition was, from its first two rows of three
	gone      int  // how many of the partition's two segments expire
	swept     bool // their files are removed too
}

// backfill runs one that is interrupted at its call number at, and tells how many
// calls it made.
func (c interrupted) backfill(shared *lake, at int) (calls int) {
	t := shared.t
	t.Helper()
	memory := objstore.NewMemory()
	other := shared.on(memory)
	other.land("a", sale{day(1), "1", "x", 1}, sale{day(1), "2", "x", 2})
	if c.published {
		other.run(other.task(salesJob()), stream)
	}
	other.land("b", sale{day(1), "3", "x", 4})
	other.land("c", sale{day(2), "4", "x", 8})
	var n atomic.Int64
	l := shared.on(objstore.NewFault(memory, func(objstore.Op, string) objstore.Action {
		if n.Add(1) == int64(at) {
			if e := other.expires(c.gone); c.swept {
				other.sweeps(e)
			}
		}
		return objstore.Pass
	}))
	report, err := execute(t.Context(), l.task(salesJob()), backfill(day(1), day(3)))
	must(t, err)
	want := []string{"03-01T00 x 3 7", "03-02T00 x 1 8"}
	switch {
	case report.Left() == 1 && c.published:
		want[0] = "03-01T00 x 2 3"
	case report.Left() == 1:
		want = want[1:]
	}
	if got := other.rows(); !slices.Equal(got, want) || len(report.Failed()) != report.Left() {
		t.Fatalf("%+v, at call %d: the table has %v, want %v, after %+v", c, at, got, want, report.Outcomes)
	}
	return int(n.Load())
}

// on is a process like this one, with the same engine, on another lake.
func (l *lake) on(store objstore.Store) *lake {
	other := *l
	other.store = store
	other.stream = landing.Open(store, salesSpec, landing.Options{Scratch: l.dir})
	other.table = manifests.Open(store, "sales_hourly", manifests.Options{Writer: l.t.Name()})
	return &other
}

// over is a time at which all partitions of the tests are long over.
func over() time.Time { return time.Now().Add(1000 * time.Hour) }

func (l *lake) expireRaw(now time.Time, keep landing.Retain, tasks ...*runner.Task) runner.Expiry {
	l.t.Helper()
	planned, err := runner.PlanExpiry(l.t.Context(), l.stream, keep, now, tasks)
	must(l.t, err)
	e, err := runner.ExpireRaw(l.t.Context(), l.stream, keep, now, tasks)
	must(l.t, err)
	if planned.To != e.To || !slices.Equal(planned.Segments, e.Segments) {
		l.t.Errorf("planned to let [%d, %d) go, and let go [%d, %d)", planned.From, planned.To, e.From, e.To)
	}
	return e
}

func TestRowsStayAsLongAsAJobNeedsThem(t *testing.T) {
	keep := landing.Retain{Age: time.Hour}
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1})
	l.land("b", sale{day(2), "2", "x", 2})
	l.land("c", sale{day(3), "3", "x", 4})
	task := l.task(salesJob())
	l.run(task, backfill(day(1), day(2)))
	e := l.expireRaw(over(), keep, task)
	if len(e.Segments) != 1 || e.Job != "sales_hourly" || e.Needed.For.String() != "2026-03-02" || e.Needed.Reason() != "is missing" {
		t.Fatalf("while 2026-03-02 is missing: %+v", e)
	}
	l.run(task, stream)
	if e := l.expireRaw(over(), keep, task); len(e.Segments) != 1 || e.From != 1 || e.Needed.For != nil {
		t.Fatalf("once all is published: %+v", e)
	}
	if e := l.expireRaw(over(), keep, task); e.Rows() != 0 {
		t.Fatalf("of the newest segment: %+v", e)
	}
	// What can't be computed any more needs nothing, and keeps no late rows for ever.
	l.land("d", sale{day(1), "4", "x", 8})
	l.land("e", sale{day(4), "5", "x", 16})
	l.run(task, stream)
	if e := l.expireRaw(over(), keep, task); len(e.Segments) != 2 {
		t.Fatalf("of late rows for what can't be computed: %+v", e)
	}
}

// A partition is complete only some time after its end, and the rows that came
// first must not go while others are still to come.
func TestRowsStayUntilTheirPartitionIsOverForTheAge(t *testing.T) {
	shared := newLake(t, objstore.NewMemory())
	for name, test := range map[string]struct {
		now  time.Time
		keep landing.Retain
		want int
	}{
		"on its day":                         {day(1).Add(time.Hour), landing.Retain{Bytes: 1}, 0},
		"at its end":                         {day(2), landing.Retain{Bytes: 1}, 1},
		"before it begins":                   {day(1).Add(-1), landing.Retain{Bytes: 1}, 1},
		"an age after its end, but for 1 ns": {day(2).Add(time.Hour - 1), landing.Retain{Bytes: 1, Age: time.Hour}, 0},
		"an age after its end":               {day(2).Add(time.Hour), landing.Retain{Bytes: 1, Age: time.Hour}, 1},
		"long after":                         {over(), landing.Retain{Age: time.Hour}, 1},
	} {
		l := shared.on(objstore.NewMemory())
		l.land("a", sale{day(1), "1", "x", 1})
		l.land("b", sale{day(9), "2", "x", 2})
		task := l.task(salesJob())
		l.run(task, stream)
		e := l.expireRaw(test.now, test.keep, task)
		if held := e.Needed.For != nil; len(e.Segments) != test.want || held != (test.want == 0) || held && e.Needed.Reason() != "may still get rows" {
			t.Errorf("%s: %d segments expired, held back: %v; want %d", name, len(e.Segments), held, test.want)
		}
	}
}

func TestNothingExpiresWhereATableContradictsTheLandingLog(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1})
	l.land("b", sale{day(2), "2", "x", 2})
	l.run(l.task(salesJob()), stream)
	f := forged(t, l, func(_ *lake, r *manifests.Receipt) { r.InputDigest[0]++ })
	_, err := runner.ExpireRaw(t.Context(), f.stream, landing.Retain{Age: 1}, over(), []*runner.Task{f.task(salesJob())})
	if !errors.Is(err, window.ErrHistory) {
		t.Fatalf("got %v, want ErrHistory", err)
	}
}

func TestWhatIsLeftOfExpiredRowsIsStillVerified(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(2), "1", "x", 1})
	l.land("b", sale{day(1), "2", "x", 2})
	l.run(l.task(salesJob()), stream)
	l.sweeps(l.expires(1))
	got := l.verify(salesJob())
	expect(t, got, "2026-03-02", runner.RawExpired, "", "")
	if v := got["2026-03-02"]; !strings.Contains(v.Unproved, "raw rows have expired: 1 of the rows") {
		t.Errorf("unproved: %q", v.Unproved)
	}
	// The landing log still bears out, or refutes, what the receipt says of them.
	f := forged(t, l, func(_ *lake, r *manifests.Receipt) { r.InputDigest[0]++ })
	expect(t, f.verify(salesJob()), "2026-03-02", runner.Differs, "input", "are others than those")
	must(t, os.Truncate(l.file("2026-03-02"), 100))
	expect(t, l.verify(salesJob()), "2026-03-02", runner.Differs, "file", "")
}

// Killed at any call, an expiry took place whole or not at all, and running it
// again finishes it.
func TestAnExpiryThatDiesAnywhereIsFinishedByTheNext(t *testing.T) {
	shared := newLake(t, objstore.NewMemory())
	for at, calls := 1, 1; at <= calls; at++ {
		memory := objstore.NewMemory()
		before := shared.on(memory)
		before.land("a", sale{day(1), "1", "x", 1})
		before.land("b", sale{day(2), "2", "x", 2})
		before.run(before.task(salesJob()), stream)
		ctx, die := context.WithCancel(t.Context())
		var n atomic.Int64
		l := shared.on(objstore.NewFault(memory, func(objstore.Op, string) objstore.Action {
			if n.Add(1) == int64(at) {
				die()
				return objstore.Fail
			}
			return objstore.Pass
		}))
		_, err := runner.ExpireRaw(ctx, l.stream, landing.Retain{Age: 1}, over(), []*runner.Task{l.task(salesJob())})
		die()
		calls = int(n.Load())
		if (err == nil) != (calls < at) {
			t.Errorf("dying at call %d of %d: %v", at, calls, err)
		}
		next := shared.on(memory)
		_, err = runner.ExpireRaw(t.Context(), next.stream, landing.Retain{Age: 1}, over(), []*runner.Task{next.task(salesJob())})
		must(t, err)
		next.stream.View(func(s *landing.State) {
			if s.ExpiredUpTo() != 1 || len(s.Segments()) != 1 {
				t.Errorf("dying at call %d: rows below %d expired, %d segments are left; want one each", at, s.ExpiredUpTo(), len(s.Segments()))
			}
		})
	}
}
