package runner_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/internal/localfile"
	"strandline/internal/log"
	"strandline/internal/lookup"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/runner"
	"strandline/window"
)

// chain is one process's view of three jobs: one over two streams, one over its table
// with a lookup, and one over the table of that.
type chain struct {
	*lake
	streams map[string]*landing.Stream
	tables  map[string]*manifests.Table
	tasks   []*runner.Task // downstream first, which is no order to run them in
	lookup  string         // which of the lookup's contents it has
}

// shopNames are contents of the lookup.
var shopNames = map[string]map[string]string{
	"old": {"shop0": "zero"},
	"new": {"shop0": "zero", "shop1": "one"},
}

func chainJobs(names window.Lookup) []window.Job {
	in := func(size time.Duration) window.Window { return window.Window{Kind: window.Tumbling, Size: size} }
	return []window.Job{{
		Name: "hourly", Inputs: []window.Input{{Name: "orders"}, {Name: "payments"}}, Window: in(time.Hour), Grain: window.GrainHour,
		Key: []string{"window_start", "shop"},
		SQL: `SELECT window_start, shop, sum(cents)::BIGINT AS cents FROM (
			SELECT window_start, shop, cents FROM orders UNION ALL SELECT window_start, shop, -cents FROM payments)
			GROUP BY window_start, shop`,
	}, {
		Name: "daily", Inputs: []window.Input{{Name: "hourly", Table: true}}, Lookups: []window.Lookup{names}, Window: in(24 * time.Hour), Grain: window.GrainDay,
		Key: []string{"window_start", "name"},
		SQL: `SELECT window_start, coalesce(name, h.shop) AS name, sum(cents)::BIGINT AS cents
			FROM hourly h LEFT JOIN names n ON h.shop = n.shop GROUP BY ALL`,
	}, {
		Name: "monthly", Inputs: []window.Input{{Name: "daily", Table: true}}, Window: in(24 * time.Hour), Grain: window.GrainMonth,
		Key: []string{"window_start"},
		SQL: "SELECT window_start, sum(cents)::BIGINT AS cents FROM daily GROUP BY window_start",
	}}
}

func newChain(t *testing.T, store objstore.Store, content string) *chain {
	t.Helper()
	return newChainOn(t, store, content, log.Options{})
}

// newChainOn is a chain whose logs have these options.
func newChainOn(t *testing.T, store objstore.Store, content string, o log.Options) *chain {
	t.Helper()
	c := &chain{lake: newLake(t, store), streams: map[string]*landing.Stream{}, tables: map[string]*manifests.Table{}, lookup: content}
	shapes := map[string]window.Shape{}
	for _, name := range []string{"orders", "payments"} {
		spec := salesSpec
		spec.Stream = name
		c.streams[name] = landing.Open(store, spec, landing.Options{Scratch: c.dir, Log: o})
		shapes[name] = window.StreamShape(spec)
	}
	files := localfile.New(store, c.dir, localfile.DefaultMaxBytes)
	for _, job := range chainJobs(c.names(content)) {
		var inputs []runner.Input
		var seen []window.Shape
		for _, in := range job.Inputs {
			inputs = append(inputs, runner.Input{Stream: c.streams[in.Name], Table: c.tables[in.Name]})
			seen = append(seen, shapes[in.Name])
		}
		compiled, err := window.Compile(t.Context(), c.engine, job, seen...)
		if err != nil {
			t.Fatal(err)
		}
		shapes[job.Name] = compiled.Shape()
		c.tables[job.Name] = manifests.Open(store, job.Name, manifests.Options{Writer: t.Name(), Log: o})
		on := runner.Lake{Store: store, Engine: c.engine, Files: files, Scratch: c.dir}
		c.tasks = slices.Insert(c.tasks, 0, runner.NewTask(on, compiled, inputs, c.tables[job.Name]))
	}
	return c
}

