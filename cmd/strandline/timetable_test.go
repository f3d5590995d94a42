package main

import (
	"io"
	"strings"
	"testing"
	"time"
)

const scheduledYAML = proveYAML + `    schedule: {every: day, at: "03:00", zone: Europe/Berlin, last: 3d}
  shops_daily:
    from: sales_hourly
    window: {tumbling: 1d}
    partition: day
    key: [window_start]
    sql: SELECT window_start, sum(cents)::BIGINT AS cents FROM sales_hourly GROUP BY ALL
    schedule: {every: day, at: "03:00", zone: Europe/Berlin, last: 3d}
`

// process is one that keeps the schedules, with a clock of its own.
type process struct {
	t   *testing.T
	now time.Time
	*timetable
	submitted []submittedDue
}

func (p proof) process(now string) *process {
	p.t.Helper()
	a := &app{out: io.Discard, err: io.Discard, env: func(string) (string, bool) { return "", false }, configPath: p.path("strandline.yaml")}
	l, err := a.writeLake(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if err := l.Close(); err != nil {
			p.t.Error(err)
		}
	})
	tasks, err := l.allTasks(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	q := &process{t: p.t}
	q.timetable = newTimetable(l, tasks, func() time.Time { return q.now }, func(f submittedDue) { q.submitted = append(q.submitted, f) })
	q.at(now)
	return q
}

