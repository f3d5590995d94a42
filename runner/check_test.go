package runner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// checked is the job over sales with a check that blocks: no hour of a shop
// takes more than a thousand cents.
func checked(onFailure window.OnFailure) window.Job {
	job := salesJob()
	job.Checks = []window.Check{{Name: "takings", OnFailure: onFailure, Rule: window.Range{Column: "cents", Max: "1000"}}}
	return job
}

const tooMuch = "check takings (range of cents): 1 row, want at most 1000, for example (window_start=2026-03-01T00:00:00Z, shop=x, cents=5000)"

// is fails unless a report is of one partition with this verdict and these
// violations.
func is(t *testing.T, report runner.Report, verdict manifests.Verdict, violations ...string) runner.Outcome {
	t.Helper()
	if len(report.Outcomes) != 1 {
		t.Fatalf("got %+v, want one partition", report.Outcomes)
	}
	o := report.Outcomes[0]
	if o.Err != nil || o.Verdict != verdict || !slices.Equal(o.Violations, violations) {
		t.Fatalf("got %v, %v, violations %q; want %v and %q", o.Verdict, o.Err, o.Violations, verdict, violations)
	}
	return o
}

// noOrphans fails unless the table's data files are just those of its receipts
// and candidates.
func (l *lake) noOrphans() {
	l.t.Helper()
	snapshot, err := l.table.Snapshot(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	receipts := snapshot.Receipts()
	for _, c := range snapshot.Candidates() {
		receipts = append(receipts, c.Receipt)
	}
	var named []string
	for _, r := range receipts {
		for _, f := range r.Files {
			named = append(named, manifests.DataKey("sales_hourly", r.Partition, f.ID))
		}
	}
	slices.Sort(named)
	if there := l.dataFiles(); !slices.Equal(there, named) {
		l.t.Errorf("data files are %q, receipts and candidates name %q", there, named)
	}
}

func (l *lake) dataFiles() []string {
	l.t.Helper()
	objects, err := l.store.List(l.t.Context(), "tables/sales_hourly/data/", "", 1000)
	if err != nil {
		l.t.Fatal(err)
	}
	var keys []string
	for _, o := range objects {
		keys = append(keys, o.Key)
	}
	return keys
}

func (l *lake) candidates() []manifests.Candidate {
	l.t.Helper()
	snapshot, err := l.table.Snapshot(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return snapshot.Candidates()
}

func TestABlockedResultIsHeldAndItsReleasePublishesIt(t *testing.T) {
	l := newLake(t, folder(t))
	task := l.task(checked(window.Block))
	l.land("a", sale{day(1), "1", "x", 900})
	is(t, l.run(task, stream), manifests.Swap)
	l.land("b", sale{day(1), "2", "x", 4100})
	o := is(t, l.run(task, stream), manifests.Held, tooMuch)
	if o.OK() || o.Version == 0 || o.Reason() != tooMuch {
		t.Errorf("a held partition counts as done: %+v, reason %q", o, o.Reason())
	}
	if got, want := l.rows(), []string{"03-01T00 x 1 900"}; !slices.Equal(got, want) {
		t.Errorf("published is %v, want still %v", got, want)
	}
	l.noOrphans()
	if report := l.run(task, stream); len(report.Outcomes) != 0 {
		t.Errorf("the stream tried what is held again: %+v", report.Outcomes)
	}
	if _, err := l.table.Release(t.Context(), "2026-03-01"); err != nil {
		t.Fatal(err)
	}
	if got, want := l.rows(), []string{"03-01T00 x 2 5000"}; !slices.Equal(got, want) {
		t.Errorf("published is %v, want %v", got, want)
	}
	again := backfill(day(1), day(2))
	again.Again = true
	is(t, l.run(task, again), manifests.Unchanged) // what stands needs no check
}

func TestAWarningPublishesAndStaysInTheHistory(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 5000}, sale{day(2), "2", "x", 1})
	report := l.run(l.task(checked(window.Warn)), backfill(day(1), day(3)))
	if report.Count(manifests.Swap) != 2 || len(report.Failed()) != 0 {
		t.Fatalf("got %+v, want both published", report.Outcomes)
	}
	for _, o := range report.Outcomes {
		if want := o.Partition.String() == "2026-03-01"; want != slices.Equal(o.Warnings, []string{tooMuch}) || len(o.Violations) > 0 {
			t.Errorf("of %s is told %+v", o.Partition, o.Findings)
		}
	}
	var told []string
	for c, err := range l.table.Changes(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for partition, warnings := range c.Warnings {
			told = append(told, partition+" "+strings.Join(warnings, "; "))
		}
	}
	if want := []string{"2026-03-01 " + tooMuch}; !slices.Equal(told, want) {
		t.Errorf("the history has %q, want %q", told, want)
	}
}

