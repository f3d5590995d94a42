package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// An arrival brings the rows of arrivalHours hours, of which those before
// newHours come late, from the arrival before.
const (
	newHours     = 10
	arrivalHours = 12
)

// plans compares planning with what somebody without a log would have to do.
func (b bench) plans() error {
	if _, err := b.child(2, "make plan"); err != nil {
		return err
	}
	t := newTable(fmt.Sprintf("Planning %d partitions, 1 thread", b.hours),
		"", "wall s", "CPU s", "listings", "objects read", "data files read", "peak MiB")
	plan, err := b.best(1, "plan")
	if err != nil {
		return err
	}
	for _, name := range []string{"first", "again", "explained"} {
		p := plan.Phases[name]
		t.row("plan, "+name, seconds(p.Wall), seconds(p.CPU), strconv.Itoa(plan.Calls["listings "+name]),
			strconv.Itoa(plan.Calls["reads "+name]), strconv.Itoa(plan.Calls["data"]), mib(plan.peak))
	}
	for _, other := range []struct{ name, text string }{
		{"plan list", "list the data files"}, {"plan footers", "open the data files, for their footers"},
	} {
		f, err := b.best(1, other.name)
		if err != nil {
			return err
		}
		p := f.total()
		t.row(other.text, seconds(p.Wall), seconds(p.CPU), "", "", strconv.Itoa(f.Calls["data"]), mib(f.peak))
	}
	return t.end()
}

func (b bench) planDir() string { return filepath.Join(b.dir, fmt.Sprint("plan-", b.hours)) }

// openPlan binds an hourly job to the lake in store. do may plan it.
func (b bench) openPlan(ctx context.Context, store objstore.Store, name string, do func(*runner.Task, *landing.Stream, *manifests.Table) error) (err error) {
	scratch, err := os.MkdirTemp(b.dir, "scratch-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	engine, err := duck.Open(ctx, duck.Options{Scratch: scratch})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	job, err := window.Compile(ctx, engine, salesJob(window.GrainHour, name), window.StreamShape(salesSpec))
	if err != nil {
		return err
	}
	stream := landing.Open(store, salesSpec, landing.Options{Scratch: scratch})
	table := manifests.Open(store, job.Name, manifests.Options{Writer: "bench"})
	files := localfile.New(store, scratch, localfile.DefaultMaxBytes)
	return do(runner.NewTask(runner.Lake{Store: store, Engine: engine, Files: files, Scratch: scratch}, job, runner.FromStream(stream), table), stream, table)
}

// makePlan makes a lake of b.hours published hours, landed by an arrival for
// every newHours of them, and then a last arrival that is not published yet.
func (b bench) makePlan(ctx context.Context, _ []string) (facts, error) {
	if err := os.RemoveAll(b.planDir()); err != nil {
		return facts{}, err
	}
	if err := os.MkdirAll(b.planDir(), 0o777); err != nil {
		return facts{}, err
	}
	store, err := objstore.OpenFolder(b.planDir())
	if err != nil {
		return facts{}, err
	}
	return facts{}, b.openPlan(ctx, store, deduped, func(task *runner.Task, stream *landing.Stream, table *manifests.Table) error {
		for n := 0; n < b.hours; n += newHours {
			if err := arrive(ctx, stream, n); err != nil {
				return err
			}
		}
		if err := publishPlanned(ctx, task, table, newHours, withSmallFile(store, table)); err != nil {
			return err
		}
		return arrive(ctx, stream, b.hours-newHours) // with other rows than before: it is later
	})
}

// arrive lands rows of the arrivalHours hours that end with hour from+newHours.
func arrive(ctx context.Context, stream *landing.Stream, from int) error {
	var lines bytes.Buffer
	next := stream.Next()
	for hour := max(0, from+newHours-arrivalHours); hour < from+newHours; hour++ {
		for i := range 5 {
			at := firstDay.Add(time.Duration(hour)*time.Hour + time.Duration(i)*time.Minute)
			fmt.Fprintf(&lines, `{"id":"%d-%d-%d","at":%d,"shop":"s","cents":%d}`+"\n", next, hour, i, at.UnixMilli(), i)
		}
	}
	_, err := ingest.LandReader(ctx, stream, &lines, fmt.Sprint("arrival-", next), ingest.Options{})
	return err
}

// withSmallFile makes receipts of one file of five rows, and the file.
func withSmallFile(store *objstore.Folder, table *manifests.Table) makeReceipt {
	return func(n int, s window.Status, plan window.Plan, columns []datafile.Column) (manifests.Receipt, error) {
		id := fmt.Sprintf("%032x", n)
		path := filepath.Join(store.Root(), manifests.DataKey(table.Name(), s.String(), id))
		return manifests.Receipt{
			Partition: s.String(), Start: s.Start, End: s.End,
			InputRows: s.Input.Rows, InputDigest: s.Input.Digest, Fingerprint: plan.Fingerprint,
			Rows: 5, RowDigest: digest.Sum128{Lo: 1},
			Files: []manifests.File{{ID: id, Rows: 5, Bytes: 1000}},
		}, writeSmallFile(path, columns)
	}
}

// writeSmallFile writes a data file of five rows of NULLs.
func writeSmallFile(path string, columns []datafile.Column) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	data := make([][]datafile.Value, len(columns))
	for i := range data {
		data[i] = make([]datafile.Value, 5)
	}
	_, err := datafile.Write(path, columns, data, nil)
	return err
}

