package runner_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"strandline/internal/duck"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// smallSums is the job over sales that fails where a sum of cents is over 255.
func smallSums() window.Job {
	job := salesJob()
	job.SQL = "SELECT window_start, shop, count(*) AS n, sum(cents)::UTINYINT AS cents FROM sales GROUP BY window_start, shop"
	return job
}

// landDays lands one sale a day from March 1 on, of these cents.
func (l *lake) landDays(name string, cents ...int64) {
	l.t.Helper()
	var sales []sale
	for i, c := range cents {
		sales = append(sales, sale{day(i + 1), fmt.Sprint(name, i), "x", c})
	}
	l.land(name, sales...)
}

// executed runs a plan of a backfill of March with options, whose driver and generation are
// set here.
func (l *lake) executed(ctx context.Context, task *runner.Task, order window.Order, o runner.Options) (runner.Report, error) {
	l.t.Helper()
	generation, err := task.Register(l.t.Context(), manifests.DriverBackfill)
	if err != nil {
		l.t.Fatal(err)
	}
	r := backfill(day(1), day(31))
	r.Order = order
	plan, err := task.Plan(l.t.Context(), r)
	if err != nil {
		l.t.Fatal(err)
	}
	o.Driver, o.Generation = manifests.DriverBackfill, generation
	o.Parallel = max(o.Parallel, 1)
	return task.Execute(ctx, plan, o)
}

// verdicts are those of a report, by partition, in the order in which they were told.
func verdicts(report runner.Report) []string {
	var all []string
	for _, o := range report.Outcomes {
		verdict := o.Verdict.String()
		if o.Err != nil {
			verdict = "failed"
		}
		all = append(all, o.Partition.String()+" "+verdict)
	}
	return all
}

func (l *lake) snapshot() *manifests.Snapshot {
	l.t.Helper()
	snapshot, err := l.table.Snapshot(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return snapshot
}

func TestAnAtomicRunPublishesAllInOneEdit(t *testing.T) {
	l := newLake(t, folder(t))
	l.landDays("a", 1, 2, 3)
	report, err := l.executed(t.Context(), l.task(salesJob()), window.Newest, runner.Options{Atomic: true, Parallel: 2})
	if err != nil || report.Count(manifests.Swap) != 3 {
		t.Fatalf("got %v, %v", verdicts(report), err)
	}
	for _, o := range report.Outcomes {
		if o.Version != report.Outcomes[0].Version {
			t.Errorf("%s is of version %d, another of %d", o.Partition, o.Version, report.Outcomes[0].Version)
		}
	}
	l.noOrphans()
}

func TestAnAtomicRunInWhichOneIsNotFitPublishesNothing(t *testing.T) {
	held := salesJob()
	held.Checks = []window.Check{{Name: "takings", OnFailure: window.Block, Rule: window.Range{Column: "cents", Max: "100"}}}
	for name, c := range map[string]struct {
		job  window.Job
		want string
	}{
		"failed": {smallSums(), "2026-03-02 failed"},
		"held":   {held, "2026-03-02 held"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLake(t, folder(t))
			l.landDays("a", 1, 300, 3)
			computed := ""
			tell := func(p window.Partition, failed bool) { computed += fmt.Sprintf("%s %t ", p, failed) }
			report, err := l.executed(t.Context(), l.task(c.job), window.Oldest, runner.Options{Atomic: true, Computed: tell})
			want := []string{"2026-03-01 withheld", c.want, "2026-03-03 withheld"}
			if got := verdicts(report); err != nil || !slices.Equal(got, want) {
				t.Errorf("got %v, %v; want %v", got, err, want)
			}
			if want := "2026-03-01 false 2026-03-02 true "; computed != want {
				t.Errorf("computed is %s, want %s: nothing once nothing can be published", computed, want)
			}
			if reason := report.Outcomes[2].Reason(); reason != "all is published together or nothing is, and 2026-03-02 can't be" {
				t.Errorf("the last was withheld since %q", reason)
			}
			if n := len(l.snapshot().Receipts()); n != 0 {
				t.Errorf("%d partitions are published", n)
			}
			if n := len(l.snapshot().Failures()) + len(l.snapshot().Candidates()); n != 1 {
				t.Errorf("%d failures and candidates are kept, want 1", n)
			}
			l.noOrphans()
		})
	}
}

func TestAnAtomicRunOfWhichOneIsSupersededPublishesNothing(t *testing.T) {
	l := newLake(t, folder(t))
	l.landDays("a", 1, 2, 3)
	task := l.task(salesJob())
	meanwhile := func(p window.Partition) {
		if p.String() == "2026-03-01" {
			l.land("late", sale{day(2), "late", "x", 1})
			one := backfill(day(2), day(3))
			l.run(l.task(salesJob()), one)
		}
	}
	report, err := l.executed(t.Context(), task, window.Oldest, runner.Options{Atomic: true, Began: meanwhile})
	want := []string{"2026-03-01 withheld", "2026-03-02 superseded", "2026-03-03 withheld"}
	if got := verdicts(report); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if n := len(l.snapshot().Receipts()); n != 1 {
		t.Errorf("%d partitions are published, want the one of others", n)
	}
	l.noOrphans()
}

