package runner_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func (l *lake) reconcile(job window.Job, limit int) map[string]runner.Reconciled {
	l.t.Helper()
	task := newLake(l.t, l.store).task(job)
	plan, err := task.Survey(l.t.Context())
	must(l.t, err)
	results, err := task.Reconcile(l.t.Context(), plan, runner.ReconcileOptions{Parallel: 2, Limit: limit})
	must(l.t, err)
	out := map[string]runner.Reconciled{}
	for _, r := range results {
		out[r.Partition.String()] = r
	}
	return out
}

// lines writes rows that differ as text.
func lines(rows []runner.RowDifference) (out []string) {
	text := func(values []runner.Value) string {
		var parts []string
		for _, v := range values {
			value := "NULL"
			if v.Value != nil {
				value = *v.Value
			}
			parts = append(parts, v.Column+"="+value)
		}
		return strings.Join(parts, " ")
	}
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%s|%s|%s|%s", r.Kind, text(r.Key), text(r.Left), text(r.Right)))
	}
	return out
}

func TestAFreshTableIsReconciledWithoutADifference(t *testing.T) {
	for name, store := range map[string]objstore.Store{"folder": folder(t), "memory": objstore.NewMemory()} {
		t.Run(name, func(t *testing.T) {
			l := published(t, store)
			got := l.reconcile(salesJob(), 10)
			for name, r := range got {
				if !r.OK() || r.Differ() != 0 || r.Equal != r.Receipt.Rows || len(r.Rows) != 0 {
					t.Errorf("%s: %+v", name, r)
				}
			}
			if len(got) != 3 {
				t.Errorf("%d partitions", len(got))
			}
		})
	}
}

