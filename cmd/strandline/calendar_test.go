package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const calendarYAML = `lake: ./lake
streams:
  readings:
    format: ndjson
    event_time: {column: at, unit: iso, zone: Europe/Berlin, twice: later}
    columns: {id: BIGINT}
jobs:
  by_hour:
    from: readings
    window: {tumbling: 1h}
    partition: day
    timezone: Europe/Berlin
    key: [window_start]
    sql: SELECT window_start, window_end, count(*) AS n FROM readings GROUP BY window_start, window_end
  by_week:
    from: readings
    window: {tumbling: week}
    partition: week
    timezone: Europe/Berlin
    key: [window_start]
    sql: SELECT window_start, window_end, count(*) AS n FROM readings GROUP BY window_start, window_end
  each:
    from: readings
    window: none
    partition: hour
    timezone: Australia/Lord_Howe
    key: [id]
    sql: SELECT id, event_time, event_time AT TIME ZONE 'Australia/Lord_Howe' AS shown FROM readings
`

// Over both changes of the clocks: each event is in one partition of each table and in
// one window, and days have 23 and 25 hours.
func TestDaysOfAZoneNeitherLoseNorDoubleAnHour(t *testing.T) {
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", strings.Replace(calendarYAML, "partition: hour", "partition: month", 1))
	n := p.landReadings("2026-03-28T00:00:00Z", "2026-03-30T23:00:00Z", 0)
	n += p.landReadings("2026-10-24T00:00:00Z", "2026-10-27T00:00:00Z", n)
	p.good("run", "--once")

	for _, table := range []string{"by_hour", "by_week", "each"} {
		sum := map[bool]string{true: "count(DISTINCT id)", false: "sum(n)"}[table == "each"]
		got := p.good("query", fmt.Sprintf("SELECT %s::BIGINT AS events FROM %s", sum, table), "--format", "csv")
		if want := fmt.Sprintf("events\n%d\n", n); got != want {
			t.Errorf("%s has %q, want %q", table, got, want)
		}
		p.good("verify", table)
	}
	for day, want := range map[string]string{
		"2026-03-29": "2026-03-28T23:00:00Z,2026-03-29T22:00:00Z,23,138\n", "2026-03-30": "2026-03-29T22:00:00Z,2026-03-30T22:00:00Z,24,144\n",
		"2026-10-25": "2026-10-24T22:00:00Z,2026-10-25T23:00:00Z,25,150\n", "2026-10-26": "2026-10-25T23:00:00Z,2026-10-26T23:00:00Z,24,144\n",
	} {
		from, to, _ := strings.Cut(want, ",")
		to, _, _ = strings.Cut(to, ",")
		got := p.good("query", fmt.Sprintf("SELECT min(window_start), max(window_end), count(*), sum(n) FROM by_hour WHERE window_start >= '%s' AND window_start < '%s'", from, to), "--format", "csv")
		if _, got, _ = strings.Cut(got, "\n"); got != want {
			t.Errorf("%s has %q, want %q", day, got, want)
		}
		if out := p.good("receipt", "by_hour", day); !strings.Contains(out, from[:16]) || !strings.Contains(out, to[:16]) {
			t.Errorf("the receipt of %s does not tell from %s to %s:\n%s", day, from, to, out)
		}
	}
	p.good("receipt", "by_week", "2026-W43")
	p.good("receipt", "each", "2026-10")
	p.good("check-lake")
	p.good("backfill", "by_hour", "--from", "2026-10-25", "--to", "2026-10-26", "--recompute")
	p.good("backfill", "by_hour", "--from", "2026-10-24T22:00Z", "--to", "2026-10-25T23:00:00Z", "--recompute")
	p.good("backfill", "by_week", "--from", "2026-W43", "--to", "2026-W44", "--recompute")
	p.bad(exitUsage, "cuts the partition 2026-10-25, which is [2026-10-24T22:00:00Z, 2026-10-25T23:00:00Z)",
		"backfill", "by_hour", "--from", "2026-10-25T00:00:00Z", "--to", "2026-10-26")
}

// landReadings lands an event each 10 minutes, and returns how many.
func (p proof) landReadings(from, to string, id int) (n int) {
	p.t.Helper()
	at, err := time.Parse(time.RFC3339, from)
	if err != nil {
		p.t.Fatal(err)
	}
	var lines strings.Builder
	for ; at.Format(time.RFC3339) < to; at = at.Add(10 * time.Minute) {
		fmt.Fprintf(&lines, `{"at":"%s","id":%d}`+"\n", at.Format(time.RFC3339), id+n)
		n++
	}
	p.write("readings.ndjson", lines.String())
	p.good("land", "readings", p.path("readings.ndjson"))
	return n
}

func TestLocalTimesLandAsDeclaredAndForGood(t *testing.T) {
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", calendarYAML)
	p.write("local.ndjson", `{"at":"2026-10-25T02:30:00","id":1}
{"at":"2026-10-25T02:30:00+02:00","id":2}
{"at":"2026-03-29T02:30:00","id":3}
`)
	p.good("land", "readings", p.path("local.ndjson"))
	p.good("run", "--once")
	got := p.good("query", "SELECT id, event_time FROM each ORDER BY id", "--format", "csv")
	if want := "id,event_time\n1,2026-10-25T01:30:00Z\n2,2026-10-25T00:30:00Z\n3,2026-03-29T01:30:00Z\n"; got != want {
		t.Errorf("landed %q, want %q", got, want)
	}
	p.good("receipt", "each", "2026-10-25T00:00Z")
	p.good("backfill", "each", "--from", "2026-10-25T00:00Z", "--to", "2026-10-25T01:00Z")
	p.write("strandline.yaml", strings.Replace(calendarYAML, ", twice: later", "", 1))
	p.write("more.ndjson", `{"at":"2026-10-25T02:30:00","id":4}`+"\n")
	p.bad(exitRefused, `"at" in iso of zone Europe/Berlin, twice: later`, "land", "readings", p.path("more.ndjson"))
}
