package runner_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// variant is one code of the job, which puts its number into every row.
type variant struct {
	number int
	size   time.Duration
	dedup  bool
}

func (v variant) job() window.Job {
	job := salesJob()
	job.SQL = fmt.Sprintf("SELECT window_start, shop, count(*) AS n,\n%d::BIGINT AS cents\nFROM sales\nGROUP BY window_start, shop", v.number)
	job.Window.Size = v.size
	if !v.dedup {
		job.Dedup = nil
	}
	return job
}

// differsIn names the parts by which two variants differ.
func (v variant) differsIn(other variant) (parts []string) {
	if v.number != other.number {
		parts = append(parts, "sql")
	}
	if v.size != other.size {
		parts = append(parts, "window")
	}
	if v.dedup != other.dedup {
		parts = append(parts, "dedup keep", "dedup key", "column id") // which is else not read
	}
	return parts
}

// changes is a lake whose job changes, and a model of what its plan has to say.
type changes struct {
	*lake
	random *rand.Rand
	tasks  map[variant]*runner.Task

	code       variant
	generation uint64
	registered map[variant]uint64
	landed     []landedSale // by position
	arrivals   int
	merged     bool // a compaction was made
	published  map[int]publication
}

type landedSale struct {
	day     int
	arrival string
}

type publication struct {
	code variant
	upTo int
}

// Whatever lands, is merged and is changed: the plan tells of each partition which rows
// came, and what of the code changed, and --stale renews these partitions alone. Each is
// always the work of one code.
func TestThePlanTellsWhyTruly(t *testing.T) {
	for seed := range uint64(3) {
		c := &changes{
			lake: newLake(t, objstore.NewMemory()), random: seeded(t, seed), tasks: map[variant]*runner.Task{},
			code: variant{1, time.Hour, true}, registered: map[variant]uint64{}, published: map[int]publication{},
		}
		for range 45 {
			c.step()
			c.check()
		}
	}
}

func (c *changes) step() {
	switch c.random.IntN(10) {
	case 0, 1, 2, 3:
		c.lands()
	case 4, 5:
		c.code = variant{1 + c.random.IntN(3), time.Duration(1+c.random.IntN(2)) * 30 * time.Minute, c.random.IntN(2) == 0}
	case 6, 7:
		c.runs(stream, func(s window.State, data bool) bool { return s == window.Missing || data })
	case 8:
		c.runs(runner.Request{Driver: manifests.DriverBackfill, States: []window.State{window.Stale}},
			func(s window.State, _ bool) bool { return s == window.Stale })
	default:
		must(c.t, c.compactor(c.task()).Run(c.t.Context()))
		c.merged = true
	}
}

func (c *changes) lands() {
	c.arrivals++
	name := fmt.Sprint("arrival", c.arrivals)
	sales := randomSales(c.random, 1+c.random.IntN(4))
	c.land(name, sales...)
	for _, s := range sales {
		c.landed = append(c.landed, landedSale{s.at.Day(), name})
	}
}

func (c *changes) task() *runner.Task {
	if c.tasks[c.code] == nil {
		c.tasks[c.code] = c.lake.task(c.code.job())
	}
	return c.tasks[c.code]
}

// runs lets a driver publish, and the model the partitions that it should.
func (c *changes) runs(r runner.Request, should func(state window.State, data bool) bool) {
	if c.code != c.current() {
		c.generation++
		c.registered[c.code] = c.generation
	}
	report := c.run(c.task(), r)
	var did, want []string
	for _, o := range report.Outcomes {
		did = append(did, o.Partition.String())
	}
	for n := range c.rowsOf() {
		if state, data, _ := c.standing(n); should(state, data) {
			want = append(want, fmt.Sprintf("2026-03-%02d", n))
			defer func() { c.published[n] = publication{c.code, len(c.landed)} }()
		}
	}
	slices.Sort(did)
	slices.Sort(want)
	if !slices.Equal(did, want) {
		c.t.Fatalf("%s did %v, want %v", r.Driver, did, want)
	}
}

// current is the code of the newest generation.
func (c *changes) current() (newest variant) {
	for v, generation := range c.registered {
		if generation == c.generation {
			newest = v
		}
	}
	return newest
}

// rowsOf lists the positions of each day.
func (c *changes) rowsOf() map[int][]int {
	rows := map[int][]int{}
	for position, s := range c.landed {
		rows[s.day] = append(rows[s.day], position)
	}
	return rows
}

// standing is where the partition of a day stands, whether its data changed, and by
// which positions.
func (c *changes) standing(n int) (state window.State, data bool, news []int) {
	p, published := c.published[n]
	if !published {
		return window.Missing, false, nil
	}
	for _, position := range c.rowsOf()[n] {
		if position >= p.upTo {
			news = append(news, position)
		}
	}
	if len(news) > 0 || p.code != c.code {
		return window.Stale, len(news) > 0, news
	}
	return window.Fresh, false, nil
}