// names is the lookup with one of its contents.
func (c *chain) names(content string) window.Lookup {
	c.t.Helper()
	path := filepath.Join(c.dir, content+".csv")
	text := "shop,name\n"
	for _, shop := range slices.Sorted(maps.Keys(shopNames[content])) {
		text += shop + "," + shopNames[content][shop] + "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	varchar := datafile.Type{Kind: datafile.Varchar}
	spec := lookup.Spec{
		Name: "names", File: path, Options: ingest.Options{Format: ingest.FormatCSV},
		Columns: []datafile.Column{{Name: "shop", Type: varchar}, {Name: "name", Type: varchar}},
	}
	held, err := spec.Read()
	if err == nil {
		err = spec.Write(held, path+".parquet")
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return window.Lookup{Name: "names", Columns: spec.AllColumns(), Content: held.Digest, Path: path + ".parquet"}
}

// settle runs the stream of all jobs to its end, and returns what was computed, by job.
func (c *chain) settle() (computed map[string][]string, err error) {
	computed = map[string][]string{}
	err = runner.Stream(c.t.Context(), c.tasks, runner.StreamOptions{
		Parallel: 2, Poll: time.Second, Once: true, Now: time.Now,
		Done:    func(job string, o runner.Outcome) { computed[job] = append(computed[job], o.Partition.String()) },
		Trouble: func(string, error) {},
	})
	return computed, err
}

// rowsOf reads a table's published rows, sorted: a time, a name if there is one, cents.
func (c *chain) rowsOf(table string) []string {
	c.t.Helper()
	snapshot, err := c.tables[table].Snapshot(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	files := localfile.New(c.store, c.dir, localfile.DefaultMaxBytes)
	rows := []string{}
	for _, r := range snapshot.Receipts() {
		for _, f := range r.Files {
			path, release, err := files.Get(c.t.Context(), manifests.DataKey(table, r.Partition, f.ID))
			if err != nil {
				c.t.Fatal(err)
			}
			_, err = datafile.Summarize(path, func(row []datafile.Value) error {
				text := time.UnixMicro(row[0].Int64()).UTC().Format("2006-01-02T15")
				for _, v := range row[1 : len(row)-1] {
					text += " " + string(v.ByteArray())
				}
				rows = append(rows, fmt.Sprintf("%s %d", text, row[len(row)-1].Int64()))
				return nil
			})
			if err != nil {
				c.t.Fatal(err)
			}
			release()
		}
	}
	slices.Sort(rows)
	return rows
}

// straight is what the tables are to hold, computed at once from all rows; payments
// have negative cents.
func (c *chain) straight(rows []sale) map[string][]string {
	sums := map[string]map[string]int64{"hourly": {}, "daily": {}, "monthly": {}}
	for _, s := range rows {
		name := s.shop
		if known, is := shopNames[c.lookup][s.shop]; is {
			name = known
		}
		midnight := s.at.Truncate(24 * time.Hour).Format("2006-01-02T15")
		sums["hourly"][s.at.Truncate(time.Hour).Format("2006-01-02T15")+" "+s.shop] += s.cents
		sums["daily"][midnight+" "+name] += s.cents
		sums["monthly"][midnight] += s.cents
	}
	want := map[string][]string{}
	for table, of := range sums {
		want[table] = []string{}
		for key, cents := range of {
			want[table] = append(want[table], fmt.Sprintf("%s %d", key, cents))
		}
		slices.Sort(want[table])
	}
	return want
}

func (c *chain) check(rows []sale, when string) {
	c.t.Helper()
	for table, want := range c.straight(rows) {
		if got := c.rowsOf(table); !slices.Equal(got, want) {
			c.t.Fatalf("%s: %s has %d rows, computed straight %d:\n%q\n%q", when, table, len(got), len(want), got, want)
		}
	}
}

// landIn lands sales in one of the streams, and returns them as the model has them.
func (c *chain) landIn(stream string, sales []sale) []sale {
	c.t.Helper()
	lake := *c.lake
	lake.stream = c.streams[stream]
	lake.land(fmt.Sprint(stream, len(sales), sales[0].id), sales...)
	if stream == "payments" {
		sales = slices.Clone(sales)
		for i := range sales {
			sales[i].cents = -sales[i].cents
		}
	}
	return sales
}

// anySales are of a few hours of 40 days.
func anySales(random *rand.Rand, serial int) []sale {
	sales := make([]sale, 1+random.IntN(4))
	for i := range sales {
		hour := time.Duration(random.IntN(40))*24*time.Hour + time.Duration(random.IntN(3))*11*time.Hour
		sales[i] = sale{day(1).Add(hour + time.Duration(random.IntN(60))*time.Minute), fmt.Sprint(serial, "-", i), fmt.Sprint("shop", random.IntN(3)), random.Int64N(1000)}
	}
	return sales
}

// Whatever lands, one trigger settles the whole chain, and nothing is computed but what
// a row can change.
func TestOneTriggerSettlesAChainExactly(t *testing.T) {
	for seed := range uint64(2) {
		random := seeded(t, seed)
		c := newChain(t, objstore.NewMemory(), "new")
		var rows []sale
		for n := range 10 {
			landed := c.landIn([]string{"orders", "payments"}[random.IntN(2)], anySales(random, n))
			rows = append(rows, landed...)
			computed, err := c.settle()
			if err != nil {
				t.Fatal(err)
			}
			c.check(rows, fmt.Sprint("after landing ", n))
			want := map[string]map[string]bool{"hourly": {}, "daily": {}, "monthly": {}}
			for _, s := range landed {
				want["hourly"][s.at.Format("2006-01-02T15")] = true
				want["daily"][s.at.Format("2006-01-02")] = true
				want["monthly"][s.at.Format("2006-01")] = true
			}
			for table, partitions := range want {
				slices.Sort(computed[table])
				if got := computed[table]; !slices.Equal(got, slices.Sorted(maps.Keys(partitions))) {
					t.Fatalf("landing %d: of %s %v were computed, want %v", n, table, got, slices.Sorted(maps.Keys(partitions)))
				}
			}
		}
	}
}

// Whatever persons do to the tables of a chain, in the end each is what one straight
// computation makes, and proves it.
func TestAChainComesOutAsOneStraightComputation(t *testing.T) {
	for seed := range uint64(3) {
		random := seeded(t, 100+seed)
		store := objstore.NewMemory()
		c := newChain(t, store, "old")
		var rows []sale
		for n := range 25 {
			switch random.IntN(6) {
			case 0, 1:
				rows = append(rows, c.landIn([]string{"orders", "payments"}[random.IntN(2)], anySales(random, n))...)
			case 2:
				if _, err := c.settle(); err != nil {
					t.Fatal(err)
				}
			case 3:
				from := random.IntN(40)
				c.run(c.tasks[random.IntN(2)], backfill(day(1+from), day(1+from+random.IntN(20)+1)))
			case 4:
				c.rollBack(random)
			default:
				c = newChain(t, store, []string{"old", "new"}[random.IntN(2)])
			}
		}
		for _, task := range slices.Backward(c.tasks) {
			c.run(task, backfill(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)))
		}
		c.check(rows, "in the end")
		for _, task := range c.tasks {
			c.prove(task)
		}
	}
}

// rollBack rolls some table back to some version.
func (c *chain) rollBack(random *rand.Rand) {
	c.t.Helper()
	table := c.tables[[]string{"hourly", "daily", "monthly"}[random.IntN(3)]]
	snapshot, err := table.Snapshot(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	if snapshot.Version < 2 {
		return
	}
	to := 1 + manifests.Version(random.IntN(int(snapshot.Version)-1))
	if _, err := publish.Rollback(c.t.Context(), c.store, table, to); err != nil {
		c.t.Fatal(err)
	}
}

// prove has every receipt of a table reproduced.
func (c *chain) prove(task *runner.Task) {
	c.t.Helper()
	published, err := task.Published(c.t.Context(), nil, (*manifests.Snapshot).Receipts)
	if err != nil {
		c.t.Fatal(err)
	}
	found, err := task.Verify(c.t.Context(), published, runner.VerifyOptions{Parallel: 2, Seed: 7})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, v := range found {
		if v.Finding != runner.Reproduced {
			c.t.Fatalf("partition %s of %s is %s: %v %s", v.Partition, task.Job().Name, v.Finding, v.Differences, v.Unproved)
		}
	}
}

// tryNothingAgain is for processes that are dead: what they would try again comes to nothing.
func tryNothingAgain(context.Context, time.Duration) error { return errors.New("dead") }

// Wherever a process is killed that settles a chain, the next one settles it.
func TestAChainIsSettledAfterAKillAnywhere(t *testing.T) {
	sales := []sale{{day(1), "1", "shop0", 5}, {day(2), "2", "shop1", 7}}
	for kill, done := int64(0), false; !done; kill += 7 {
		memory := objstore.NewMemory()
		rows := newChain(t, memory, "new").landIn("orders", sales)
		var call atomic.Int64
		dying := objstore.NewFault(memory, func(objstore.Op, string) objstore.Action {
			if call.Add(1) > kill {
				return objstore.Fail
			}
			return objstore.Pass
		})
		_, err := newChainOn(t, dying, "new", log.Options{Pause: tryNothingAgain}).settle()
		done = err == nil
		again := newChain(t, memory, "new")
		if _, err := again.settle(); err != nil {
			t.Fatalf("killed after %d calls: %v", kill, err)
		}
		again.check(rows, fmt.Sprintf("killed after %d calls", kill))
		again.prove(again.tasks[0])
	}
}

// A table that was rebuilt with other types, by a process that has its job, stops who
// reads it until that starts again.
func TestATableOfOtherTypesStopsWhoReadsIt(t *testing.T) {
	c := newChain(t, objstore.NewMemory(), "new")
	c.landIn("orders", []sale{{day(1), "1", "shop0", 5}})
	if _, err := c.settle(); err != nil {
		t.Fatal(err)
	}
	c.replaced(`::BIGINT`, `::DECIMAL(18,2)`, true)
	if _, err := c.tasks[1].Plan(t.Context(), stream); !errors.Is(err, window.ErrInput) || !strings.Contains(err.Error(), "table hourly has the column cents as DECIMAL(18,2), and the job was read for BIGINT") {
		t.Fatalf("got %v, want to be told of the column that changed", err)
	}
}

// A column that a process with the table's job renamed stops who reads it, and is not
// NULL to it.
func TestATableWithoutAColumnThatIsReadStopsWhoReadsIt(t *testing.T) {
	c := newChain(t, objstore.NewMemory(), "new")
	c.landIn("orders", []sale{{day(1), "1", "shop0", 5}})
	if _, err := c.settle(); err != nil {
		t.Fatal(err)
	}
	before := c.rowsOf("daily")
	c.replaced(`AS cents`, `AS sum_of_cents`, false)
	plan, err := c.tasks[1].Plan(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	generation, err := c.tasks[1].Generation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.tasks[1].Execute(t.Context(), plan, runner.Options{Driver: manifests.DriverStream, Generation: generation, Parallel: 1})
	if !errors.Is(err, window.ErrInput) || !strings.Contains(err.Error(), "table hourly does not make the column cents") {
		t.Errorf("got %v, want to be told of the column that is gone", err)
	}
	if after := c.rowsOf("daily"); !slices.Equal(after, before) {
		t.Errorf("daily had %v, and has %v", before, after)
	}
}

// replaced has another process compute the table hourly by other code: as the chain's,
// with one text for another.
func (c *chain) replaced(text, by string, rebuild bool) {
	t := c.t
	t.Helper()
	job := chainJobs(c.names("new"))[0]
	job.SQL = strings.ReplaceAll(job.SQL, text, by)
	compiled, err := window.Compile(t.Context(), c.engine, job, window.StreamShape(c.streams["orders"].Spec()), window.StreamShape(c.streams["payments"].Spec()))
	if err != nil {
		t.Fatal(err)
	}
	other := runner.NewTask(runner.Lake{Store: c.store, Engine: c.engine, Files: localfile.New(c.store, c.dir, localfile.DefaultMaxBytes), Scratch: c.dir}, compiled,
		[]runner.Input{{Stream: c.streams["orders"]}, {Stream: c.streams["payments"]}}, manifests.Open(c.store, "hourly", manifests.Options{}))
	request := runner.Request{Driver: manifests.DriverBackfill, Rebuild: rebuild}
	plan, err := other.Plan(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	generation, err := other.Generation(t.Context())
	if err == nil && !rebuild {
		generation, err = other.Register(t.Context(), request.Driver)
	}
	if err == nil {
		_, err = other.Execute(t.Context(), plan, runner.Options{Driver: request.Driver, Generation: generation, Parallel: 1, Rebuild: rebuild})
	}
	if err != nil {
		t.Fatal(err)
	}
}