func TestADroppedCandidateIsMadeAgainOnlyOnceRowsCome(t *testing.T) {
	l := newLake(t, folder(t))
	task := l.task(checked(window.Block))
	l.land("a", sale{day(1), "1", "x", 5000})
	is(t, l.run(task, stream), manifests.Held, tooMuch)
	if _, err := l.table.Drop(t.Context(), []string{"2026-03-01"}); err != nil {
		t.Fatal(err)
	}
	if report := l.run(task, stream); len(report.Outcomes) != 0 || len(l.candidates()) != 0 {
		t.Fatalf("the stream made it again: %+v", report.Outcomes)
	}
	l.land("b", sale{day(1).Add(time.Hour), "2", "x", 1})
	is(t, l.run(task, stream), manifests.Held, tooMuch)
	l.land("c", sale{day(1), "1", "x", 7}) // dedup keeps this one
	is(t, l.run(task, stream), manifests.Swap)
	if n := len(l.candidates()); n != 0 {
		t.Errorf("%d candidates outlived the good result", n)
	}
	if got, want := l.rows(), []string{"03-01T00 x 1 7", "03-01T01 x 1 1"}; !slices.Equal(got, want) {
		t.Errorf("published is %v, want %v", got, want)
	}
}

func TestABackfillTriesAHeldPartitionAgainByTodaysChecks(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 5000})
	is(t, l.run(l.task(checked(window.Block)), stream), manifests.Held, tooMuch)
	again := backfill(day(1), day(2))
	again.Again = true
	before := l.dataFiles()
	for range 2 {
		o := is(t, l.run(l.task(checked(window.Block)), again), manifests.StillHeld, tooMuch)
		if o.OK() || len(l.candidates()) != 1 || !slices.Equal(l.dataFiles(), before) {
			t.Fatalf("tried again: %+v, candidates %+v, files %q, before %q", o, l.candidates(), l.dataFiles(), before)
		}
	}

	stricter := checked(window.Block)
	least := int64(2)
	stricter.Checks = []window.Check{{OnFailure: window.Block, Rule: window.RowCount{Min: &least}}}
	if report := l.run(l.task(stricter), stream); len(report.Outcomes) != 0 {
		t.Errorf("other checks alone made the stream try: %+v", report.Outcomes)
	}
	is(t, l.run(l.task(stricter), again), manifests.StillHeld, "check rows: 1 row, want at least 2")
	if c := l.candidates(); len(c) != 1 || !slices.Equal(c[0].Violations, []string{"check rows: 1 row, want at least 2"}) || !slices.Equal(l.dataFiles(), before) {
		t.Errorf("held are %+v, files %q, before %q", c, l.dataFiles(), before)
	}

	is(t, l.run(l.task(salesJob()), again), manifests.Swap)
	if got, want := l.rows(), []string{"03-01T00 x 1 5000"}; !slices.Equal(got, want) || len(l.candidates()) != 0 {
		t.Errorf("published is %v, held %v; want %v and none", got, l.candidates(), want)
	}
}

func TestADropIsHeldAgainstTheReceiptThatStands(t *testing.T) {
	l := newLake(t, folder(t))
	job := salesJob()
	half := window.Percent(50_00)
	job.Checks = []window.Check{{OnFailure: window.Block, Rule: window.RowCount{MaxDrop: &half}}}
	task := l.task(job)
	var sales []sale
	for i := range 10 {
		sales = append(sales, sale{day(1), fmt.Sprint(i), fmt.Sprint("shop", i), 1})
	}
	l.land("a", sales...)
	is(t, l.run(task, stream), manifests.Swap) // nothing stood before
	job.SQL = strings.Replace(job.SQL, "FROM sales", "FROM sales WHERE shop = 'shop6'", 1)
	report := l.run(l.task(job), backfill(day(1), day(2)))
	is(t, report, manifests.Held, "check rows: 1 row, the receipt that stands has 10: a drop of 90%, more than the 50% allowed")
}

func TestTwoProcessesThatHoldTheSameResultLeaveOneCandidate(t *testing.T) {
	for name, store := range map[string]objstore.Store{"folder": folder(t), "memory": objstore.NewMemory()} {
		t.Run(name, func(t *testing.T) {
			first := newLake(t, store)
			first.land("a", sale{day(1), "1", "x", 5000}, sale{day(2), "2", "x", 5000}, sale{day(3), "3", "x", 1})
			again := backfill(day(1), day(4))
			again.Again = true
			var group errgroup.Group
			for range 4 {
				l := newLake(t, store)
				task := l.task(checked(window.Block))
				group.Go(func() error { _, err := execute(t.Context(), task, again); return err })
			}
			if err := group.Wait(); err != nil {
				t.Fatal(err)
			}
			if n := len(first.candidates()); n != 2 {
				t.Errorf("%d candidates are held, want 2", n)
			}
			if got, want := first.rows(), []string{"03-03T00 x 1 1"}; !slices.Equal(got, want) {
				t.Errorf("published is %v, want %v", got, want)
			}
			first.noOrphans()
		})
	}
}