func TestARunEndsOnceTooManyHaveFailed(t *testing.T) {
	l := newLake(t, folder(t))
	l.landDays("a", 1, 300, 3, 300, 5, 6)
	task := l.task(smallSums())
	report, err := l.executed(t.Context(), task, window.Oldest, runner.Options{MaxFailures: 2})
	want := []string{"2026-03-01 published", "2026-03-02 failed", "2026-03-03 published", "2026-03-04 failed"}
	if got := verdicts(report); !errors.Is(err, runner.ErrTooManyFailed) || !strings.Contains(err.Error(), "2 were not tried") || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	// The last that fails leaves nothing out, and a bound that is not reached ends nothing.
	for _, most := range []int{2, 3, 0} {
		if report, err := l.executed(t.Context(), task, window.Newest, runner.Options{MaxFailures: most}); err != nil || len(report.Failed()) != 2 {
			t.Errorf("with at most %d failures: %v, %v", most, verdicts(report), err)
		}
	}
	l.noOrphans()
}

// A run that was ended by its failures goes on when it is started again: what failed comes
// last, and only what had not failed before counts.
func TestARunGoesOnAfterTooManyHaveFailed(t *testing.T) {
	l := newLake(t, folder(t))
	l.landDays("a", 300, 2, 300, 4, 300, 6)
	task := l.task(smallSums())
	for _, want := range [][]string{
		{"2026-03-01 failed"},
		{"2026-03-02 published", "2026-03-03 failed"},
		{"2026-03-04 published", "2026-03-05 failed"},
	} {
		report, err := l.executed(t.Context(), task, window.Oldest, runner.Options{MaxFailures: 1})
		if got := verdicts(report); !errors.Is(err, runner.ErrTooManyFailed) || !slices.Equal(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}
	report, err := l.executed(t.Context(), task, window.Oldest, runner.Options{MaxFailures: 1})
	want := []string{"2026-03-01 failed", "2026-03-03 failed", "2026-03-05 failed", "2026-03-06 published"}
	if got := verdicts(report); err != nil || !slices.Equal(got, want) {
		t.Errorf("at last got %v, %v; want %v", got, err, want)
	}
}

// The same is true of a slice, whose plan was made before.
func TestASliceGoesOnAfterTooManyHaveFailed(t *testing.T) {
	l := newLake(t, folder(t))
	l.landDays("a", 1, 2, 300, 300)
	task := l.task(smallSums())
	f := planned(t, task, backfill(day(1), day(31)))
	for _, want := range [][]string{{"2026-03-04"}, {"2026-03-03"}} {
		report, err := task.RunSlice(t.Context(), f, 0, 1, runner.Options{Parallel: 1, MaxFailures: 1})
		if got := verdicts(report); !errors.Is(err, runner.ErrTooManyFailed) || !slices.Equal(got, []string{want[0] + " failed"}) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}
	report, err := task.RunSlice(t.Context(), f, 0, 1, runner.Options{Parallel: 1, MaxFailures: 1})
	if err != nil || report.Count(manifests.Swap) != 2 || len(report.Failed()) != 2 {
		t.Errorf("at last got %v, %v", verdicts(report), err)
	}
}

// Slices that are run at the same time bear as many failures together as one would, and no
// more than one each beyond: of that which was being computed.
func TestSlicesCountTheFailuresOfOneAnother(t *testing.T) {
	const days, cut, most = 24, 4, 5
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 47))
		l := newLake(t, folder(t))
		var cents []int64
		for range days {
			cents = append(cents, int64(1+random.IntN(2)*299)) // of which 300 are too many for the job
		}
		l.landDays("a", cents...)
		f := planned(t, l.task(smallSums()), backfill(day(1), day(days+1)))
		before := random.IntN(3)
		for n := range before { // they count no more
			_, err := l.task(smallSums()).RunSlice(t.Context(), f, n*8, days, runner.Options{Parallel: 1})
			must(t, err)
		}
		had := len(l.snapshot().Failures())
		var running sync.WaitGroup
		for i := range cut {
			task := newLake(t, l.store).task(smallSums())
			running.Go(func() {
				_, err := task.RunSlice(t.Context(), f, i, cut, runner.Options{Parallel: 1, MaxFailures: most, Others: &runner.Others{Before: had}})
				if err != nil && !errors.Is(err, runner.ErrTooManyFailed) {
					t.Error(err)
				}
			})
		}
		running.Wait()
		if n := len(l.snapshot().Failures()) - had; n < most || n >= most+cut {
			t.Errorf("seed %d: %d have failed, want %d, and up to %d more that were being computed", seed, n, most, cut-1)
		}
		report, err := l.task(smallSums()).RunSlice(t.Context(), f, 0, 1, runner.Options{Parallel: 1, MaxFailures: most, Others: &runner.Others{Before: had}})
		if !errors.Is(err, runner.ErrTooManyFailed) || len(report.Failed()) > 0 {
			t.Errorf("seed %d: run once more: %v, %v", seed, verdicts(report), err)
		}
	}
}

