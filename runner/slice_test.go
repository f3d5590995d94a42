package runner_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/plans"
	"strandline/runner"
	"strandline/window"
)

// planned registers the job and makes the plan of a request, as its submission does.
func planned(t *testing.T, task *runner.Task, r runner.Request) plans.File {
	t.Helper()
	_, err := task.Register(t.Context(), r.Driver)
	must(t, err)
	plan, err := task.Plan(t.Context(), r)
	must(t, err)
	return plans.New(plan, plans.About{Driver: r.Driver, Asked: "a test"})
}

func slice(t *testing.T, task *runner.Task, f plans.File, i, n int) runner.Report {
	t.Helper()
	report, err := task.RunSlice(t.Context(), f, i, n, runner.Options{Parallel: 2})
	must(t, err)
	return report
}

// swaps counts how often each partition was published.
func (l *lake) swaps() map[string]int {
	l.t.Helper()
	n := map[string]int{}
	for change, err := range l.table.Changes(l.t.Context()) {
		must(l.t, err)
		for _, r := range change.Receipts {
			n[r.Partition]++
		}
	}
	return n
}

// Whatever lands, is compacted or published between the plan and a slice, wherever that is
// run: the receipts are those that the plan's own process would have made, of the plan's
// positions, and to run all slices again changes nothing.
func TestASliceIsComputedAtThePlansPositionsAnywhere(t *testing.T) {
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 44))
		store := objstore.NewMemory()
		l, twin := newLake(t, store), newLake(t, objstore.NewMemory())
		task := l.task(salesJob())
		for i := range 6 {
			sales := randomSales(random, 1+random.IntN(9))
			l.land(fmt.Sprint(i), sales...)
			twin.land(fmt.Sprint(i), sales...)
		}
		f := planned(t, task, backfill(day(1), day(4)))
		twin.run(twin.task(salesJob()), backfill(day(1), day(4)))
		for i := range 6 {
			l.land(fmt.Sprint("late", i), randomSales(random, 1+random.IntN(9))...)
		}
		must(t, l.compactor(task).Run(t.Context()))

		elsewhere := newLake(t, store)
		n := 1 + random.IntN(5)
		for _, i := range random.Perm(n) {
			slice(t, elsewhere.task(salesJob()), f, i, n)
		}
		l.holds(f)
		if got, want := l.rows(), twin.rows(); !slices.Equal(got, want) {
			t.Fatalf("seed %d: published\n%v, want\n%v", seed, got, want)
		}
		before := l.swaps()
		for i := range n {
			report := slice(t, task, f, i, n)
			if report.Count(manifests.Already) != len(report.Outcomes) {
				t.Errorf("seed %d: slice %d, run again: %v", seed, i, report.Outcomes)
			}
		}
		if after := l.swaps(); !maps.Equal(before, after) {
			t.Errorf("seed %d: run again, partitions were published %v times, before %v", seed, after, before)
		}
	}
}

// holds tells that what is published is of just the input and positions of a plan.
func (l *lake) holds(f plans.File) {
	l.t.Helper()
	snapshot, err := l.table.Snapshot(l.t.Context())
	must(l.t, err)
	for _, task := range f.Tasks {
		r, _ := snapshot.Receipt(task.Partition)
		if r.InputDigest != task.Digest || r.InputRows != task.Rows || !maps.Equal(r.Positions, f.Read) {
			l.t.Errorf("published is %+v, planned was %+v at %v", r, task, f.Read)
		}
	}
}

func TestASliceOfWhatNewerInputWasPublishedOfIsDone(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	task := l.task(salesJob())
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 2})
	f := planned(t, task, backfill(day(1), day(3)))
	l.land("b", sale{day(1), "3", "x", 4})
	l.run(task, backfill(day(1), day(2)))
	report := slice(t, task, f, 0, 1)
	if len(report.Outcomes) != 2 || report.Count(manifests.Behind) != 1 || report.Count(manifests.Swap) != 1 {
		t.Errorf("outcomes are %+v", report.Outcomes)
	}
}

// A plan of another lake, whose log of requests was copied here, may read less far than what is
// published here. It is of other rows all the same.
func TestAPlanOfAnotherLakeIsNotTakenForOneOfOlderInput(t *testing.T) {
	other := newLake(t, objstore.NewMemory())
	other.land("a", sale{day(1), "7", "z", 70}, sale{day(2), "8", "z", 80})
	foreign := planned(t, other.task(salesJob()), backfill(day(1), day(3)))

	l := newLake(t, objstore.NewMemory())
	task := l.task(salesJob())
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 2})
	l.land("b", sale{day(1), "3", "x", 4}, sale{day(2), "4", "x", 4})
	l.run(task, backfill(day(1), day(3)))
	refuses(t, l, task, foreign, window.ErrHistory, "not of this lake")
}

