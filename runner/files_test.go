package runner_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"strandline/internal/duck"
	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/publish"
	"strandline/runner"
	"strandline/window"
)

// fileRows is how many rows a file of manyFiles holds: the fewest there can be.
const fileRows = 2048

var manyFiles = duck.Options{FileBytes: 1, RowGroup: fileRows}

// eachSale is a job whose partitions have a row for each sale.
func eachSale() window.Job {
	job := salesJob()
	job.Dedup, job.Key = nil, []string{"window_start", "shop"}
	job.SQL = "SELECT window_start, id AS shop, 1::BIGINT AS n, cents FROM sales"
	return job
}

// salesOfOneHour are n sales, the ids of which are their order.
func salesOfOneHour(n int) []sale {
	sales := make([]sale, n)
	for i := range sales {
		sales[i] = sale{day(1), fmt.Sprintf("%06d", i), "x", int64(i)}
	}
	return sales
}

// spread is a lake whose only partition is four files.
func spread(t *testing.T, store objstore.Store) *lake {
	t.Helper()
	l := newLakeOn(t, store, manyFiles)
	l.land("a", salesOfOneHour(3*fileRows+100)...)
	l.run(l.task(eachSale()), stream)
	if files := l.receipt("2026-03-01").Files; len(files) != 4 {
		t.Fatalf("%d files, want 4", len(files))
	}
	return l
}

// dataFiles are the keys of all files of the table, whoever names them.
func dataFiles(t *testing.T, store objstore.Store) (keys []string) {
	t.Helper()
	listed, err := store.List(t.Context(), "tables/sales_hourly/data/", "", 1000)
	must(t, err)
	for _, o := range listed {
		keys = append(keys, o.Key)
	}
	return keys
}

func TestALargePartitionIsSeveralFilesThatSayWhatOneWould(t *testing.T) {
	l := spread(t, folder(t))
	one := newLake(t, folder(t))
	one.land("a", salesOfOneHour(3*fileRows+100)...)
	one.run(one.task(eachSale()), stream)
	many, want := l.receipt("2026-03-01"), one.receipt("2026-03-01")
	if len(want.Files) != 1 || !many.SameOutput(want) {
		t.Fatalf("in %d files %d rows with %s, in %d files %d with %s",
			len(many.Files), many.Rows, many.RowDigest, len(want.Files), want.Rows, want.RowDigest)
	}
	var rows []int64
	for _, f := range many.Files {
		rows = append(rows, f.Rows)
	}
	if !slices.Equal(rows, []int64{fileRows, fileRows, fileRows, 100}) {
		t.Errorf("the files have %v rows", rows)
	}
	// In the order of the receipt, all rows are in the order of the key.
	if got := l.rows(); !slices.IsSorted(got) || !slices.Equal(got, one.rows()) {
		t.Errorf("%d rows, sorted is %v", len(got), slices.IsSorted(got))
	}
	expect(t, l.verify(eachSale()), "2026-03-01", runner.Reproduced, "", "")
	left, err := os.ReadDir(l.dir)
	must(t, err)
	for _, entry := range left {
		if _, err := os.Stat(l.dir + "/" + entry.Name() + "/data_0.parquet"); err == nil {
			t.Errorf("the result %s was left behind", entry.Name())
		}
	}
}

func TestOneLostFileOfSeveralIsFoundAndMended(t *testing.T) {
	for name, damage := range map[string]func(*testing.T, string){
		"lost":    func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"damaged": func(t *testing.T, path string) { flip(t, path, 500) },
	} {
		for i := range 4 {
			t.Run(fmt.Sprint(name, " ", i), func(t *testing.T) {
				store := folder(t)
				l := spread(t, store)
				before := l.receipt("2026-03-01")
				damage(t, store.URL(manifests.DataKey("sales_hourly", before.Partition, before.Files[i].ID)))
				if got := l.verify(eachSale())["2026-03-01"]; got.Finding != runner.Differs || got.Differences[0].What != "file" {
					t.Fatalf("%s, %v; want a file that differs", got.Finding, got.Differences)
				}
				again := backfill(day(1), day(2))
				again.Again = true
				if report := l.run(l.task(eachSale()), again); report.Count(manifests.Repaired) != 1 {
					t.Fatalf("got %+v, want it repaired", report.Outcomes)
				}
				after := l.receipt("2026-03-01")
				if len(after.Files) != 4 || !after.SameOutput(before) {
					t.Fatalf("after the repair it has %d files, %d rows", len(after.Files), after.Rows)
				}
				expect(t, l.verify(eachSale()), "2026-03-01", runner.Reproduced, "", "")
				if report := l.run(l.task(eachSale()), again); report.Count(manifests.Unchanged) != 1 {
					t.Fatalf("after the repair: %+v", report.Outcomes)
				}
			})
		}
	}
}

func TestAKeyThatEndsOneFileAndBeginsTheNextIsFoundTwice(t *testing.T) {
	l := newLakeOn(t, folder(t), manyFiles)
	sales := salesOfOneHour(2 * fileRows)
	sales[fileRows].id = sales[fileRows-1].id // last of the first file, first of the second
	l.land("a", sales...)
	failed := l.run(l.task(eachSale()), stream).Failed()
	var check *publish.CheckError
	if len(failed) != 1 || !errors.As(failed[0].Err, &check) || !strings.Contains(check.Reason, "more than once") {
		t.Fatalf("got %+v", failed)
	}
	if left := dataFiles(t, l.store); len(left) > 0 {
		t.Errorf("files were brought up: %v", left)
	}
}

func TestAnUploadThatFailsTakesBackTheFilesBeforeIt(t *testing.T) {
	memory := objstore.NewMemory()
	uploads := 0
	store := objstore.NewFault(memory, func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpUpload && strings.HasPrefix(key, "tables/") {
			if uploads++; uploads == 3 {
				return objstore.Fail
			}
		}
		return objstore.Pass
	})
	l := newLakeOn(t, store, manyFiles)
	l.land("a", salesOfOneHour(3*fileRows+100)...)
	if _, err := execute(t.Context(), l.task(eachSale()), stream); !errors.Is(err, objstore.ErrFault) {
		t.Fatalf("got %v", err)
	}
	if left := dataFiles(t, memory); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	l.run(l.task(eachSale()), stream)
	if left := dataFiles(t, memory); len(left) != 4 {
		t.Errorf("%d files, want 4", len(left))
	}
}

func TestARefusedResultTakesBackAllItsFiles(t *testing.T) {
	l := newLakeOn(t, folder(t), manyFiles)
	l.land("a", salesOfOneHour(3*fileRows+100)...)
	old := l.task(eachSale())
	generation, err := old.Register(t.Context(), manifests.DriverStream)
	must(t, err)
	plan, err := old.Plan(t.Context(), stream)
	must(t, err)
	changed := eachSale()
	changed.SQL += " WHERE cents > 5"
	_, err = l.task(changed).Register(t.Context(), manifests.DriverStream)
	must(t, err)
	_, err = old.Execute(t.Context(), plan, runner.Options{Driver: manifests.DriverStream, Generation: generation, Parallel: 1})
	if !errors.Is(err, manifests.ErrReplaced) {
		t.Fatalf("got %v, want ErrReplaced", err)
	}
	if left := dataFiles(t, l.store); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
