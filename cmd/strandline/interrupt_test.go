package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// slowYAML is a job that is quick, but for a row of more than 5 cents, of which it
// would take hours.
const slowYAML = `lake: ./lake
streams:
  sales:
    format: ndjson
    event_time: {column: at, unit: iso}
    columns: {cents: BIGINT}
jobs:
  slow_daily:
    from: sales
    window: {tumbling: 1h}
    partition: day
    key: [window_start]
    sql: |
      SELECT window_start, count(*) AS n, sum(a % 7 + b % 5 + c % 3)::BIGINT AS steps FROM (
        SELECT *, unnest(range(steps)) AS c FROM (
          SELECT *, unnest(range(steps)) AS b FROM (
            SELECT *, unnest(range(steps)) AS a FROM (
              SELECT *, CASE WHEN cents > 5 THEN 4000 ELSE 1 END AS steps FROM sales))))
      GROUP BY window_start
`

// event is what the tests read of one.
type event struct {
	Event, Partition, State, Error string
	Tasks, Published               int
	LeftOut                        int      `json:"left_out"`
	NotDone                        int      `json:"not_done"`
	Seconds                        *float64 `json:"estimated_seconds"`
}

func eventOf(t *testing.T, line string) (e event) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return e
}

func newSlowProof(t *testing.T) proof {
	t.Helper()
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", slowYAML)
	p.write("a.ndjson", `{"at":"2026-03-01T10:00:00Z","cents":1}
{"at":"2026-03-02T10:00:00Z","cents":2}
{"at":"2026-03-03T10:00:00Z","cents":6}
{"at":"2026-03-04T10:00:00Z","cents":4}
{"at":"2026-03-05T10:00:00Z","cents":5}
`)
	p.good("land", "sales", p.path("a.ndjson"))
	return p
}

// interrupted runs a backfill as a process of its own, which gets a signal when it computes
// the partition that takes hours, and returns its last event.
func (p proof) interrupted(signal os.Signal, args ...string) event {
	p.t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"backfill", "slow_daily", "--json", "--from", "2026-03-01", "--to", "2026-03-06", "-c", p.path("strandline.yaml")}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var notes strings.Builder
	cmd.Stderr = &notes
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	var last event
	for lines := bufio.NewScanner(out); lines.Scan(); {
		last = eventOf(p.t, lines.Text())
		if last.Event == "started" && last.Partition == "2026-03-03" {
			if err := cmd.Process.Signal(signal); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(notes.String(), "stopped by") {
		p.t.Errorf("exit %d, notes\n%s", code, &notes)
	}
	return last
}

// left are the partitions that running it again would compute.
func (p proof) left() (partitions []string) {
	p.t.Helper()
	for line := range strings.Lines(p.good("backfill", "slow_daily", "--json", "--dry-run", "--from", "2026-03-01", "--to", "2026-03-06")) {
		if e := eventOf(p.t, line); e.Event == "" {
			partitions = append(partitions, e.Partition)
		}
	}
	return partitions
}

func TestABackfillInterruptedInTheMiddleOfAStatementKeepsWhatIsPublished(t *testing.T) {
	p := newSlowProof(t)
	last := p.interrupted(syscall.SIGINT, "--parallel", "1")
	if last.Event != "finished" || last.Published != 2 || last.NotDone != 3 || !strings.Contains(last.Error, "interrupt") {
		t.Errorf("the last event is %+v", last)
	}
	if got := p.left(); !slices.Equal(got, []string{"2026-03-03", "2026-03-02", "2026-03-01"}) {
		t.Errorf("left to be done are %v", got)
	}
	p.good("check-lake")
	r := p.good("backfill", "slow_daily", "--from", "2026-03-01", "--to", "2026-03-03")
	if !strings.Contains(r, "2 partitions, 2 published") {
		t.Errorf("the rest: %s", r)
	}
}

// What a new table takes nobody knows, and once something was computed it is told.
func TestADryRunTellsHowLongOnceSomethingTellsIt(t *testing.T) {
	p := newSlowProof(t)
	dry := []string{"backfill", "slow_daily", "--from", "2026-03-01", "--dry-run"}
	seconds := func() *float64 {
		first, _, _ := strings.Cut(p.good(append(dry, "--json")...), "\n")
		return eventOf(t, first).Seconds
	}
	if s := seconds(); s != nil || !strings.Contains(p.good(dry...), "how long that takes is unknown") {
		t.Errorf("a new table takes %v seconds", *s)
	}
	p.good("backfill", "slow_daily", "--partition", "2026-03-01")
	if s := seconds(); s == nil || *s <= 0 || !strings.Contains(p.good(dry...), "by what the last 1 result of this table took") {
		t.Errorf("it says %v seconds after one result", s)
	}
}

func TestAnAtomicBackfillThatIsInterruptedPublishesNothing(t *testing.T) {
	p := newSlowProof(t)
	last := p.interrupted(syscall.SIGTERM, "--parallel", "3", "--atomic")
	if last.Event != "finished" || last.Published != 0 || last.NotDone != 5 {
		t.Errorf("the last event is %+v", last)
	}
	if got := p.left(); len(got) != 5 {
		t.Errorf("left to be done are %v", got)
	}
	p.good("check-lake")
}