// refuses has a plan refused for a reason, and nothing of it published.
func refuses(t *testing.T, l *lake, task *runner.Task, f plans.File, class error, words string) {
	t.Helper()
	before := l.swaps()
	report, err := task.RunSlice(t.Context(), f, 0, 1, runner.Options{Parallel: 2})
	if !errors.Is(err, class) || !strings.Contains(fmt.Sprint(err), words) {
		t.Errorf("error is %v, want one that is %v and has %q", err, class, words)
	}
	if after := l.swaps(); !maps.Equal(before, after) || len(report.Outcomes) > 0 {
		t.Errorf("published %v, was %v; outcomes %v", after, before, report.Outcomes)
	}
}

// A plan that can't be what a planner of this job and lake has made is refused whole,
// before anything is computed.
func TestAPlanThatIsWrongIsRefused(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	task := l.task(salesJob())
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 2}, sale{day(3), "3", "x", 2})
	good := planned(t, task, backfill(day(1), day(4)))
	for words, wrong := range map[string]struct {
		class  error
		change func(*plans.File)
	}{
		"it is of job other":       {window.ErrNotPlanned, func(f *plans.File) { f.Job = "other" }},
		"this process has":         {window.ErrNotPlanned, func(f *plans.File) { f.Fingerprint[3]++ }},
		"does not read stream":     {window.ErrNotPlanned, func(f *plans.File) { f.Read = manifests.Positions{"other": 3} }},
		"2 inputs, and the job 1":  {window.ErrNotPlanned, func(f *plans.File) { f.Read = manifests.Positions{"sales": 3, "other": 3} }},
		"made in another lake":     {window.ErrHistory, func(f *plans.File) { f.Read = manifests.Positions{"sales": 4} }},
		"up to position 2":         {window.ErrHistory, func(f *plans.File) { f.Read = manifests.Positions{"sales": 2} }},
		"which are not there":      {window.ErrHistory, func(f *plans.File) { f.Tasks[1].Digest[0]++ }},
		"computed from 7 rows":     {window.ErrHistory, func(f *plans.File) { f.Tasks[1].Rows = 7 }},
		"want one such as":         {window.ErrNotPlanned, func(f *plans.File) { f.Tasks[1].Partition = "2026-03" }},
		"and the plan has it as":   {window.ErrNotPlanned, func(f *plans.File) { f.Tasks[1].End = f.Tasks[1].End.Add(time.Hour) }},
		"not of what the job read": {window.ErrNotPlanned, func(f *plans.File) { f.Tasks[1].Inputs = map[string]manifests.Input{"sales": {}} }},
	} {
		f := good
		f.Tasks = slices.Clone(good.Tasks)
		wrong.change(&f)
		refuses(t, l, task, f, wrong.class, words)
	}
	if report := slice(t, task, good, 0, 1); report.Count(manifests.Swap) != 3 {
		t.Errorf("the plan as it was: %+v", report.Outcomes)
	}
}

// A process with the older configuration must not bring older code back.
func TestASliceOfReplacedCodeIsRefusedAndRegistersNothing(t *testing.T) {
	store := objstore.NewMemory()
	l := newLake(t, store)
	task := l.task(salesJob())
	l.land("a", sale{day(1), "1", "x", 1})
	f := planned(t, task, backfill(day(1), day(2)))
	changed := salesJob()
	changed.SQL = strings.Replace(changed.SQL, "sum(cents)", "sum(cents + 1)", 1)
	generation, err := l.task(changed).Register(t.Context(), manifests.DriverBackfill)
	must(t, err)
	refuses(t, l, task, f, manifests.ErrReplaced, "plan anew")
	refuses(t, l, l.task(changed), f, window.ErrNotPlanned, "this process has")
	if now, err := task.Generation(t.Context()); err != nil || now != generation {
		t.Errorf("generation is %d, %v; want %d", now, err, generation)
	}
}

func TestASlicesExpiredPartitionsAreToldUnlessTheyWereDone(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	task := l.task(salesJob())
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1})
	l.land("b", sale{day(3), "3", "x", 4})
	f := planned(t, task, backfill(day(1), day(4)))
	l.run(task, backfill(day(1), day(2)))
	l.sweeps(l.expires(1))
	report := slice(t, newLake(t, l.store).task(salesJob()), f, 0, 1)
	got := map[string]string{}
	for _, o := range report.Outcomes {
		got[o.Partition.String()] = fmt.Sprint(o.Verdict)
		if errors.Is(o.Err, landing.ErrExpired) {
			got[o.Partition.String()] = "expired"
		}
	}
	if want := map[string]string{"2026-03-01": "done already", "2026-03-02": "expired", "2026-03-03": "published"}; !maps.Equal(got, want) {
		t.Errorf("outcomes are %v, want %v", got, want)
	}
}

