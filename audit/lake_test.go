package audit_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/audit"
	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/log"
	"strandline/internal/miniotest"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func TestMain(m *testing.M) { miniotest.Main(m) }

// objects are what a lake has, by key.
type objects map[string][]byte

var salesSpec = landing.Spec{
	Stream:    "sales",
	EventTime: landing.EventTime{Column: "at", Unit: landing.UnitMillis},
	Columns: []datafile.Column{
		{Name: "shop", Type: datafile.Type{Kind: datafile.Varchar}},
		{Name: "cents", Type: datafile.Type{Kind: datafile.BigInt}},
	},
}

var salesJob = window.Job{
	Name: "sales_hourly", Inputs: window.FromStream("sales"), Window: window.Window{Kind: window.Tumbling, Size: time.Hour}, Grain: window.GrainDay,
	Key: []string{"window_start", "shop"},
	SQL: "SELECT window_start, shop, count(*) AS n, sum(cents)::BIGINT AS cents FROM sales GROUP BY window_start, shop",
}

// often has a log make a checkpoint every third entry.
var often = log.Options{CheckpointEvery: 3}

// builder makes a lake.
type builder struct {
	t      *testing.T
	stream *landing.Stream
	task   *runner.Task
}

// built is a lake of four arrivals that are published, and a fifth that has a day
// published anew. So the landing log has 5 entries and the manifest log 5 edits,
// and both have a checkpoint at 3.
func built(t *testing.T) (objects, audit.Job) {
	t.Helper()
	store := objstore.NewMemory()
	b := newBuilder(t, store)
	b.land("a", 1, 1)
	b.publish()
	b.land("b", 0, 2)
	b.publish()
	b.land("c", 0, 3)
	b.publish()
	b.land("d", 0, 4)
	b.land("e", 0, 1)
	b.publish()
	return taken(t, store), audit.Job{Job: salesJob, Fingerprint: b.task.Fingerprint()}
}

func newBuilder(t *testing.T, store objstore.Store) builder {
	t.Helper()
	dir := t.TempDir()
	engine, err := duck.Open(t.Context(), duck.Options{Scratch: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	compiled, err := window.Compile(t.Context(), engine, salesJob, window.StreamShape(salesSpec))
	if err != nil {
		t.Fatal(err)
	}
	stream := landing.Open(store, salesSpec, landing.Options{Scratch: dir, Log: often})
	table := manifests.Open(store, salesJob.Name, manifests.Options{Writer: "test", Log: often})
	on := runner.Lake{Store: store, Engine: engine, Files: localfile.New(store, dir, localfile.DefaultMaxBytes), Scratch: dir}
	return builder{t, stream, runner.NewTask(on, compiled, runner.FromStream(stream), table)}
}

// land lands rows of a day, and rejects; those without rejects come of an ordered source
// and by a post.
func (b builder) land(name string, rejects, day int) {
	b.t.Helper()
	in, err := b.stream.Begin(landing.Source{Name: name})
	if err != nil {
		b.t.Fatal(err)
	}
	for i := range 3 {
		at := time.Date(2026, 3, day, i, 0, 0, 0, time.UTC)
		if err := in.Add(landing.Row{EventTime: at.UnixMicro(), SourcePosition: int64(i + 1), Values: []datafile.Value{
			parquet.ByteArrayValue([]byte("x")), parquet.Int64Value(int64(100*day + i)),
		}}); err != nil {
			b.t.Fatal(err)
		}
	}
	for i := range rejects {
		if err := in.Reject(landing.Reject{SourcePosition: int64(i + 4), Reason: "no JSON", Raw: []byte("{")}); err != nil {
			b.t.Fatal(err)
		}
	}
	claim := landing.Claim{Identity: landing.Identity{Digest: digest.OfBytes([]byte(name)), Size: 1}}
	if rejects == 0 {
		claim = landing.Claim{
			Progress: []landing.Progress{{Source: name, To: 1}},
			Keys:     []landing.Key{{Digest: digest.OfBytes([]byte(name)), To: 3}},
		}
	}
	if _, err := in.CommitAs(b.t.Context(), claim); err != nil {
		b.t.Fatal(err)
	}
}

func (b builder) publish() {
	b.t.Helper()
	generation, err := b.task.Register(b.t.Context(), manifests.DriverStream)
	if err != nil {
		b.t.Fatal(err)
	}
	plan, err := b.task.Plan(b.t.Context(), runner.Request{Driver: manifests.DriverStream})
	if err != nil {
		b.t.Fatal(err)
	}
	report, err := b.task.Execute(b.t.Context(), plan, runner.Options{Driver: manifests.DriverStream, Generation: generation, Parallel: 1})
	if err != nil || len(report.Failed()) > 0 {
		b.t.Fatal(err, report.Failed())
	}
}

func taken(t testing.TB, store objstore.Store) objects {
	t.Helper()
	all, err := store.List(t.Context(), "", "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	o := objects{}
	for _, listed := range all {
		if o[listed.Key], err = store.Read(t.Context(), listed.Key); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func (o objects) put(t testing.TB, store objstore.Store) objstore.Store {
	t.Helper()
	for key, body := range o {
		if err := store.Create(t.Context(), key, body); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// stores are the kinds of store that lakes live in.
var stores = map[string]func(t *testing.T) objstore.Store{
	"memory": func(*testing.T) objstore.Store { return objstore.NewMemory() },
	"folder": func(t *testing.T) objstore.Store {
		store, err := objstore.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return store
	},
	"minio": func(t *testing.T) objstore.Store {
		server := miniotest.Start(t)
		store, err := objstore.OpenS3(t.Context(), objstore.S3Options{
			Bucket: server.Bucket(t), Prefix: "lake", Endpoint: server.Endpoint, Region: miniotest.Region, PathStyle: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		return store
	},
}

// audited audits a lake and returns what was found, as "name key".
func audited(t testing.TB, store objstore.Store, deep bool, jobs ...audit.Job) (found []audit.Fault, c audit.Checked) {
	t.Helper()
	total := 0
	var done atomic.Int64
	c, err := audit.Audit{
		Store: store, Files: localfile.New(store, t.TempDir(), 0), Jobs: jobs, Deep: deep, Parallel: 2,
		Found: func(f audit.Fault) { found = append(found, f) },
		Start: func(n int, _ string) { total = n },
		Step:  func(n int, _ string) { done.Add(int64(n)) },
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := done.Load(); len(found) == 0 && n != int64(total) {
		t.Errorf("progress ended at %d of %d", n, total)
	}
	return found, c
}

func text(faults []audit.Fault) (lines []string) {
	for _, f := range faults {
		line := fmt.Sprintf("%s %s", f.Name, f.Key)
		if f.Level == audit.LevelNote {
			line = "note: " + line
		}
		lines = append(lines, line)
	}
	return lines
}
