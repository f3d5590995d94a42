package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const inputsYAML = `lake: ./lake
streams:
  orders: {format: ndjson, event_time: {column: at, unit: iso}, columns: {id: VARCHAR, airport: VARCHAR, cents: BIGINT}}
  payments: {format: ndjson, event_time: {column: at, unit: iso}, columns: {id: VARCHAR}}
jobs:
  daily:
    from: hourly
    lookups: {airports: {file: ./airports.csv, columns: {iata: VARCHAR, city: VARCHAR}}}
    window: {tumbling: 1d}
    partition: day
    key: [window_start, city]
    sql: SELECT window_start, coalesce(city, airport) AS city, sum(cents)::BIGINT AS cents FROM hourly LEFT JOIN airports ON iata = airport GROUP BY ALL
  hourly:
    from: orders
    window: {tumbling: 1h}
    partition: day
    key: [window_start, airport]
    sql: SELECT window_start, airport, sum(cents)::BIGINT AS cents FROM orders GROUP BY ALL
  paid:
    from: {orders: {}, payments: {after: 2d}}
    window: none
    partition: day
    key: [id]
    sql: |
      SELECT o.event_time, o.id, count(p.id) AS payments
      FROM orders o LEFT JOIN payments p ON p.id = o.id AND p.event_time < o.event_time + INTERVAL 2 DAY
      GROUP BY ALL
`

// Another process goes on from a table, and knows nothing of the streams.
const downstreamYAML = `lake: ./lake
tables: [hourly]
jobs:
  busy:
    from: hourly
    window: {session: 2h, max: 1d, by: [airport]}
    partition: day
    key: [window_start, airport]
    sql: SELECT window_start, window_end, airport, sum(cents)::BIGINT AS cents FROM hourly GROUP BY ALL
`

func newInputsWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, "lake: ./lake\n", 11)
	w.write("strandline.yaml", inputsYAML)
	w.write("downstream.yaml", downstreamYAML)
	w.write("airports.csv", "iata,city\nZRH,Zurich\n")
	w.landIn("orders",
		`{"id":"1","at":"2026-03-01T22:10:00Z","airport":"ZRH","cents":100}`,
		`{"id":"2","at":"2026-03-01T23:20:00Z","airport":"ZRH","cents":10}`,
		`{"id":"3","at":"2026-03-02T00:30:00Z","airport":"ZRH","cents":1}`,
		`{"id":"4","at":"2026-03-02T09:00:00Z","airport":"LHR","cents":5}`)
	return w
}

func (w *world) write(file, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, file), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) landIn(stream string, lines ...string) {
	w.t.Helper()
	w.write("next.ndjson", strings.Join(lines, "\n")+"\n")
	w.run("land", stream, filepath.Join(w.dir, "next.ndjson"))
}

func (w *world) table(sql string, want ...string) {
	w.t.Helper()
	got := strings.Split(strings.TrimSpace(w.run("query", "--format", "csv", sql)), "\n")[1:]
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Errorf("%s\ngot  %q\nwant %q", sql, got, want)
	}
}

func TestAChainWithALookupIsSettledByOneRun(t *testing.T) {
	w := newInputsWorld(t)
	w.run("run", "--once")
	w.table("SELECT strftime(window_start, '%d') AS day, city, cents FROM daily ORDER BY ALL", "01,Zurich,110", "02,LHR,5", "02,Zurich,1")
	w.landIn("orders", `{"id":"5","at":"2026-03-02T10:00:00Z","airport":"LHR","cents":50}`)
	w.wants(w.run("run", "--once"), "daily  2026-03-02", "hourly  2026-03-02")
	// Another content of the lookup is other code, which a person renews; the file may go.
	w.write("airports.csv", "iata,city\nZRH,Zurich\nLHR,London\n")
	w.wants(w.run("plan", "daily"), "2 of old code", "lookup airports: ")
	w.run("backfill", "daily", "--stale")
	if err := os.Remove(filepath.Join(w.dir, "airports.csv")); err != nil {
		t.Fatal(err)
	}
	w.table("SELECT strftime(window_start, '%d') AS day, city, cents FROM daily ORDER BY ALL", "01,Zurich,110", "02,London,55", "02,Zurich,1")
	w.wants(w.run("verify", "daily"), "2 reproduced")
	w.run("check-lake", "--deep")
}

func TestRowsBesideAPartitionAreJoined(t *testing.T) {
	w := newInputsWorld(t)
	w.landIn("payments", `{"id":"2","at":"2026-03-03T00:00:00Z"}`, `{"id":"1","at":"2026-03-03T23:00:00Z"}`, `{"id":"4","at":"2026-03-02T10:00:00Z"}`)
	w.run("run", "--once")
	w.table("SELECT id, payments FROM paid ORDER BY id", "1,0", "2,1", "3,0", "4,1")
	w.landIn("payments", `{"id":"2","at":"2026-03-03T23:19:00Z"}`)
	w.wants(w.run("plan", "paid"), "2026-03-01  ", "1 row of payments", "2026-03-02  ")
	w.run("run", "--once")
	w.table("SELECT id, payments FROM paid WHERE id = '2'", "2,2")
	w.wants(w.run("verify", "paid"), "0 differ")
}

func TestAnotherProcessGoesOnFromATable(t *testing.T) {
	w := newInputsWorld(t)
	w.wants(w.exits(1, "-c", "downstream.yaml", "run", "--once"), "table hourly", "start its own job first")
	w.run("run", "--once")
	w.run("-c", "downstream.yaml", "run", "--once")
	query := "SELECT strftime(window_start, '%dT%H') AS since, airport, cents FROM busy ORDER BY ALL"
	got := w.run("-c", "downstream.yaml", "query", "--format", "csv", query)
	w.wants(got, "01T22,ZRH,111", "02T09,LHR,5") // a session over midnight
	w.landIn("orders", `{"id":"6","at":"2026-03-02T01:00:00Z","airport":"ZRH","cents":1000}`)
	w.run("run", "--once")
	w.run("-c", "downstream.yaml", "run", "--once")
	w.wants(w.run("-c", "downstream.yaml", "query", "--format", "csv", query), "01T22,ZRH,1111")
	w.wants(w.run("-c", "downstream.yaml", "verify", "busy"), "0 differ")
	// A rebuild with other types is other code for who reads the table.
	w.write("strandline.yaml", strings.ReplaceAll(inputsYAML, "airport, sum(cents)::BIGINT", "airport, sum(cents)::DECIMAL(18,2)"))
	w.run("backfill", "hourly", "--rebuild")
	w.wants(w.run("-c", "downstream.yaml", "plan"), "column hourly.cents: BIGINT → DECIMAL(18,2)", "table hourly at version")
	w.run("-c", "downstream.yaml", "run", "--once")
	w.wants(w.run("-c", "downstream.yaml", "query", "--format", "csv", query), "01T22,ZRH,1111")
}
