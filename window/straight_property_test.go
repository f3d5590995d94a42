package window

import (
	"fmt"
	"math/rand/v2"
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

// Whatever the windows, the grain and the dedup: partitions that are computed apart, in
// any order, come out as the same rows as one straight computation over all rows does.
func TestPartitionsComputedApartAreOneStraightComputation(t *testing.T) {
	store, err := objstore.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	scratch := t.TempDir()
	engine, err := duck.Open(t.Context(), duck.Options{Scratch: scratch, Threads: 1, Readable: []string{store.Root()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	from := Source{Engine: engine, Files: localfile.New(store, scratch, localfile.DefaultMaxBytes), Scratch: scratch}
	for seed := range uint64(24) {
		random := rand.New(rand.NewPCG(seed, 5))
		job, around := anyJob(random), at([]string{"1969-12-31T12:00:00Z", "2026-03-01T05:30:00Z"}[random.IntN(2)])
		if seed%2 == 1 {
			clocks := clockChanges[random.IntN(len(clockChanges))]
			job, around = inZone(t, random, job, clocks.zone), at(clocks.at)
		}
		rows := anyRows(random, job, around, 20+random.IntN(150))
		stream := landRows(t, store, scratch, fmt.Sprint("s", seed), rows)
		from.Feeds = []Feed{{Stream: stream, UpTo: stream.Next()}}
		job.Inputs = FromStream(stream.Spec().Stream)
		c := seesAll(t, engine, job, stream.Spec())
		computedApart(t, random, c, from, rows, seed)
	}
}

// seesAll compiles a job that publishes all that its SQL sees of windows.
func seesAll(t *testing.T, engine *duck.Engine, job Job, stream landing.Spec) *Compiled {
	t.Helper()
	job.Key = []string{ColumnWindowStart, "position"}
	job.SQL = "SELECT window_start, window_end, position FROM " + job.Inputs[0].Name
	if job.Window.Kind == None {
		job.Key = []string{"position"}
		job.SQL = "SELECT event_time, event_time AS same, position FROM " + job.Inputs[0].Name
	}
	c, err := Compile(t.Context(), engine, job, StreamShape(stream))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func computedApart(t *testing.T, random *rand.Rand, c *Compiled, from Source, rows []landedRow, seed uint64) {
	t.Helper()
	var hours []int64
	for _, r := range rows {
		hours = append(hours, floorTo(r.t, hourMicros)/hourMicros)
	}
	slices.Sort(hours)
	partitions := c.Touched(c.Inputs[0], slices.Compact(hours))
	var peopled []int64
	from.Feeds[0].Stream.View(func(s *landing.State) { peopled = c.peopled(Heads{StreamHead(s)}, allTime) })
	random.Shuffle(len(partitions), func(i, k int) { partitions[i], partitions[k] = partitions[k], partitions[i] })
	var got []seenRow
	for _, p := range partitions {
		if !slices.Contains(peopled, p.Start.UnixMicro()) && random.IntN(4) > 0 {
			continue // has no row, but where peoples is wrong
		}
		made := published(t, c, from, p, random.Uint64())
		for _, r := range made {
			if !p.Contains(time.UnixMicro(r.start)) || !slices.Contains(peopled, p.Start.UnixMicro()) {
				t.Fatalf("seed %d: partition %s of %+v has the row %v", seed, p, c.Job, r)
			}
		}
		got = append(got, made...)
	}
	slices.SortFunc(got, compareSeen)
	if want := straight(c.Job, rows); !slices.Equal(got, want) {
		t.Errorf("seed %d: %+v, dedup %+v: partitions of %d rows have %d rows, computed straight %d", seed, c.Job.Window, c.Dedup, len(rows), len(got), len(want))
		for i, r := range want {
			if i >= len(got) || got[i] != r {
				t.Fatalf("the first that differs is %v, want %v", got[min(i, len(got)-1)], r)
			}
		}
	}
}

// published computes a partition of seen rows.
func published(t *testing.T, c *Compiled, from Source, p Partition, seed uint64) (seen []seenRow) {
	t.Helper()
	eachPublished(t, c, from, p, seed, func(row []datafile.Value) {
		seen = append(seen, seenRow{row[0].Int64(), row[1].Int64(), row[2].Int64()})
	})
	return seen
}

// eachPublished computes a partition, now and then in the other way, which must be the
// same.
func eachPublished(t *testing.T, c *Compiled, from Source, p Partition, seed uint64, each func(row []datafile.Value)) {
	t.Helper()
	result, err := c.Recompute(t.Context(), from, Status{Partition: p})
	made := result.Output
	if err == nil && seed%4 == 0 {
		if err = made.Remove(); err == nil {
			made, err = c.RecomputeOtherwise(t.Context(), from, p, seed)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range made.Files {
		if _, err := datafile.Summarize(file, func(row []datafile.Value) error {
			each(row)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := made.Remove(); err != nil {
		t.Fatal(err)
	}
}

// landRows lands rows in three arrivals, in the order of positions.
func landRows(t *testing.T, store objstore.Store, scratch, name string, rows []landedRow) *landing.Stream {
	t.Helper()
	number := datafile.Type{Kind: datafile.BigInt}
	stream := landing.Open(store, landing.Spec{
		Stream: name, EventTime: landing.EventTime{Column: "at", Unit: landing.UnitMicros},
		Columns: []datafile.Column{{Name: "k", Type: number}, {Name: "u", Type: number}, {Name: "seq", Type: number}},
	}, landing.Options{Scratch: scratch})
	value := func(n *int64) datafile.Value {
		if n == nil {
			return parquet.NullValue()
		}
		return parquet.Int64Value(*n)
	}
	for part := range 3 {
		in, err := stream.Begin(landing.Source{Name: fmt.Sprint(part)})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows[len(rows)*part/3 : len(rows)*(part+1)/3] {
			if err := in.Add(landing.Row{EventTime: r.t, SourcePosition: int64(i), Values: []datafile.Value{value(r.k), value(r.u), value(r.seq)}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := in.Commit(t.Context(), landing.Identity{Digest: digest.OfBytes([]byte(name + fmt.Sprint(part)))}); err != nil {
			t.Fatal(err)
		}
	}
	return stream
}

// A row of a hopping window comes as often as there are windows that it lies in, so
// that its position alone is no order.
func TestOfHoppingWindowsThePositionTellsRowsApartWithTheWindowOnly(t *testing.T) {
	engine, err := duck.Open(t.Context(), duck.Options{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	job := Job{Name: "j", Inputs: FromStream("s"), Window: Window{Kind: Hopping, Size: time.Hour, Every: time.Minute}, Grain: GrainDay, Key: []string{ColumnWindowStart}}
	stream := landing.Spec{Stream: "s", Columns: []datafile.Column{{Name: "k", Type: datafile.Type{Kind: datafile.BigInt}}}}
	for sql, ok := range map[string]bool{
		"SELECT window_start, first(k ORDER BY position) AS k FROM s GROUP BY window_start":                         true,
		"SELECT min(window_start) AS window_start, first(k ORDER BY position, window_start) AS k FROM s":            true,
		"SELECT min(window_start) AS window_start, first(window_end ORDER BY position) AS k FROM s":                 false,
		"SELECT window_start, k FROM s QUALIFY row_number() OVER (PARTITION BY k ORDER BY position DESC) = 1":       false,
		"SELECT window_start, k FROM s QUALIFY row_number() OVER (PARTITION BY window_start ORDER BY position) = 1": true,
	} {
		job.SQL = sql
		if _, err := Compile(t.Context(), engine, job, StreamShape(stream)); (err == nil) != ok {
			t.Errorf("%s: %v, want it to be accepted: %v", sql, err, ok)
		}
	}
}
