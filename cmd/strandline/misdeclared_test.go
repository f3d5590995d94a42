package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const misdeclaredYAML = `lake: ./lake
streams:
  a: {format: ndjson, event_time: {column: at, unit: iso}, columns: {n: "DECIMAL(18,2)"}}
  b: {format: ndjson, event_time: {column: at, unit: iso}, columns: {n: BIGINT}}
  c: {format: ndjson, event_time: {column: at, unit: iso}, columns: {n: BIGINT}}
jobs:
  of_a: {from: a, window: {tumbling: 1h}, partition: day, key: [window_start], sql: "SELECT window_start, count(*) AS n FROM a GROUP BY window_start"}
  of_b: {from: b, window: {tumbling: 1h}, partition: day, key: [window_start], sql: "SELECT window_start, count(*) AS n FROM b GROUP BY window_start"}
`

// A stream that is declared as its rows do not let it be stops nothing but the jobs that read it.
func TestAMisdeclaredStreamStopsOnlyItsOwnJobs(t *testing.T) {
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", misdeclaredYAML)
	p.write("1.ndjson", `{"at":"2026-03-01T09:00:00Z","n":1}`+"\nnonsense\n")
	for _, stream := range []string{"a", "b", "c"} {
		p.good("land", stream, p.path("1.ndjson"))
	}
	p.good("run", "--once")
	const why = "stream a: column n is DECIMAL(18,2) in rows that have landed, and DECIMAL(18,4) in the configuration"
	const remedy = "declare it as DECIMAL(18,2), or as DECIMAL(20,4), which holds both, or under"
	p.rewrite(`DECIMAL(18,2)`, `DECIMAL(18,4)`)
	p.write("2.ndjson", `{"at":"2026-03-02T09:00:00Z","n":2}`+"\n")
	p.good("land", "b", p.path("2.ndjson"))
	p.bad(exitRefused, remedy, "land", "a", p.path("2.ndjson"))
	r := p.bad(exitRefused, remedy, "run", "--once")
	if strings.Count(r.err, why) != 1 || !strings.Contains(r.out, "of_b  2026-03-02     published") || !strings.Contains(r.out, "of_a: 1 partition, of which none can be computed as its stream is declared\n") {
		t.Errorf("run --once says\n%s%s", r.out, r.err)
	}
	for command, want := range map[string]string{
		"status": "table of_b: version 3, 2 rows", "status of_a": "2026-03-01", "plan": "of_b at position 2 of stream b: 2 partitions, 2 fresh",
		"arrivals a": "1 row, 1 reject", "rejects a": "nonsense", "held": "nothing is held", "late": "", "validate": why,
	} {
		r := p.bad(exitDone, want, strings.Fields(command)...)
		if told := strings.Count(r.err, why); told > 1 || told == 0 && (strings.HasPrefix(command, "status") || command == "plan") {
			t.Errorf("%s tells it %d times:\n%s", command, told, r.err)
		}
	}
	for _, command := range []string{"verify of_a", "reconcile of_a", "backfill of_a --from 2026-03-01 --recompute", "backfill of_a --rebuild", "backfill of_a --from 2026-03-01 --dry-run", "replay of_a --from-position 0"} {
		p.bad(exitRefused, remedy, strings.Fields(command)...)
	}
	for _, command := range []string{"verify of_b", "reconcile of_b", "backfill of_b --from 2026-03-01 --recompute"} {
		p.good(strings.Fields(command)...)
	}
	p.rewrite("c: {format: ndjson, event_time: {column: at, unit: iso}, columns: {n: BIGINT}}", "c: {format: ndjson, event_time: {column: at, unit: ms}, columns: {n: BIGINT}}")
	if r := p.bad(exitDone, "note: stream c: its event time is ", "status"); strings.Count(r.err, "stream c: ") != 1 {
		t.Errorf("of a stream without a job status says\n%s", r.err)
	}
}

// What is lost in the lake is told with what to do about it, once.
func TestALostSegmentIsToldWithWhatToDo(t *testing.T) {
	p := newProof(t)
	before, err := filepath.Glob(p.path("lake/landing/sales/data/*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	p.write("c.ndjson", `{"at":"2026-03-03T10:00:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	all, err := filepath.Glob(p.path("lake/landing/sales/data/*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if !slices.Contains(before, path) {
			p.remove(path)
		}
	}
	const told = "what it is computed from is lost or damaged in the lake (strandline check-lake says what to restore)"
	p.bad(exitSomeFailed, "of 1 partition 1 failed, the first is 2026-03-03: fetch segments of stream sales: "+told, "backfill", "sales_hourly", "--from", "2026-03-03", "--to", "2026-03-04")
	p.bad(exitSomeFailed, "strandline: some partitions are not published: 1 partition; restore what strandline check-lake names from a copy of the lake, and run it again\n", "run", "--once")
}