// plan plans what the stream driver would do, in a process that has just
// started and once more. A data file that it asked for would be an error.
func (b bench) plan(ctx context.Context, _ []string) (f facts, err error) {
	folder, err := objstore.OpenFolder(b.planDir())
	if err != nil {
		return f, err
	}
	f = facts{Phases: map[string]phase{}, Calls: map[string]int{}}
	store := objstore.NewFault(folder, func(_ objstore.Op, key string) objstore.Action {
		if strings.Contains(key, "/data/") {
			return objstore.Fail
		}
		return objstore.Pass
	})
	err = b.openPlan(ctx, store, tumbling, func(task *runner.Task, _ *landing.Stream, _ *manifests.Table) error {
		return b.explain(ctx, store, task, &f)
	})
	if err != nil {
		return f, err
	}
	return f, b.openPlan(ctx, store, deduped, func(task *runner.Task, _ *landing.Stream, _ *manifests.Table) error {
		for _, name := range []string{"first", "again"} {
			lists, reads := store.Calls(objstore.OpList), readsOf(store)
			var plan window.Plan
			f.Phases[name], err = measure(func() (err error) {
				plan, err = task.Plan(ctx, runner.Request{Driver: manifests.DriverStream})
				return err
			})
			if err != nil {
				return err
			}
			if len(plan.Tasks) != arrivalHours {
				return fmt.Errorf("%d partitions are to be computed, want %d", len(plan.Tasks), arrivalHours)
			}
			f.Calls["listings "+name], f.Calls["reads "+name] = store.Calls(objstore.OpList)-lists, readsOf(store)-reads
		}
		return nil
	})
}

// explain plans after the job has changed, in a process that has just started, and says
// why of each partition, all of which are of old code.
func (b bench) explain(ctx context.Context, store *objstore.Fault, task *runner.Task, f *facts) (err error) {
	var plan window.Plan
	lists, reads := store.Calls(objstore.OpList), readsOf(store)
	f.Phases["explained"], err = measure(func() (err error) {
		if plan, err = task.Overview(ctx); err != nil {
			return err
		}
		return task.Explain(ctx, &plan, false)
	})
	if err != nil {
		return err
	}
	if len(plan.Tasks) != b.hours || len(plan.Changed) != 1 || plan.Changed[0].Partitions != b.hours {
		return fmt.Errorf("%d partitions are told of, by %d codes; want %d by one", len(plan.Tasks), len(plan.Changed), b.hours)
	}
	f.Calls["listings explained"], f.Calls["reads explained"] = store.Calls(objstore.OpList)-lists, readsOf(store)-reads
	return nil
}

func readsOf(store *objstore.Fault) int {
	return store.Calls(objstore.OpRead) + store.Calls(objstore.OpReadRange) + store.Calls(objstore.OpDownload)
}

// planByListing lists the table's data files.
func (b bench) planByListing(context.Context, []string) (facts, error) {
	return b.visit(func(string) error { return nil })
}

// planByFooters opens each of the table's data files, which reads its footer.
func (b bench) planByFooters(context.Context, []string) (facts, error) {
	return b.visit(func(path string) error {
		file, err := datafile.Open(path)
		if err != nil {
			return err
		}
		return file.Close()
	})
}

func (b bench) visit(each func(path string) error) (facts, error) {
	files := 0
	p, err := measure(func() error {
		return filepath.WalkDir(filepath.Join(b.planDir(), "tables"), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".parquet") {
				return err
			}
			files++
			return each(path)
		})
	})
	return facts{Phases: map[string]phase{"visit": p}, Calls: map[string]int{"data": files}}, err
}
