package window

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
)

// pair is a row of one input in one of its windows, and one of another.
type pair struct{ one, other seenRow }

func comparePairs(a, b pair) int {
	return cmp.Or(compareSeen(a.one, b.one), compareSeen(a.other, b.other))
}

// Rows that are held against others, at most so far before or after them, find the same
// whatever the windows and wherever the partitions are cut, each with its own windows.
func TestWhatIsReadBesideIsWhatOneStraightComputationFinds(t *testing.T) {
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
	found := map[Kind]int{}
	for seed := range uint64(24) {
		random := rand.New(rand.NewPCG(seed, 40))
		job, around := anyJob(random), at("2026-03-01T05:30:00Z")
		job.Dedup = nil // which is of one stream
		if seed%2 == 1 {
			clocks := clockChanges[random.IntN(len(clockChanges))]
			job, around = inZone(t, random, job, clocks.zone), at(clocks.at)
		}
		margins := []time.Duration{0, time.Microsecond, 10 * time.Minute, 3 * time.Hour, 26 * time.Hour}
		job.Inputs = []Input{{Name: "own"}, {Name: "read_beside", Before: margins[random.IntN(5)], After: margins[1+random.IntN(4)]}}
		ones, others := anyRows(random, job, around, 10+random.IntN(40)), anyRows(random, job, around, 10+random.IntN(40))
		from.Feeds = nil
		var shapes []Shape
		for i, rows := range [][]landedRow{ones, others} {
			job.Inputs[i].Name += fmt.Sprint(seed)
			stream := landRows(t, store, scratch, job.Inputs[i].Name, rows)
			from.Feeds = append(from.Feeds, Feed{Stream: stream, UpTo: stream.Next()})
			shapes = append(shapes, StreamShape(stream.Spec()))
		}
		got, want := pairsApart(t, random, joins(t, engine, job, shapes), from), pairsOf(job, ones, others)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: %+v by %s, %+v: partitions found %d pairs, computed straight %d", seed, job.Window, job.Grain, job.Inputs[1], len(got), len(want))
		}
		touchesPairs(t, job, others, want)
		found[job.Window.Kind] += len(want)
	}
	for _, kind := range []Kind{Tumbling, Hopping, Session, None} {
		if found[kind] < 50 {
			t.Errorf("of %s windows %d pairs were found, which tests little", kind, found[kind])
		}
	}
}

// joins compiles a job that publishes each pair of rows of one key, near each other.
func joins(t *testing.T, engine *duck.Engine, job Job, shapes []Shape) *Compiled {
	t.Helper()
	own, beside := job.Inputs[0], job.Inputs[1]
	start, end := "window_start", "window_end"
	if job.Window.Kind == None {
		start, end = "event_time", "event_time"
	}
	job.Key = []string{start, "one", "other", "other_start"}
	job.SQL = fmt.Sprintf(`SELECT a.%[1]s, a.%[2]s AS one_end, a.position AS one, b.%[1]s AS other_start, b.%[2]s AS other_end, b.position AS other
		FROM %[3]s a JOIN %[4]s b ON a.k = b.k AND epoch_us(b.event_time) - epoch_us(a.event_time) BETWEEN %[5]d AND %[6]d`,
		start, end, own.Name, beside.Name, -beside.Before.Microseconds(), beside.After.Microseconds())
	c, err := Compile(t.Context(), engine, job, shapes...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pairsApart computes all partitions in any order.
func pairsApart(t *testing.T, random *rand.Rand, c *Compiled, from Source) (found []pair) {
	t.Helper()
	var heads Heads
	for _, feed := range from.Feeds {
		feed.Stream.View(func(s *landing.State) { heads = append(heads, StreamHead(s)) })
	}
	starts := c.peopled(heads, allTime)
	random.Shuffle(len(starts), func(i, k int) { starts[i], starts[k] = starts[k], starts[i] })
	for _, start := range starts {
		eachPublished(t, c, from, c.Grain.at(start), random.Uint64(), func(row []datafile.Value) {
			found = append(found, pair{
				seenRow{row[0].Int64(), row[1].Int64(), row[2].Int64()},
				seenRow{row[3].Int64(), row[4].Int64(), row[5].Int64()},
			})
		})
	}
	slices.SortFunc(found, comparePairs)
	return found
}

// touchesPairs tests that each pair lies in a partition that the row read beside touches.
func touchesPairs(t *testing.T, job Job, others []landedRow, pairs []pair) {
	t.Helper()
	for _, found := range pairs {
		hour := floorTo(others[found.other.position].t, hourMicros) / hourMicros
		p := job.Grain.Containing(time.UnixMicro(found.one.start))
		if !slices.Contains(job.Touched(job.Inputs[1], []int64{hour}), p) {
			t.Fatalf("%+v, %+v: hour %d does not touch %s, which has %+v", job.Window, job.Inputs[1], hour, p, found)
		}
	}
}

// pairsOf finds the pairs among all rows, in one go and without partitions.
func pairsOf(job Job, ones, others []landedRow) (found []pair) {
	beside := job.Inputs[1]
	for _, one := range straight(job, ones) {
		for _, other := range straight(job, others) {
			a, b := ones[one.position], others[other.position]
			near := b.t-a.t >= -beside.Before.Microseconds() && b.t-a.t <= beside.After.Microseconds()
			if near && a.k != nil && b.k != nil && *a.k == *b.k {
				found = append(found, pair{one, other})
			}
		}
	}
	slices.SortFunc(found, comparePairs)
	return found
}