// A slice begins no other partition where others have failed as often as they may, by the log
// of requests.
func TestASliceBeginsNothingOnceTheOthersHaveFailedOften(t *testing.T) {
	l := newLake(t, folder(t))
	l.landDays("a", 1, 2)
	task := l.task(smallSums())
	f := planned(t, task, backfill(day(1), day(3)))
	report, err := task.RunSlice(t.Context(), f, 0, 1, runner.Options{Parallel: 1, MaxFailures: 2, Others: &runner.Others{Failed: 2, Before: 9}})
	if !errors.Is(err, runner.ErrTooManyFailed) || !strings.Contains(err.Error(), "2 were not tried") || len(report.Outcomes) > 0 {
		t.Errorf("got %v, %v", verdicts(report), err)
	}
}

func TestAnAtomicRunInWhichTooManyFailPublishesNothing(t *testing.T) {
	l := newLake(t, folder(t))
	l.landDays("a", 1, 300, 3)
	report, err := l.executed(t.Context(), l.task(smallSums()), window.Oldest, runner.Options{Atomic: true, MaxFailures: 1})
	why := report.Outcomes[0].Reason()
	if why != "all is published together or nothing is, and 2026-03-02 can't be" {
		t.Errorf("it is withheld since %s", why)
	}
	want := []string{"2026-03-01 withheld", "2026-03-02 failed"}
	if got := verdicts(report); !errors.Is(err, runner.ErrTooManyFailed) || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	l.noOrphans()
}

func TestWhatIsReadyWhenARunIsToldToEndIsPublishedAndTheRestIsLeft(t *testing.T) {
	l := newLake(t, folder(t))
	l.landDays("a", 1, 2, 3, 4)
	task := l.task(salesJob())
	ctx, stop := context.WithCancel(t.Context())
	var began []string
	second := func(window.Partition, bool) {
		if len(began) == 2 {
			stop()
		}
	}
	note := func(p window.Partition) { began = append(began, p.String()) }
	report, err := l.executed(ctx, task, window.Oldest, runner.Options{Began: note, Computed: second})
	if got := verdicts(report); !errors.Is(err, context.Canceled) || !slices.Equal(got, []string{"2026-03-01 published", "2026-03-02 published"}) {
		t.Errorf("got %v, %v", got, err)
	}
	l.noOrphans()
	began = nil
	if _, err := l.executed(t.Context(), task, window.Oldest, runner.Options{Began: note}); err != nil || !slices.Equal(began, []string{"2026-03-03", "2026-03-04"}) {
		t.Errorf("running it again does %v, %v", began, err)
	}
}

func TestAnAtomicRunThatIsToldToEndPublishesNothing(t *testing.T) {
	l := newLake(t, folder(t))
	l.landDays("a", 1, 2, 3)
	ctx, stop := context.WithCancel(t.Context())
	report, err := l.executed(ctx, l.task(salesJob()), window.Oldest, runner.Options{Atomic: true, Computed: func(window.Partition, bool) { stop() }})
	if !errors.Is(err, context.Canceled) || len(report.Outcomes) > 0 || len(l.snapshot().Receipts()) > 0 {
		t.Errorf("got %v, %v", verdicts(report), err)
	}
	l.noOrphans()
}

func TestPartitionsThatDoNotFitInMemoryTogetherAreMadeAlone(t *testing.T) {
	l := newLakeOn(t, folder(t), duck.Options{MemoryLimit: "80MB", MaxTemp: "1MB"})
	l.landDays("a", 1, 2, 3, 4, 5, 6)
	job := salesJob()
	// Distinct values that can't be spilled: of each partition some 20 MB.
	job.SQL = "SELECT window_start, shop, count(*) AS n, count(DISTINCT i + cents)::BIGINT AS cents FROM (SELECT *, unnest(range(500000)) AS i FROM sales) GROUP BY window_start, shop"
	report, err := l.executed(t.Context(), l.task(job), window.Oldest, runner.Options{Parallel: 6})
	if err != nil || report.Count(manifests.Swap) != 6 {
		t.Errorf("got %v, %v", verdicts(report), err)
	}
}
