package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/engines"
	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/plans"
)

// Place is a lake in a folder, with its configuration, that an engine works.
type Place struct {
	Dir    string // all of it
	Config string // strandline.yaml
	Watch  Watch
	Store  objstore.Store

	t       *testing.T
	harness Harness
}

// job is what the suite computes: the sum of each hour, one partition a day. A day with a
// number that is none fails for good.
const (
	job  = "sums"
	yaml = `lake: ./lake
streams:
  numbers:
    format: ndjson
    event_time: {column: at, unit: iso}
    columns: {n: VARCHAR}
jobs:
  sums:
    from: numbers
    window: {tumbling: 1h}
    partition: day
    key: [window_start]
    sql: SELECT window_start, sum(n::BIGINT)::BIGINT AS total FROM numbers GROUP BY window_start
`
)

// newPlace lands so many days, of which some are bad.
func newPlace(t *testing.T, h Harness, days int, bad ...int) *Place {
	t.Helper()
	dir := t.TempDir()
	p := &Place{Dir: dir, Config: filepath.Join(dir, "strandline.yaml"), t: t, harness: h}
	p.must(os.WriteFile(p.Config, []byte(yaml+h.Config), 0o644))
	var err error
	p.Watch, err = newWatch(filepath.Join(dir, "watch"))
	p.must(err)
	p.Store, err = objstore.OpenFolder(filepath.Join(dir, "lake"))
	p.must(err)
	var rows strings.Builder
	for day := range days {
		n := fmt.Sprint(day)
		for _, b := range bad {
			if b == day {
				n = "none"
			}
		}
		fmt.Fprintf(&rows, "{\"at\":%q,\"n\":%q}\n", start(day).Format(time.RFC3339), n)
	}
	file := filepath.Join(dir, "rows.ndjson")
	p.must(os.WriteFile(file, []byte(rows.String()), 0o644))
	h.Program(t, "land", "numbers", file, "-c", p.Config)
	return p
}

func start(day int) time.Time { return time.Date(2026, 1, 1+day, 0, 0, 0, 0, time.UTC) }

func (p *Place) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// plan writes the plan of so many days, and cuts it.
func (p *Place) plan(days, slices int) engines.Ref {
	p.t.Helper()
	const date = "2006-01-02"
	out := p.harness.Program(p.t, "backfill", job, "--from", start(0).Format(date), "--to", start(days).Format(date), "--write-plan", "--json", "-c", p.Config)
	var said struct{ Plan string }
	p.must(json.Unmarshal([]byte(out), &said))
	id, err := plans.ParseID(said.Plan)
	p.must(err)
	return engines.Ref{Plan: id, Slices: slices}
}

// until waits for a fact.
func (p *Place) until(what string, is func() bool) {
	p.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(patience)
	defer late.Stop()
	for !is() {
		select {
		case <-late.C:
			p.t.Fatalf("waited %v in vain until %s", patience, what)
		case <-tick.C:
		}
	}
}

// patience is far longer than anything takes.
const patience = 3 * time.Minute

// active waits until so many workers are at work, and are noted as begun: one that dies
// before would be missing there.
func (p *Place) active(n int) (workers []Worker) {
	p.t.Helper()
	p.until(fmt.Sprintf("%d workers are at work", n), func() bool {
		var err error
		workers, err = p.Watch.Active()
		p.must(err)
		return len(workers) == n && !slices.ContainsFunc(workers, func(w Worker) bool { return !w.noted })
	})
	return workers
}

// ends waits until the engine has ended a plan in a state.
func (p *Place) ends(e engines.Engine, ref engines.Ref, as engines.State) (o engines.Observation) {
	p.t.Helper()
	p.until("the plan is "+string(as), func() bool {
		var err error
		o, err = e.Observe(p.t.Context(), ref.Plan)
		p.must(err)
		if o.State.Ended() && o.State != as {
			p.t.Fatalf("the plan ended as %+v, want %s", o, as)
		}
		return o.State == as
	})
	return o
}

// progress holds the plan against the table.
func (p *Place) progress(ref engines.Ref) map[plans.State]int {
	p.t.Helper()
	f, err := plans.Read(p.t.Context(), p.Store, ref.Plan)
	p.must(err)
	table, err := manifests.Open(p.Store, job, manifests.Options{}).Snapshot(p.t.Context())
	p.must(err)
	return f.Progress(table).Count
}

// publishedOnce tells that so many partitions are published, each by one swap, ever.
func (p *Place) publishedOnce(want int) {
	p.t.Helper()
	swaps := map[string]int{}
	for change, err := range manifests.Open(p.Store, job, manifests.Options{}).Changes(p.t.Context()) {
		p.must(err)
		for _, r := range change.Receipts {
			swaps[r.Partition]++
		}
	}
	for partition, n := range swaps {
		if n != 1 {
			p.t.Errorf("partition %s was swapped %d times", partition, n)
		}
	}
	if len(swaps) != want {
		p.t.Errorf("%d partitions are published, want %d", len(swaps), want)
	}
}

// begun is what was begun, in order; never more than so many at a time.
func (p *Place) begun(parallel int) []int {
	p.t.Helper()
	return p.begunSince(0, parallel)
}

// begunSince is what was begun after the first so many, in order; never more than so many at
// a time, the first included.
func (p *Place) begunSince(first, parallel int) []int {
	p.t.Helper()
	slices, atWork, err := p.Watch.record()
	p.must(err)
	for i, n := range atWork[first:] {
		if n > parallel {
			p.t.Errorf("%d were at work when slice %d was begun, of at most %d", n, slices[first+i], parallel)
		}
	}
	return slices[first:]
}