// at looks at the clock, which shows a time, and returns what was done.
func (p *process) at(now string) string {
	p.t.Helper()
	var err error
	if p.now, err = time.Parse(time.RFC3339, now); err != nil {
		p.t.Fatal(err)
	}
	p.submitted = nil
	if _, err := p.round(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	var lines []string
	for _, f := range p.submitted {
		line := f.line()
		if f.Request != "" {
			_, line, _ = strings.Cut(line, ": ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

const dueBerlin = "by schedule every day at 03:00 Europe/Berlin: what is not fresh of the last 3d, newest first, due "

func TestWhatIsScheduledIsSubmittedOnceByAllProcesses(t *testing.T) {
	p := newProof(t)
	p.write("strandline.yaml", scheduledYAML)
	p.good("run", "--once")
	p.write("c.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))

	one, other := p.process("2026-03-01T20:00:00Z"), p.process("2026-03-01T20:05:00Z")
	if got := one.at("2026-03-02T01:59:59Z"); got != "" {
		t.Fatalf("a schedule begins when it is first seen, and did\n%s", got)
	}
	// Nobody looks for a while: the latest time that was missed is made up.
	if got, want := one.at("2026-03-04T02:00:00Z"), "1 partition of sales_hourly, "+dueBerlin+"2026-03-04T02:00:00Z"; got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	for _, c := range []struct {
		p   *process
		now string
	}{{other, "2026-03-04T02:00:01Z"}, {one, "2026-03-04T03:00:00Z"}, {one, "2026-03-03T02:30:00Z"}, {other, "2026-03-04T02:00:00Z"}, {p.process("2026-03-04T02:01:00Z"), "2026-03-04T02:02:00Z"}} {
		if got := c.p.at(c.now); got != "" {
			t.Errorf("at %s it was done again:\n%s", c.now, got)
		}
	}
	list := p.good("backfill", "list")
	if strings.Count(list, "\n") != 1 || !strings.Contains(list, "by schedule every day at 03:00 Europe/Berlin, due 2026-03-04T02:00:00Z") {
		t.Errorf("listed is\n%s", list)
	}
	// The job that reads its table waits for the request, and then reads what it published.
	p.good("worker", "--once")
	if got, want := other.at("2026-03-04T02:10:00Z"), "1 partition of shops_daily, "+dueBerlin+"2026-03-04T02:00:00Z"; got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	p.good("worker", "--once")
	if out := p.good("status"); strings.Contains(out, "stale") {
		t.Errorf("after both:\n%s", out)
	}
	if got, want := one.at("2026-03-05T02:00:00Z"), "sales_hourly: nothing is to be computed, "+dueBerlin+"2026-03-05T02:00:00Z\nshops_daily: nothing is to be computed, "+dueBerlin+"2026-03-05T02:00:00Z"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := one.at("2026-03-06T02:00:00Z"); got != "" {
		t.Errorf("that nothing is to be computed is told once more:\n%s", got)
	}
	if list := p.good("backfill", "list"); strings.Count(list, "\n") != 2 {
		t.Errorf("listed is\n%s", list)
	}
	for _, want := range []string{"sales_hourly", "last 2026-03-06T02:00:00Z: nothing was to be submitted\n", "next 20"} {
		if out := p.good("schedules"); !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestAChangedScheduleIsANewOne(t *testing.T) {
	p := newProof(t)
	p.write("strandline.yaml", scheduledYAML)
	p.good("run", "--once")
	p.write("c.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	p.process("2026-03-01T20:00:00Z")
	p.write("strandline.yaml", strings.ReplaceAll(scheduledYAML, "last: 3d", "last: 4d"))
	if got := p.process("2026-03-04T10:00:00Z").at("2026-03-05T01:00:00Z"); got != "" {
		t.Errorf("of before it was seen:\n%s", got)
	}
}

func TestAProcessThatWasReplacedSubmitsNothing(t *testing.T) {
	p := newProof(t)
	p.write("strandline.yaml", scheduledYAML)
	p.good("run", "--once")
	p.write("c.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	old := p.process("2026-03-01T20:00:00Z")
	p.write("strandline.yaml", strings.Replace(scheduledYAML, "count(*) AS n", "count(*) + 1 AS n", 1))
	p.good("run", "--once")
	if got := old.at("2026-03-04T10:00:00Z"); got != "" {
		t.Errorf("it did\n%s", got)
	}
	if got := p.process("2026-03-01T20:00:00Z").at("2026-03-04T10:00:00Z"); !strings.Contains(got, "of sales_hourly") {
		t.Errorf("the other did\n%s", got)
	}
}

// What a request under way is to do is not submitted once more when it is due.
func TestWhatIsDueWhileItIsUnderWayIsNotSubmittedAgain(t *testing.T) {
	p, one := newScheduled(t, scheduledYAML)
	p.good("backfill", "submit", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-06")
	p.good("backfill", "sales_hourly", "--from", "2026-03-03", "--to", "2026-03-04")
	got := one.at("2026-03-05T02:00:00Z")
	if want := "1 partition of sales_hourly, " + dueBerlin + "2026-03-05T02:00:00Z"; got != want || !one.submitted[0].Already || !strings.Contains(one.submitted[0].line(), " does this already: ") {
		t.Errorf("got\n%s\n%+v", got, one.submitted)
	}
	if list := p.good("backfill", "list"); strings.Count(list, "\n") != 1 {
		t.Errorf("listed is\n%s", list)
	}
	if got := one.at("2026-03-05T02:10:00Z"); got != "" {
		t.Errorf("it was dealt with, and again:\n%s", got)
	}
}

// newScheduled has sales of two days that are not published, and a process that has seen the schedules.
func newScheduled(t *testing.T, config string) (proof, *process) {
	t.Helper()
	p := newProof(t)
	p.write("strandline.yaml", config)
	p.good("run", "--once")
	p.lands("2026-03-03T10:00:00Z", "2026-03-04T10:00:00Z")
	return p, p.process("2026-03-03T20:00:00Z")
}

func (p proof) lands(times ...string) {
	p.t.Helper()
	text := ""
	for _, at := range times {
		text += `{"at":"` + at + `","shop":"x","cents":1}` + "\n"
	}
	p.write("rows.ndjson", text)
	p.good("land", "sales", p.path("rows.ndjson"))
}

// A schedule whose work takes longer than its period has one request under way, however many rows land meanwhile,
// and what was due is made up once when that has ended.
func TestAScheduleHasOneRequestUnderWay(t *testing.T) {
	config := strings.Replace(scheduledYAML, "last: 3d}", "last: 3d, recompute: true}", 1)
	p, one := newScheduled(t, config)
	if got := one.at("2026-03-04T02:00:00Z"); !strings.Contains(got, "4 partitions of sales_hourly") {
		t.Fatal(got)
	}
	first := one.submitted[0].Request
	other := p.process("2026-03-04T02:00:00Z")
	p.lands("2026-03-04T11:00:00Z")
	for _, q := range []*process{one, other} { // each of which tells its people once
		q.at("2026-03-05T02:00:00Z")
		if len(q.submitted) != 1 || !q.submitted[0].Waits || q.submitted[0].Request != first || !strings.Contains(q.submitted[0].line(), "waits until request "+first[:8]+" has ended") {
			t.Fatalf("when it is due beside its own request: %+v", q.submitted)
		}
		if got := q.at("2026-03-06T02:00:00Z"); got != "" {
			t.Errorf("that it waits is told once more:\n%s", got)
		}
	}
	if list := p.good("backfill", "list"); strings.Count(list, "\n") != 1 {
		t.Errorf("listed is\n%s", list)
	}
	p.good("backfill", "pause", first)
	if got := one.at("2026-03-06T03:00:00Z"); !strings.Contains(got, "shops_daily") || strings.Contains(got, "of sales_hourly, ") {
		t.Errorf("a paused request keeps its own schedule waiting, and nobody else:\n%s", got)
	}
	if out := p.good("schedules", "sales_hourly"); !strings.Contains(out, ": waits until request "+first[:8]+", which is paused, has ended, and is made up once then\n") {
		t.Errorf("schedules says\n%s", out)
	}
	p.good("backfill", "resume", first)
	p.good("worker", "--once")
	if got := one.at("2026-03-06T04:00:00Z"); !strings.Contains(got, "of sales_hourly, ") || !strings.Contains(got, "due 2026-03-06T02:00:00Z") {
		t.Errorf("what was missed is not made up:\n%s", got)
	}
	if got := one.at("2026-03-06T05:00:00Z"); got != "" {
		t.Errorf("what was made up is done again:\n%s", got)
	}
	if out := p.good("schedules", "sales_hourly"); strings.Contains(out, first[:8]) {
		t.Errorf("schedules says\n%s", out)
	}
}

// Of two processes that come upon two times of a schedule at once, one submits.
func TestAScheduleHasOneRequestUnderWayWhoeverIsFirst(t *testing.T) {
	p, one := newScheduled(t, scheduledYAML)
	other := p.process("2026-03-03T20:00:00Z")
	one.at("2026-03-04T02:00:00Z")
	p.lands("2026-03-04T11:00:00Z")
	at, err := time.Parse(time.RFC3339, "2026-03-05T02:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	other.now = at
	if waits, err := other.submit(t.Context(), other.entries[0], at); err != nil || !waits { // as it looked before
		t.Fatalf("it waits: %t, %v", waits, err)
	}
	if list := p.good("backfill", "list"); strings.Count(list, "\n") != 1 {
		t.Errorf("listed is\n%s", list)
	}
}

// Of processes that look at the same time, only the one whose entry it is tells of it.
func TestOnlyWhoSubmitsWhatIsDueTellsOfIt(t *testing.T) {
	p := newProof(t)
	p.write("strandline.yaml", scheduledYAML)
	p.good("run", "--once")
	p.write("c.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	one, other := p.process("2026-03-01T20:00:00Z"), p.process("2026-03-01T20:00:00Z")
	for _, due := range []string{"2026-03-04T02:00:00Z", "2026-03-05T02:00:00Z"} { // with something, and with nothing to compute
		if one.at(due) == "" {
			t.Fatalf("nothing was told of what was due at %s", due)
		}
		at, err := time.Parse(time.RFC3339, due)
		if err != nil {
			t.Fatal(err)
		}
		other.submitted, other.now = nil, at
		if _, err := other.submit(t.Context(), other.entries[0], at); err != nil { // as it looked before
			t.Fatal(err)
		}
		if len(other.submitted) > 0 {
			t.Errorf("another process tells of it too: %+v", other.submitted)
		}
		p.good("worker", "--once")
	}
}
