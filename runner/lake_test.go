package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

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

// lake is one process's view of a lake with a stream of sales.
type lake struct {
	t      *testing.T
	store  objstore.Store
	engine *duck.Engine
	stream *landing.Stream
	table  *manifests.Table
	dir    string
}

var salesSpec = landing.Spec{
	Stream:    "sales",
	EventTime: landing.EventTime{Column: "at", Unit: landing.UnitMillis},
	Columns: []datafile.Column{
		{Name: "id", Type: datafile.Type{Kind: datafile.Varchar}},
		{Name: "shop", Type: datafile.Type{Kind: datafile.Varchar}},
		{Name: "cents", Type: datafile.Type{Kind: datafile.BigInt}},
	},
}

func salesJob() window.Job {
	return window.Job{
		Name: "sales_hourly", Inputs: window.FromStream("sales"), Window: window.Window{Kind: window.Tumbling, Size: time.Hour}, Grain: window.GrainDay,
		Dedup: &window.Dedup{Key: []string{"id"}, Keep: window.KeepLast},
		Key:   []string{"window_start", "shop"},
		SQL:   "SELECT window_start, shop, count(*) AS n, sum(cents)::BIGINT AS cents FROM sales GROUP BY window_start, shop",
	}
}

func newLake(t *testing.T, store objstore.Store) *lake {
	t.Helper()
	return newLakeOn(t, store, duck.Options{})
}

// newLakeOn is a lake with an engine of these options, on folders of its own.
func newLakeOn(t *testing.T, store objstore.Store, o duck.Options) *lake {
	t.Helper()
	dir := t.TempDir()
	o.Scratch = dir
	if local, ok := store.(objstore.Local); ok {
		o.Readable = []string{local.Root()}
	}
	engine, err := duck.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	return &lake{
		t: t, store: store, engine: engine, dir: dir,
		stream: landing.Open(store, salesSpec, landing.Options{Scratch: dir}),
		table:  manifests.Open(store, "sales_hourly", manifests.Options{Writer: t.Name()}),
	}
}

func (l *lake) task(job window.Job) *runner.Task {
	l.t.Helper()
	compiled, err := window.Compile(l.t.Context(), l.engine, job, window.StreamShape(l.stream.Spec()))
	if err != nil {
		l.t.Fatal(err)
	}
	return l.taskOf(compiled)
}

// uncheckedTask is the task of a job that Compile would refuse.
func (l *lake) uncheckedTask(job window.Job) *runner.Task {
	l.t.Helper()
	compiled, err := window.CompileUnchecked(l.t.Context(), l.engine, job, window.StreamShape(l.stream.Spec()))
	if err != nil {
		l.t.Fatal(err)
	}
	return l.taskOf(compiled)
}

func (l *lake) taskOf(compiled *window.Compiled) *runner.Task {
	files := localfile.New(l.store, l.dir, localfile.DefaultMaxBytes)
	return runner.NewTask(runner.Lake{Store: l.store, Engine: l.engine, Files: files, Scratch: l.dir}, compiled, runner.FromStream(l.stream), l.table)
}

type sale struct {
	at    time.Time
	id    string
	shop  string
	cents int64
}

func (l *lake) land(name string, sales ...sale) landing.Result {
	l.t.Helper()
	result, err := l.tryLand(name, sales...)
	if err != nil {
		l.t.Fatal(err)
	}
	return result
}

func (l *lake) tryLand(name string, sales ...sale) (landing.Result, error) {
	in, err := l.stream.Begin(landing.Source{Name: name})
	if err != nil {
		return landing.Result{}, err
	}
	for i, s := range sales {
		row := landing.Row{EventTime: s.at.UnixMicro(), SourcePosition: int64(i + 1), Values: []datafile.Value{
			parquet.ByteArrayValue([]byte(s.id)), parquet.ByteArrayValue([]byte(s.shop)), parquet.Int64Value(s.cents),
		}}
		if err := in.Add(row); err != nil {
			return landing.Result{}, err
		}
	}
	return in.Commit(l.t.Context(), landing.Identity{Digest: digest.OfBytes(fmt.Appendf(nil, "%v", sales)), Size: 1})
}

func (l *lake) run(task *runner.Task, r runner.Request) runner.Report {
	l.t.Helper()
	report, err := execute(l.t.Context(), task, r)
	if err != nil {
		l.t.Fatal(err)
	}
	return report
}

func execute(ctx context.Context, task *runner.Task, r runner.Request) (runner.Report, error) {
	generation, err := task.Register(ctx, r.Driver)
	if err != nil {
		return runner.Report{}, err
	}
	plan, err := task.Plan(ctx, r)
	if err != nil {
		return runner.Report{}, err
	}
	return task.Execute(ctx, plan, runner.Options{Driver: r.Driver, Generation: generation, Parallel: 2})
}

var stream = runner.Request{Driver: manifests.DriverStream}

func backfill(from, to time.Time) runner.Request {
	return runner.Request{Driver: manifests.DriverBackfill, Range: window.Interval{Start: from, End: to}}
}

func day(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }

// rows reads the published rows as JSON lines, sorted.
func (l *lake) rows() []string {
	l.t.Helper()
	snapshot, err := l.table.Snapshot(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	files := localfile.New(l.store, l.dir, localfile.DefaultMaxBytes)
	var rows []string
	for _, r := range snapshot.Receipts() {
		for _, f := range r.Files {
			path, release, err := files.Get(l.t.Context(), manifests.DataKey("sales_hourly", r.Partition, f.ID))
			if err != nil {
				l.t.Fatal(err)
			}
			file, err := datafile.Open(path)
			if err != nil {
				l.t.Fatal(err)
			}
			err = file.Scan(func(row []datafile.Value) error {
				rows = append(rows, fmt.Sprintf("%s %s %d %d", time.UnixMicro(row[0].Int64()).UTC().Format("01-02T15"), row[1].ByteArray(), row[2].Int64(), row[3].Int64()))
				return nil
			})
			if err != nil {
				l.t.Fatal(err)
			}
			_ = file.Close()
			release()
		}
	}
	return rows
}

// receipts returns what the receipts say, without where and when.
func (l *lake) receipts() map[string]string {
	l.t.Helper()
	snapshot, err := l.table.Snapshot(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range snapshot.Receipts() {
		r.Files, r.Positions = nil, nil
		text, err := json.Marshal(r)
		if err != nil {
			l.t.Fatal(err)
		}
		out[r.Partition] = string(text)
	}
	return out
}

func randomSales(r *rand.Rand, n int) []sale {
	sales := make([]sale, n)
	for i := range sales {
		sales[i] = sale{
			at: day(1).Add(time.Duration(r.Int64N(int64(72 * time.Hour)))), id: fmt.Sprint(r.IntN(4 * n)),
			shop: fmt.Sprint("shop", r.IntN(3)), cents: r.Int64N(1000),
		}
	}
	return sales
}

func folder(t *testing.T) objstore.Store {
	t.Helper()
	store, err := objstore.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// copied is another folder with the same objects.
func copied(t *testing.T, store objstore.Store) objstore.Store {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(store.(objstore.Local).Root())); err != nil {
		t.Fatal(err)
	}
	other, err := objstore.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

func seeded(t *testing.T, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