func TestARebuildWithABlockedPartitionPublishesNothing(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 10}, sale{day(2), "2", "x", 900})
	l.run(l.task(checked(window.Block)), stream)
	l.land("b", sale{day(1), "3", "x", 4990})
	want, files := l.rows(), l.dataFiles()

	// Of the same code, where one partition is as it stands.
	report, err := rebuild(t.Context(), l.task(checked(window.Block)))
	if got := l.rows(); err != nil || report.Count(manifests.Withheld) != 2 || !slices.Equal(got, want) {
		t.Fatalf("%+v, %v; published is %v, want %v", report.Outcomes, err, got, want)
	}

	job := checked(window.Block)
	job.Key = []string{"window_start", "shop", "n"}
	report, err = rebuild(t.Context(), l.task(job))
	if err != nil {
		t.Fatal(err)
	}
	if n := report.Count(manifests.Withheld); n != 2 || len(report.Failed()) != 2 {
		t.Errorf("got %+v, want both withheld", report.Outcomes)
	}
	for _, o := range report.Failed() {
		if first := o.Partition.String() == "2026-03-01"; first != strings.HasPrefix(o.Reason(), "check takings") || o.Reason() == "" {
			t.Errorf("%s was withheld since %q", o.Partition, o.Reason())
		}
	}
	if got := l.rows(); !slices.Equal(got, want) || len(l.candidates()) != 0 || !slices.Equal(l.dataFiles(), files) {
		t.Errorf("published is %v, held %v, files %q; want %v, none and %q", got, l.candidates(), l.dataFiles(), want, files)
	}

	job.Checks[0].OnFailure = window.Warn
	if report, err = rebuild(t.Context(), l.task(job)); err != nil || report.Count(manifests.Swap) != 2 {
		t.Errorf("with a warning: %+v, %v; want both published", report.Outcomes, err)
	}
}

func rebuild(ctx context.Context, task *runner.Task) (runner.Report, error) {
	r := runner.Request{Driver: manifests.DriverBackfill, Rebuild: true}
	generation, err := task.Generation(ctx)
	if err != nil {
		return runner.Report{}, err
	}
	plan, err := task.Plan(ctx, r)
	if err != nil {
		return runner.Report{}, err
	}
	return task.Execute(ctx, plan, runner.Options{Driver: r.Driver, Generation: generation, Parallel: 2, Rebuild: true})
}

func TestAReplacedProcessHoldsNothing(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 5000})
	old := l.task(checked(window.Block))
	generation, err := old.Register(t.Context(), manifests.DriverStream)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := old.Plan(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	next := salesJob()
	next.SQL = strings.Replace(next.SQL, "FROM sales", "FROM sales WHERE cents >= 0", 1)
	if _, err := l.task(next).Register(t.Context(), manifests.DriverStream); err != nil {
		t.Fatal(err)
	}
	_, err = old.Execute(t.Context(), plan, runner.Options{Driver: manifests.DriverStream, Generation: generation})
	if !errors.Is(err, manifests.ErrReplaced) {
		t.Errorf("got %v, want ErrReplaced", err)
	}
	if len(l.candidates()) != 0 {
		t.Errorf("held are %+v", l.candidates())
	}
	l.noOrphans()
}

func TestACheckThatCantBeEvaluatedFailsThePartition(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "12", 1})
	job := salesJob()
	job.Checks = []window.Check{{Name: "numbered", OnFailure: window.Warn, Rule: window.NoRow{SQL: "SELECT * FROM sales_hourly WHERE shop::INT < 0"}}}
	report := l.run(l.task(job), stream)
	failed := report.Failed()
	if len(failed) != 1 || !errors.Is(failed[0].Err, window.ErrCheck) || !strings.Contains(failed[0].Err.Error(), "check numbered (sql)") || report.Count(manifests.Swap) != 1 {
		t.Fatalf("got %+v, want one published and one failed by its check", report.Outcomes)
	}
	l.noOrphans()
	// Once the check is mended, the stream does what it could not do before.
	job.Checks = nil
	if report := l.run(l.task(job), stream); report.Count(manifests.Swap) != 1 {
		t.Fatalf("without the check: %+v, want the other published", report.Outcomes)
	}
}
