package runner_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func TestStreamReplayAndBackfillGiveTheSameReceipts(t *testing.T) {
	for name, store := range map[string]objstore.Store{"folder": folder(t), "memory": objstore.NewMemory()} {
		t.Run(name, func(t *testing.T) {
			l := newLake(t, store)
			task := l.task(salesJob())
			random := seeded(t, 7)
			for i := range 5 {
				l.land(string(rune('a'+i)), randomSales(random, 200)...)
				l.run(task, stream)
			}
			want := l.receipts()
			if len(want) != 3 {
				t.Fatalf("published %d partitions, want 3: %v", len(want), want)
			}
			again := backfill(day(1), day(4))
			again.Again = true
			report := l.run(task, again)
			if n := report.Count(manifests.Unchanged); n != 3 {
				t.Errorf("backfill reproduced %d receipts, want 3: %+v", n, report.Outcomes)
			}
			report = l.run(task, runner.Request{Driver: manifests.DriverReplay, From: 0})
			if n := report.Count(manifests.Unchanged); n != 3 {
				t.Errorf("replay reproduced %d receipts, want 3: %+v", n, report.Outcomes)
			}
			if got := l.receipts(); !maps.Equal(got, want) {
				t.Errorf("receipts changed:\n%v\n%v", got, want)
			}
		})
	}
}

func TestDedupKeepsTheLastRowByPosition(t *testing.T) {
	l := newLake(t, folder(t))
	task := l.task(salesJob())
	at := day(1).Add(90 * time.Minute)
	l.land("a", sale{at, "1", "x", 10}, sale{at, "2", "x", 5}, sale{at, "1", "x", 20})
	l.run(task, stream)
	if got, want := l.rows(), []string{"03-01T01 x 2 25"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	l.land("b", sale{at, "2", "x", 7})
	report := l.run(task, stream)
	snapshot, err := l.table.Snapshot(t.Context())
	must(t, err)
	if r, _ := snapshot.Receipt("2026-03-01"); report.Repeated() != 2 || r.Repeated != 2 {
		t.Errorf("dedup left out %d rows by the report, %d by the receipt; want 2", report.Repeated(), r.Repeated)
	}
	if again := l.run(task, runner.Request{Driver: manifests.DriverReplay, From: 0}); again.Repeated() != 2 {
		t.Errorf("computed again it left out %d", again.Repeated())
	}
	if got, want := l.rows(), []string{"03-01T01 x 2 27"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestOnlyPartitionsWithNewRowsAreRecomputed(t *testing.T) {
	l := newLake(t, folder(t))
	task := l.task(salesJob())
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1})
	l.run(task, stream)
	l.land("b", sale{day(2).Add(time.Hour), "3", "x", 1})
	report := l.run(task, stream)
	if len(report.Outcomes) != 1 || report.Outcomes[0].Partition.String() != "2026-03-02" {
		t.Fatalf("recomputed %+v, want 2026-03-02 alone", report.Outcomes)
	}
	if report := l.run(task, stream); len(report.Outcomes) != 0 {
		t.Fatalf("recomputed %+v with nothing new", report.Outcomes)
	}
}

func TestEmptyResultOverwrites(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1})
	l.run(l.task(salesJob()), stream)
	job := salesJob()
	job.SQL = "SELECT window_start, shop, count(*) AS n, sum(cents)::BIGINT AS cents FROM sales WHERE shop = 'none' GROUP BY window_start, shop"
	report := l.run(l.task(job), backfill(day(1), day(2)))
	if report.Count(manifests.Swap) != 1 || len(l.rows()) != 0 {
		t.Fatalf("outcomes %+v, rows %v; want one publication of no rows", report.Outcomes, l.rows())
	}
}