// The three kinds, each with the values that tell it, of a partition that
// nothing explains: its published rows are another job's.
func TestRowsThatDifferAreShownByKind(t *testing.T) {
	l := newLake(t, folder(t))
	at := day(2)
	l.land("a", sale{at, "1", "same", 1}, sale{at, "2", "more", 2}, sale{at, "3", "gone", 3}, sale{at.Add(time.Hour), "4", "same", 4}, sale{day(1), "5", "x", 1})
	l.run(l.task(salesJob()), stream)
	other := salesJob()
	other.SQL = `SELECT window_start, CASE shop WHEN 'gone' THEN 'extra' ELSE shop END AS shop, count(*) AS n,
		CASE shop WHEN 'more' THEN NULL ELSE sum(cents)::BIGINT END AS cents FROM sales GROUP BY window_start, sales.shop`
	wrong := newLake(t, l.store)
	wrong.table = manifests.Open(l.store, "elsewhere", manifests.Options{})
	wrong.run(wrong.task(other), stream)
	snapshot, err := wrong.table.Snapshot(t.Context())
	must(t, err)
	made, _ := snapshot.Receipt("2026-03-02")
	f := forged(t, l, func(f *lake, r *manifests.Receipt) {
		r.Files, r.RowDigest, r.Rows = made.Files, made.RowDigest, made.Rows
		from := l.store.URL(manifests.DataKey("elsewhere", r.Partition, r.Files[0].ID))
		must(t, f.store.Upload(t.Context(), manifests.DataKey("sales_hourly", r.Partition, r.Files[0].ID), from))
	})
	got := f.reconcile(salesJob(), 10)
	r := got["2026-03-02"]
	want := []string{
		"only left|window_start=2026-03-02 00:00:00+00 shop=extra|n=1 cents=3|",
		"only right|window_start=2026-03-02 00:00:00+00 shop=gone||n=1 cents=3",
		"changed|window_start=2026-03-02 00:00:00+00 shop=more|cents=NULL|cents=2",
	}
	if have := lines(r.Rows); !slices.Equal(have, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	if want := (runner.Counts{Equal: 2, OnlyLeft: 1, OnlyRight: 1, Changed: 1}); r.Counts != want || r.OK() || r.Explained() {
		t.Errorf("counts %+v, ok %v, explained %v", r.Counts, r.OK(), r.Explained())
	}
	if !got["2026-03-01"].OK() || got["2026-03-01"].Differ() != 0 {
		t.Errorf("the other day: %+v", got["2026-03-01"])
	}
	if few := f.reconcile(salesJob(), 1)["2026-03-02"]; len(few.Rows) != 1 || few.Counts != r.Counts {
		t.Errorf("with a limit of 1: %d rows, %+v", len(few.Rows), few.Counts)
	}
}

func TestStalenessExplainsDifferences(t *testing.T) {
	l := published(t, folder(t))
	before := l.receipt("2026-03-02").Rows
	l.land("late", sale{day(2), "late", "new shop", 9}, sale{day(9), "later", "x", 1})
	got := l.reconcile(salesJob(), 10)
	if r := got["2026-03-02"]; r.OnlyRight != 1 || r.Equal != before || !r.OK() || !r.Explained() {
		t.Errorf("new data: %+v", r.Counts)
	}
	if r := got["2026-03-09"]; r.OnlyRight != 1 || !r.OK() || r.State != window.Missing {
		t.Errorf("never published: %+v", r)
	}
	// New code with a column more, and one less: the key's rows are compared in
	// all columns of both.
	job := salesJob()
	job.SQL = "SELECT window_start, shop, count(*) AS n, 'x' AS extra FROM sales GROUP BY window_start, shop"
	r := l.reconcile(job, 1)["2026-03-03"]
	if r.Changed != r.Receipt.Rows || !r.OK() || len(r.Rows) != 1 {
		t.Fatalf("new code: %+v %v", r.Counts, r.Err)
	}
	if have := lines(r.Rows)[0]; !strings.Contains(have, "|extra=NULL cents=") || !strings.HasSuffix(have, "|extra=x cents=NULL") {
		t.Errorf("got %s", have)
	}
}

func TestWhatCantBeComparedIsSaid(t *testing.T) {
	l := published(t, folder(t))
	must(t, os.Remove(l.file("2026-03-01")))
	flip(t, l.file("2026-03-02"), -6) // the footer's length
	must(t, os.Remove(l.segments("2026-03-03")[len(l.segments("2026-03-03"))-1]))
	says := map[string]string{"2026-03-01": "a published file is gone", "2026-03-02": "has other bytes than were published", "2026-03-03": "fetch segments"}
	for name, r := range l.reconcile(salesJob(), 5) {
		if r.Err == nil || r.OK() || r.Counts != (runner.Counts{}) || r.Rows != nil || !strings.Contains(r.Err.Error(), says[name]) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	job := salesJob()
	job.SQL = "SELECT window_start, 'x' AS shop, 1 AS n, cents FROM sales"
	l = published(t, folder(t))
	for name, r := range l.reconcile(job, 5) {
		if r.Err == nil || !strings.Contains(r.Err.Error(), "more than once") {
			t.Errorf("%s with a key that is no key: %v", name, r.Err)
		}
	}
	job.Grain = window.GrainHour
	task := l.task(job)
	plan, err := task.Survey(t.Context())
	must(t, err)
	if _, err := task.Reconcile(t.Context(), plan, runner.ReconcileOptions{}); !errors.Is(err, manifests.ErrNeedsRebuild) {
		t.Errorf("another grain: %v", err)
	}
}

func TestTheSeriesKeepsEveryRunInOrder(t *testing.T) {
	l := newLake(t, folder(t))
	task := l.task(salesJob())
	for i, at := range []time.Time{day(1), day(1).AddDate(0, -1, 14), day(1).AddDate(0, -3, 30)} {
		must(t, task.Keep(t.Context(), runner.Reconciliation{
			Table: "sales_hourly", At: at, Version: 1, Counts: runner.Counts{Changed: int64(i)},
		}))
	}
	must(t, task.Keep(t.Context(), runner.Reconciliation{At: day(1), Version: 1})) // at the same instant
	series, err := newLake(t, l.store).task(salesJob()).Series(t.Context())
	if err != nil || len(series) != 4 {
		t.Fatalf("%d runs, %v", len(series), err)
	}
	for i := 1; i < len(series); i++ {
		if series[i].At.Before(series[i-1].At) {
			t.Errorf("run %d is of %v, the one before of %v", i, series[i].At, series[i-1].At)
		}
	}
	if series[0].Changed != 2 || series[0].Format != 1 {
		t.Errorf("the first is %+v", series[0])
	}
}
