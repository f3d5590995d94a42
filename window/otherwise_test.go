package window

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
)

// otherwiseSource is a stream of one day, landed by three arrivals:
// nothing about a row but its position tells when it came.
func otherwiseSource(t *testing.T) Source {
	t.Helper()
	store, err := objstore.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	scratch := t.TempDir()
	engine, err := duck.Open(t.Context(), duck.Options{Scratch: scratch, Threads: 4, Readable: []string{store.Root()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	stream := landing.Open(store, landing.Spec{
		Stream: "s", EventTime: landing.EventTime{Column: "at", Unit: landing.UnitMicros},
		Columns: []datafile.Column{
			{Name: "k", Type: datafile.Type{Kind: datafile.BigInt}}, {Name: "x", Type: datafile.Type{Kind: datafile.Double}},
		},
	}, landing.Options{Scratch: scratch})
	for file := range 3 {
		in, err := stream.Begin(landing.Source{Name: fmt.Sprint(file)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range int64(3000) {
			at := otherwiseDay.Start.Add(time.Duration(i%24) * time.Hour)
			values := []datafile.Value{parquet.Int64Value(i % 7), parquet.DoubleValue(1 / float64(i+int64(file)+1))}
			if err := in.Add(landing.Row{EventTime: at.UnixMicro(), SourcePosition: i, Values: values}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := in.Commit(t.Context(), landing.Identity{Digest: digest.OfBytes([]byte{byte(file)})}); err != nil {
			t.Fatal(err)
		}
	}
	return Source{Engine: engine, Feeds: []Feed{{Stream: stream, UpTo: stream.Next()}}, Files: localfile.New(store, scratch, localfile.DefaultMaxBytes), Scratch: scratch}
}

var otherwiseDay = GrainDay.Containing(time.Date(1969, 12, 30, 0, 0, 0, 0, time.UTC))

// unchecked compiles SQL without asking whether it is a pure function.
func unchecked(t *testing.T, from Source, sql string) *Compiled {
	t.Helper()
	job := Job{Name: "j", Inputs: FromStream("s"), Window: Window{Kind: Tumbling, Size: time.Hour}, Grain: GrainDay, Key: []string{"window_start", "k"}, SQL: sql}
	statement, err := from.Engine.Parse(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	return &Compiled{Job: job, shapes: []Shape{StreamShape(from.Feeds[0].Stream.Spec())}, statement: statement}
}

func sumOf(t *testing.T, made Output) datafile.Summary {
	t.Helper()
	s, err := datafile.Summarize(made.Files[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Remove(); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnotherLayoutAndOrderGivesTheSameRowsOfAPureFunctionOnly(t *testing.T) {
	from := otherwiseSource(t)
	for sql, pure := range map[string]bool{
		"count(*) AS n, sum(position)::BIGINT AS v":                                true,
		"count(*) AS n, min(x) AS v":                                               true,
		"count(*) AS n, max(position) FILTER (extra IS NULL) AS v":                 true,
		"count(*) AS n, min(source_position) + min(source)::BIGINT AS v":           true,
		"count(*) AS n, first(x ORDER BY position) AS v":                           true,
		"count(*) AS n, first(x) AS v":                                             false,
		"count(*) AS n, sum(x) AS v":                                               false,
		"count(*) AS n, any_value(position) AS v":                                  false,
		"count(*) AS n, arg_max(position, k) AS v":                                 false,
		"count(*) AS n, string_agg(source, ',') AS v":                              false,
		"count(*) AS n, (random() * 1e9)::BIGINT AS v":                             false,
		"count(*) AS n, max(hash(landed_at, event_time, source, window_end)) AS v": true,
	} {
		c := unchecked(t, from, "SELECT window_start, k, "+sql+" FROM s GROUP BY ALL")
		result, err := c.Recompute(t.Context(), from, Status{Partition: otherwiseDay})
		if err != nil {
			t.Fatal(err)
		}
		want := sumOf(t, result.Output)
		if want.Rows != 24*7 {
			t.Fatalf("%s: %d rows", sql, want.Rows)
		}
		for seed := range uint64(3) {
			made, err := c.RecomputeOtherwise(t.Context(), from, otherwiseDay, seed)
			if err != nil {
				t.Fatal(err)
			}
			got := sumOf(t, made)
			if same := got.Rows == want.Rows && got.Digest == want.Digest; same != pure {
				t.Errorf("%s, seed %d: the same rows is %v, want %v", sql, seed, same, pure)
			}
		}
	}
	left, err := os.ReadDir(from.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		if entry.Name() != "spill" {
			t.Errorf("%s is left behind", entry.Name())
		}
	}
}

func TestAnotherLayoutHoldsTheRowsUpToThePositionOnly(t *testing.T) {
	from := otherwiseSource(t)
	c := unchecked(t, from, "SELECT window_start, k, count(*) AS n FROM s GROUP BY ALL")
	for _, to := range []landing.Position{0, 3000, 6000, from.Feeds[0].UpTo} {
		from.Feeds[0].UpTo = to
		made, err := c.RecomputeOtherwise(t.Context(), from, otherwiseDay, 1)
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		if _, err := datafile.Summarize(made.Files[0], func(row []datafile.Value) error { n += row[2].Int64(); return nil }); err != nil {
			t.Fatal(err)
		}
		if n != int64(to) {
			t.Errorf("up to %d it holds %d rows", to, n)
		}
	}
}

// The new layout has each row once, in an order that is the seed's and not
// that of positions, in several files of several row groups.
func TestRowsAreLaidOutAnewBySeed(t *testing.T) {
	from := otherwiseSource(t)
	c := unchecked(t, from, "SELECT window_start, k FROM s")
	relay := func(seed uint64) (orders [][]int64) {
		var files []fetched
		err := c.withFiles(t.Context(), from, otherwiseDay, func(landed []fetched) (err error) {
			files, err = c.relay(t.Context(), from, otherwiseDay, landed, seed, scratchFolder(t, from))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files[0].segments {
			if file.Base != 0 {
				t.Errorf("a file's base is %d", file.Base)
			}
			orders = append(orders, offsets(t, file.Path))
		}
		return orders
	}
	one, upTo := relay(1), from.Feeds[0].UpTo
	all := slices.Concat(one...)
	slices.Sort(all)
	for i, position := range all {
		if position != int64(i) {
			t.Fatalf("row %d of all is of position %d", i, position)
		}
	}
	if len(one) < 2 || len(all) != int(upTo) {
		t.Fatalf("%d files of %d rows, want several of %d", len(one), len(all), upTo)
	}
	for _, order := range one {
		if slices.IsSorted(order) || len(order) <= relaidRowGroup {
			t.Errorf("a file of %d rows, by position: %v", len(order), slices.IsSorted(order))
		}
	}
	if !reflect.DeepEqual(one, relay(1)) || reflect.DeepEqual(one, relay(2)) {
		t.Error("the seed does not make the order")
	}
}

func offsets(t *testing.T, path string) (order []int64) {
	t.Helper()
	file, err := datafile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	at := slices.IndexFunc(file.Columns(), func(c datafile.Column) bool { return c.Name == "__offset" })
	if err := file.Scan(func(row []datafile.Value) error { order = append(order, row[at].Int64()); return nil }); err != nil {
		t.Fatal(err)
	}
	return order
}

// scratchFolder is one that the engine may write to.
func scratchFolder(t *testing.T, from Source) string {
	t.Helper()
	dir, err := os.MkdirTemp(from.Scratch, "relaid")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