func TestAFailedCheckPublishesNothing(t *testing.T) {
	for name, sql := range map[string]string{
		"key twice":             "SELECT window_start, 'x' AS shop, 1 AS n FROM sales",
		"null in the key":       "SELECT window_start, NULL::VARCHAR AS shop, 1 AS n FROM sales ORDER BY position LIMIT 1",
		"outside the partition": "SELECT window_start + INTERVAL 1 DAY AS window_start, 'x' AS shop, 1 AS n FROM sales ORDER BY position LIMIT 1",
		"fails on the data":     "SELECT window_start, shop, CAST(shop AS INTEGER) AS n FROM sales",
	} {
		t.Run(name, func(t *testing.T) {
			l := newLake(t, folder(t))
			l.land("a", sale{day(1), "1", "x", 1}, sale{day(1), "2", "y", 1})
			job := salesJob()
			job.SQL = sql
			report := l.run(l.task(job), backfill(day(1), day(2)))
			if failed := report.Failed(); len(failed) != 1 {
				t.Fatalf("outcomes %+v, want one failure", report.Outcomes)
			} else {
				t.Log(failed[0].Err)
			}
			if rows := l.rows(); len(rows) != 0 {
				t.Fatalf("published %v", rows)
			}
			survey, err := l.task(job).Survey(t.Context())
			if err != nil || survey.Tasks[0].State != window.Failed {
				t.Fatalf("survey %+v, %v; want failed", survey.Tasks, err)
			}
			if report := l.run(l.task(job), stream); len(report.Outcomes) != 0 {
				t.Fatalf("the stream tried again on the same input: %+v", report.Outcomes)
			}
		})
	}
}