func (c *changes) check() {
	c.t.Helper()
	plan, err := c.task().Overview(c.t.Context())
	must(c.t, err)
	must(c.t, c.task().Explain(c.t.Context(), &plan, false))
	told := map[int]bool{}
	rows := int64(0)
	for _, s := range plan.Tasks {
		told[s.Start.Day()] = true
		rows += s.Input.Rows
		c.checkOne(s)
	}
	for n := range c.rowsOf() {
		if state, _, _ := c.standing(n); told[n] != (state != window.Fresh) {
			c.t.Fatalf("day %d is %s; told: %v", n, state, told[n])
		}
	}
	if plan.Cost.Rows != rows {
		c.t.Fatalf("the plan reads %d rows, want %d", plan.Cost.Rows, rows)
	}
	c.checkOneCode()
}

func (c *changes) checkOne(s window.Status) {
	c.t.Helper()
	n := s.Start.Day()
	state, data, news := c.standing(n)
	old := c.published[n].code
	if s.State != state || s.StaleData != data || s.StaleCode != (state == window.Stale && old != c.code) {
		c.t.Fatalf("day %d is %s, data %v, code %v; want %s, %v", n, s.State, s.StaleData, s.StaleCode, state, data)
	}
	if want := int64(len(c.rowsOf()[n])); s.Why.Cost.Rows != want || s.Why.Cost.Segments == 0 || s.Why.Cost.Bytes == 0 {
		c.t.Fatalf("day %d costs %+v, want %d rows", n, s.Why.Cost, want)
	}
	if data != (len(s.Why.News) == 1) || s.StaleCode != (s.Why.Code != nil) {
		c.t.Fatalf("day %d: %+v", n, s.Why)
	}
	if data {
		c.checkNews(s.Why.News[0], news)
	}
	if s.StaleCode {
		c.checkCode(s.Why.Code, old)
	}
}

func (c *changes) checkNews(told window.News, positions []int) {
	c.t.Helper()
	came := int64(len(positions))
	if told.Rows != came && !(told.AtMost && told.Rows > came && c.merged) || told.From > landing.Position(positions[0]) || told.To <= landing.Position(positions[len(positions)-1]) {
		c.t.Fatalf("came %+v, want the positions %v", told, positions)
	}
	var from []string
	for _, position := range positions {
		if name := c.landed[position].arrival; !slices.Contains(from, name) {
			from = append(from, name)
		}
	}
	if len(told.Names)+told.More < len(from) || !c.merged && len(told.Names)+told.More != len(from) {
		c.t.Fatalf("came from %v and %d more, want %v", told.Names, told.More, from)
	}
	if !c.merged && !slices.Equal(told.Names, from[:min(3, len(from))]) {
		c.t.Fatalf("came from %v, want %v", told.Names, from)
	}
}

func (c *changes) checkCode(told *window.Changed, old variant) {
	c.t.Helper()
	parts := told.Parts()
	slices.Sort(parts)
	want := c.code.differsIn(old)
	slices.Sort(want)
	if !slices.Equal(parts, want) || told.Generation != c.registered[old] {
		c.t.Fatalf("changed since generation %d: %v; want generation %d and %v", told.Generation, parts, c.registered[old], want)
	}
	for _, change := range told.Changes {
		sql := []string{"  SELECT window_start, shop, count(*) AS n,", fmt.Sprintf("- %d::BIGINT AS cents", old.number), fmt.Sprintf("+ %d::BIGINT AS cents", c.code.number), "  FROM sales", "…"}
		if change.Part == "sql" && !slices.Equal(change.Lines, sql) {
			c.t.Fatalf("the SQL changed by %q, want %q", change.Lines, sql)
		}
		if change.Part == "window" && (change.Old != window.FormatDuration(old.size) || change.New != window.FormatDuration(c.code.size)) {
			c.t.Fatalf("the window changed by %+v", change)
		}
	}
}

// checkOneCode looks that all rows of a partition are of the code that its receipt names.
func (c *changes) checkOneCode() {
	c.t.Helper()
	for _, row := range c.rows() {
		fields := strings.Fields(row)
		var n int
		if _, err := fmt.Sscanf(fields[0], "03-%02d", &n); err != nil {
			c.t.Fatal(err)
		}
		if want := fmt.Sprint(c.published[n].code.number); fields[3] != want {
			c.t.Fatalf("a row of day %d is the work of code %s, want %s", n, fields[3], want)
		}
	}
	snapshot, err := c.table.Snapshot(c.t.Context())
	must(c.t, err)
	for _, r := range snapshot.Receipts() {
		if want := c.tasks[c.published[r.Start.Day()].code].Fingerprint(); r.Fingerprint != want {
			c.t.Fatalf("the receipt of %s is of code %s, want %s", r.Partition, r.Fingerprint.Short(), want.Short())
		}
	}
}