// Rows that a compaction put into one segment with later ones are read to know whether
// they are what the plan says, since the log can't tell.
func TestAPlanThatTheLogCantContradictIsHeldAgainstTheRows(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	task := l.task(salesJob())
	l.land("a", sale{day(1), "1", "x", 1})
	l.land("b", sale{day(1), "2", "x", 2})
	f := planned(t, task, backfill(day(1), day(2)))
	l.land("c", sale{day(1), "3", "x", 4})
	l.land("d", sale{day(1), "4", "x", 8})
	must(t, l.compactor(task).Run(t.Context()))
	if n := len(l.segmentIDs()); n != 1 {
		t.Fatalf("there are %d segments, want 1 of all rows", n)
	}
	wrong := f
	wrong.Tasks = slices.Clone(f.Tasks)
	wrong.Tasks[0].Digest[0]++
	refuses(t, l, task, wrong, window.ErrHistory, "and there are 2 with")
	if report := slice(t, task, f, 0, 1); report.Count(manifests.Swap) != 1 {
		t.Errorf("outcomes are %+v", report.Outcomes)
	}
}

func TestASliceReadsTablesAtThePlansVersion(t *testing.T) {
	store := objstore.NewMemory()
	c := newChain(t, store, "new")
	hourly, daily := c.tasks[2], c.tasks[1]
	var sales []sale
	for n := range 3 {
		sales = append(sales, c.landIn("orders", []sale{{day(1 + n), fmt.Sprint(n), "shop0", 5}})...)
	}
	c.run(hourly, backfill(day(1), day(4)))
	f := planned(t, daily, backfill(day(1), day(4)))
	want := c.straight(sales)["daily"]
	c.landIn("orders", []sale{{day(2), "9", "shop0", 100}})
	c.run(hourly, backfill(day(1), day(4)))

	elsewhere := newChain(t, store, "new")
	if report := slice(t, elsewhere.tasks[1], f, 0, 2); report.Count(manifests.Swap) != 1 {
		t.Errorf("outcomes are %+v", report.Outcomes)
	}
	c.sweep()
	report, err := elsewhere.tasks[1].RunSlice(t.Context(), f, 1, 2, runner.Options{Parallel: 2})
	if !errors.Is(err, runner.ErrGone) || !errors.Is(err, manifests.ErrExpired) || !strings.Contains(fmt.Sprint(err), "planned anew") || len(report.Outcomes) > 0 {
		t.Errorf("of an expired version: %v; outcomes are %+v", err, report.Outcomes)
	}
	if got := c.rowsOf("daily"); !slices.Equal(got, want[2:]) {
		t.Errorf("published %v, want %v", got, want[2:])
	}
	if report := slice(t, elsewhere.tasks[1], f, 0, 2); report.Count(manifests.Already) != 1 {
		t.Errorf("what was done is, once the version has expired: %+v", report.Outcomes)
	}
}

// What another process has published by the time that a partition's turn comes is not
// computed: its rows need not even be there.
func TestASliceLooksAgainBeforeEachPartition(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	for n := range 3 {
		l.land(fmt.Sprint(n), sale{day(1 + n), fmt.Sprint(n), "x", 1})
	}
	task := l.task(salesJob())
	f := planned(t, task, backfill(day(1), day(4)))
	segments, once := l.segmentIDs(), false
	report, err := task.RunSlice(t.Context(), f, 0, 1, runner.Options{Parallel: 1, Began: func(window.Partition) {
		if once {
			return
		}
		once = true
		slice(t, newLake(t, l.store).task(salesJob()), f, 0, 1)
		last := slices.IndexFunc(segments, func(id string) bool { return l.holdsDay(id, f.Tasks[2].Start) })
		must(t, l.store.Delete(t.Context(), l.stream.SegmentKey(segments[last])))
	}})
	must(t, err)
	if report.Count(manifests.Unchanged) != 1 || report.Count(manifests.Already) != 2 {
		t.Errorf("outcomes are %+v", report.Outcomes)
	}
}

// holdsDay tells whether a segment has rows of a day.
func (l *lake) holdsDay(segment string, day time.Time) (holds bool) {
	hour := day.Unix() / 3600
	l.stream.View(func(s *landing.State) {
		of, err := s.SegmentsOf(landing.Hours{From: hour, To: hour + 24}, s.Next())
		must(l.t, err)
		holds = slices.ContainsFunc(of, func(g landing.Segment) bool { return g.ID == segment })
	})
	return holds
}

// What a person asks to be computed once more is: no receipt says that it has been.
func TestASliceOfFreshPartitionsIsRunWholeEachTime(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	task := l.task(salesJob())
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 2})
	l.run(task, backfill(day(1), day(3)))
	r := backfill(day(1), day(3))
	r.Again = true
	f := planned(t, task, r)
	if !f.Again() {
		t.Fatalf("the plan is %+v", f)
	}
	l.loseFiles()
	if report := slice(t, task, f, 0, 1); report.Count(manifests.Repaired) != 2 {
		t.Errorf("outcomes are %+v", report.Outcomes)
	}
}

// loseFiles removes all published files.
func (l *lake) loseFiles() {
	l.t.Helper()
	snapshot, err := l.table.Snapshot(l.t.Context())
	must(l.t, err)
	for _, r := range snapshot.Receipts() {
		for _, file := range r.Files {
			must(l.t, l.store.Delete(context.Background(), manifests.DataKey(l.table.Name(), r.Partition, file.ID)))
		}
	}
}