func TestAWriterOfReplacedCodeIsRefused(t *testing.T) {
	store := folder(t)
	old, new := newLake(t, store), newLake(t, store)
	old.land("a", sale{day(1), "1", "x", 1})
	oldTask := old.task(salesJob())
	generation, err := oldTask.Register(t.Context(), manifests.DriverStream)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := oldTask.Plan(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	job := salesJob()
	job.SQL = "SELECT window_start, shop, 2 * count(*) AS n, sum(cents)::BIGINT AS cents FROM sales GROUP BY window_start, shop"
	new.run(new.task(job), stream)
	_, err = oldTask.Execute(t.Context(), plan, runner.Options{Driver: manifests.DriverStream, Generation: generation, Parallel: 1})
	if !errors.Is(err, manifests.ErrReplaced) {
		t.Fatalf("got %v, want ErrReplaced", err)
	}
	if got, want := new.rows(), []string{"03-01T00 x 2 1"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestAWriterWithOlderInputLosesToANewerResult(t *testing.T) {
	store := folder(t)
	l, other := newLake(t, store), newLake(t, store)
	l.land("a", sale{day(1), "1", "x", 1})
	task := l.task(salesJob())
	generation, err := task.Register(t.Context(), manifests.DriverBackfill)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := task.Plan(t.Context(), backfill(day(1), day(2)))
	if err != nil {
		t.Fatal(err)
	}
	other.land("b", sale{day(1), "2", "x", 1})
	other.run(other.task(salesJob()), stream)
	report, err := task.Execute(t.Context(), plan, runner.Options{Driver: manifests.DriverBackfill, Generation: generation, Parallel: 1})
	if err != nil || report.Count(manifests.Behind) != 1 {
		t.Fatalf("got %+v, %v; want one superseded", report.Outcomes, err)
	}
	if got, want := l.rows(), []string{"03-01T00 x 2 2"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestCodeThatIsNotDeterministicIsFoundOut(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1})
	job := salesJob()
	job.SQL = "SELECT window_start, shop, (random() * 1e15)::BIGINT AS n, 1 AS cents FROM sales"
	job.Dedup = nil
	if _, err := window.Compile(t.Context(), l.engine, job, window.StreamShape(l.stream.Spec())); !errors.Is(err, window.ErrJob) {
		t.Fatalf("compiled: %v", err)
	}
	l.run(l.uncheckedTask(job), stream)
	before := l.receipts()
	again := backfill(day(1), day(2))
	again.Again = true
	report := l.run(l.uncheckedTask(job), again)
	if len(report.Failed()) != 1 || report.Outcomes[0].Verdict != manifests.NonDeterministic {
		t.Fatalf("got %+v, want it refused as non-deterministic", report.Outcomes)
	}
	if after := l.receipts(); !maps.Equal(before, after) {
		t.Fatalf("the published result was changed: %v, was %v", after, before)
	}
	snapshot, err := l.table.Snapshot(t.Context())
	if err != nil || snapshot.Refused != 1 || len(snapshot.Failures()) != 1 {
		t.Fatalf("refusals counted: %d, failures %v, %v", snapshot.Refused, snapshot.Failures(), err)
	}
}

func TestARebuildReplacesTheWholeTableOrNothing(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "y", 2})
	l.run(l.task(salesJob()), stream)
	job := salesJob()
	job.Grain = window.GrainMonth
	if _, err := execute(t.Context(), l.task(job), backfill(day(1), day(2))); !errors.Is(err, manifests.ErrNeedsRebuild) {
		t.Fatalf("got %v, want ErrNeedsRebuild", err)
	}
	rebuild := func(job window.Job) runner.Report {
		task := l.task(job)
		r := runner.Request{Driver: manifests.DriverBackfill, Rebuild: true}
		plan, err := task.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		generation, err := task.Generation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		report, err := task.Execute(t.Context(), plan, runner.Options{Driver: r.Driver, Generation: generation, Parallel: 2, Rebuild: true})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	before := l.receipts()
	broken := job
	broken.Grain = window.GrainHour
	broken.SQL = "SELECT window_start, shop, CASE shop WHEN 'y' THEN CAST(shop AS INTEGER) END AS n, 1 AS cents FROM sales"
	if report := rebuild(broken); report.Count(manifests.Withheld) != 1 || len(report.Failed()) != 2 {
		t.Fatalf("got %+v, want one failed and one withheld", report.Outcomes)
	}
	if after := l.receipts(); !maps.Equal(before, after) {
		t.Fatalf("a failed rebuild changed the table to %v", after)
	}
	rebuild(job)
	if after := l.receipts(); len(after) != 1 || after["2026-03"] == "" {
		t.Fatalf("after the rebuild by month there are %v", after)
	}
	if got, want := l.rows(), []string{"03-01T00 x 1 1", "03-02T00 y 1 2"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestPlanningReadsNoDataFile(t *testing.T) {
	store := objstore.NewMemory()
	l := newLake(t, store)
	random := seeded(t, 3)
	for i := range 3 {
		l.land(string(rune('a'+i)), randomSales(random, 50)...)
		l.run(l.task(salesJob()), stream)
	}
	l.land("late", randomSales(random, 50)...)
	var data []string
	watched := objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
		if op != objstore.OpList && !strings.Contains(key, "/log/") && !strings.Contains(key, "/checkpoints/") {
			data = append(data, string(op)+" "+key)
		}
		return objstore.Pass
	})
	task := newLake(t, watched).task(salesJob())
	for _, r := range []runner.Request{stream, backfill(day(1), day(4)), {Driver: manifests.DriverReplay, From: 0}} {
		if plan, err := task.Plan(t.Context(), r); err != nil || len(plan.Tasks) != 3 {
			t.Fatalf("%s plans %d partitions, %v; want 3", r.Driver, len(plan.Tasks), err)
		}
	}
	if len(data) > 0 {
		t.Fatalf("planning made these calls: %v", data)
	}
}

func TestTheDryRunIsWhatTheRunDoes(t *testing.T) {
	l := newLake(t, folder(t))
	random := seeded(t, 4)
	l.land("a", randomSales(random, 100)...)
	task := l.task(salesJob())
	l.run(task, backfill(day(2), day(3)))
	l.land("b", randomSales(random, 3)...)
	again := backfill(day(1), day(4))
	again.Again = true
	for _, r := range []runner.Request{backfill(day(1), day(3)), again, {Driver: manifests.DriverReplay, From: 100}, stream} {
		plan, err := task.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		var planned, done []string
		for _, s := range plan.Tasks {
			planned = append(planned, s.String())
		}
		for _, o := range l.run(task, r).Outcomes {
			done = append(done, o.Partition.String())
		}
		slices.Sort(planned)
		slices.Sort(done)
		if !slices.Equal(planned, done) {
			t.Errorf("%s planned %v and did %v", r.Driver, planned, done)
		}
	}
}

func TestALostOrDamagedPublishedFileIsMendedByARecompute(t *testing.T) {
	for name, damage := range map[string]func(string) error{
		"lost":      os.Remove,
		"cut short": func(path string) error { return os.Truncate(path, 100) },
		"damaged": func(path string) error {
			data, err := os.ReadFile(path)
			data[len(data)/3] ^= 1
			return errors.Join(err, os.WriteFile(path, data, 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := folder(t)
			l := newLake(t, store)
			l.land("a", randomSales(seeded(t, 5), 100)...)
			l.run(l.task(salesJob()), stream)
			want := l.rows()
			snapshot, err := l.table.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r, _ := snapshot.Receipt("2026-03-02")
			key := manifests.DataKey("sales_hourly", r.Partition, r.Files[0].ID)
			if err := damage(store.(objstore.Local).LocalPath(key)); err != nil {
				t.Fatal(err)
			}
			again := backfill(day(1), day(4))
			again.Again = true
			report := l.run(l.task(salesJob()), again)
			if report.Count(manifests.Repaired) != 1 || report.Count(manifests.Unchanged) != 2 || len(report.Failed()) > 0 {
				t.Fatalf("got %+v, want one repaired", report.Outcomes)
			}
			if got := l.rows(); !slices.Equal(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
			if report := l.run(l.task(salesJob()), again); report.Count(manifests.Unchanged) != 3 {
				t.Fatalf("after the repair: %+v", report.Outcomes)
			}
		})
	}
}

func TestAReceiptOfInputThatLandedMeanwhileIsNoContradiction(t *testing.T) {
	memory := objstore.NewMemory()
	other := newLake(t, memory)
	other.land("a", sale{day(1), "1", "x", 1})
	other.run(other.task(salesJob()), stream)
	// Between our reading of the stream and of the table others land and publish.
	once := false
	racing := objstore.NewFault(memory, func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpList && strings.HasPrefix(key, "tables/") && !once {
			once = true
			other.land("b", sale{day(1), "2", "x", 2})
			other.run(other.task(salesJob()), stream)
		}
		return objstore.Pass
	})
	plan, err := newLake(t, racing).task(salesJob()).Plan(t.Context(), stream)
	if err != nil || plan.Read["sales"] != 2 || !once {
		t.Fatalf("planned up to %d, %v; want 2", plan.Read["sales"], err)
	}
}

// What a backfill of ranges plans is what one of all of time does within them.
func TestABackfillOfRangesPlansWhatOneOfAllOfTimeDoesThere(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	for d := range 9 {
		l.land(fmt.Sprint("a", d), sale{day(1 + d), fmt.Sprint(d), "x", 1})
	}
	task := l.task(salesJob())
	l.run(task, backfill(day(1), day(7)))
	l.land("late", sale{day(2), "late", "x", 1}, sale{day(5), "late too", "x", 1})
	for _, again := range []bool{false, true} {
		all, err := task.Plan(t.Context(), runner.Request{Driver: manifests.DriverBackfill, Again: again})
		if err != nil {
			t.Fatal(err)
		}
		for from := range 10 {
			ranges := []window.Interval{{Start: day(1 + from), End: day(2 + from)}, {Start: day(4), End: day(6)}, {Start: day(5), End: day(8)}}
			plan, err := task.Plan(t.Context(), runner.Request{Driver: manifests.DriverBackfill, Ranges: ranges, Again: again})
			if err != nil {
				t.Fatal(err)
			}
			want := slices.DeleteFunc(slices.Clone(all.Tasks), func(s window.Status) bool {
				return !slices.ContainsFunc(ranges, s.Overlaps)
			})
			if !reflect.DeepEqual(plan.Tasks, want) {
				t.Errorf("again %v, %v: %v, want %v", again, ranges, plan.Tasks, want)
			}
		}
	}
}
