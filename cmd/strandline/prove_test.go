package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

const proveYAML = `lake: ./lake
streams:
  sales:
    format: ndjson
    event_time: {column: at, unit: iso}
    columns: {shop: VARCHAR, cents: BIGINT}
jobs:
  sales_hourly:
    from: sales
    window: {tumbling: 1h}
    partition: day
    key: [window_start, shop]
    sql: SELECT window_start, coalesce(shop, '-') AS shop, count(*) AS n, sum(cents)::BIGINT AS cents FROM sales GROUP BY ALL
`

// proof is a folder with a configuration, two days landed and published.
type proof struct {
	t   *testing.T
	dir string
}

func newProof(t *testing.T) proof { return newProofIn(t, t.TempDir(), proveYAML) }

// newProofIn has it in a folder of that name.
func newProofIn(t *testing.T, dir, yaml string) proof {
	t.Helper()
	p := proof{t, dir}
	p.write("strandline.yaml", yaml)
	p.write("a.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":5}
{"at":"2026-03-01T10:30:00Z","shop":"it's","cents":7}
{"at":"2026-03-02T11:00:00Z","shop":"x","cents":9,"more":[1]}
`)
	p.write("b.ndjson", `{"at":"2026-03-01T23:59:59Z","shop":null,"cents":-1}
{"at":"2026-03-02T00:00:00Z","shop":"y","cents":1}
`)
	p.good("land", "sales", p.path("a.ndjson"))
	p.good("land", "sales", p.path("b.ndjson"))
	p.good("backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03")
	return p
}

func (p proof) path(name string) string { return filepath.Join(p.dir, name) }

func (p proof) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p proof) run(args ...string) result {
	p.t.Helper()
	return strandline(p.t, append(args, "-c", p.path("strandline.yaml"))...)
}

func (p proof) good(args ...string) string {
	p.t.Helper()
	r := p.run(args...)
	if r.code != exitDone {
		p.t.Fatalf("%v: exit %d\n%s%s", args, r.code, r.out, r.err)
	}
	return r.out
}

// bad runs a command line that must exit with a code and say something.
func (p proof) bad(code int, says string, args ...string) result {
	p.t.Helper()
	r := p.run(args...)
	if r.code != code || !strings.Contains(r.out+r.err, says) {
		p.t.Errorf("%v: exit %d, want %d with %q\n%s%s", args, r.code, code, says, r.out, r.err)
	}
	return r
}

func (p proof) store() objstore.Store {
	p.t.Helper()
	store, err := objstore.OpenFolder(p.path("lake"))
	if err != nil {
		p.t.Fatal(err)
	}
	return store
}

func (p proof) table() (*manifests.Table, *manifests.Snapshot) {
	p.t.Helper()
	table := manifests.Open(p.store(), "sales_hourly", manifests.Options{Writer: "test"})
	snapshot, err := table.Snapshot(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return table, snapshot
}

func TestVerifyTellsByItsExitCode(t *testing.T) {
	p := newProof(t)
	for _, want := range []string{"2 of 2 published partitions, seed ", "2026-03-01     reproduced", "2 reproduced, 0 stale, 0 differ"} {
		if out := p.good("verify", "sales_hourly"); !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := p.good("verify", "sales_hourly", "--from", "2026-03-02", "--to", "2026-03-03"); strings.Contains(out, "2026-03-01") {
		t.Errorf("a range verifies\n%s", out)
	}
	p.bad(exitUsage, "give both ends", "verify", "sales_hourly", "--from", "2026-03-02")
	p.bad(exitUsage, "cuts the partition", "verify", "sales_hourly", "--from", "2026-03-02T01", "--to", "2026-03-03")
	p.bad(exitUsage, "--parallel", "verify", "sales_hourly", "--parallel", "0")

	one := p.good("verify", "sales_hourly", "--sample", "1", "--seed", "7")
	if one != p.good("verify", "sales_hourly", "--sample", "1", "--seed", "7") || strings.Count(one, "reproduced  ") != 1 {
		t.Errorf("a sample of one by seed:\n%s", one)
	}
	var fact struct {
		Partition, Start, End, State, Finding string
		Receipt                               *manifests.Receipt
		Seed                                  uint64
	}
	line, _, _ := strings.Cut(p.good("verify", "sales_hourly", "--json", "--seed", "7"), "\n")
	if err := json.Unmarshal([]byte(line), &fact); err != nil || fact.Finding != "reproduced" || fact.State != "fresh" || fact.Seed != 7 || fact.Receipt == nil || fact.Partition != "2026-03-01" {
		t.Errorf("%v: %s", err, line)
	}

	_, snapshot := p.table()
	r, _ := snapshot.Receipt("2026-03-01")
	file := p.path("lake/" + manifests.DataKey("sales_hourly", r.Partition, r.Files[0].ID))
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p.harm(file, append(bytes.Clone(body), 0))
	p.bad(exitFailed, "1 differs: non-deterministic or corrupt; the first is 2026-03-01", "verify", "sales_hourly")
	p.harm(file, body)
	segments, err := filepath.Glob(p.path("lake/landing/sales/data/*.parquet"))
	if err != nil || len(segments) != 2 {
		t.Fatal(segments, err)
	}
	if err := os.Remove(segments[0]); err != nil {
		t.Fatal(err)
	}
	p.bad(exitFailed, "2 are not recomputable, so nothing was proved of them", "verify", "sales_hourly")
	p.bad(exitFailed, "of 1 partition, 1 is not recomputable, so nothing was proved of it; the first", "verify", "sales_hourly", "--from", "2026-03-02", "--to", "2026-03-03")
	p.bad(exitFailed, filepath.Base(segments[0]), "verify", "sales_hourly")
}

func (p proof) harm(path string, body []byte) {
	p.t.Helper()
	if err := os.WriteFile(path, body, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func TestReconcileTellsWhatStalenessDoesNotExplain(t *testing.T) {
	p := newProof(t)
	if out := p.good("reconcile", "sales_hourly"); !strings.Contains(out, "5 equal 0 only left 0 only right 0 changed") {
		t.Errorf("fresh:\n%s", out)
	}
	p.write("c.ndjson", `{"at":"2026-03-02T11:00:00Z","shop":"x","cents":100}`+"\n"+`{"at":"2026-03-02T11:00:00Z","shop":"z","cents":3}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	out := p.good("reconcile", "sales_hourly")
	for _, want := range []string{
		"(data changed)", "1 equal       0 only left       1 only right       1 changed",
		"changed     (window_start=2026-03-02 11:00:00+00, shop=x): n 1 → 2, cents 9 → 109",
		"only right  (window_start=2026-03-02 11:00:00+00, shop=z): n 1, cents 3",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := p.good("reconcile", "sales_hourly", "--limit", "1"); !strings.Contains(out, "… 1 row that differs is not shown") {
		t.Errorf("with a limit:\n%s", out)
	}
	var last runner.Reconciliation
	lines := strings.Split(strings.TrimSpace(p.good("reconcile", "sales_hourly", "--series", "--json")), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || len(lines) != 3 || last.Changed != 1 || last.Equal != 4 || last.Stale != 1 || last.Unexplained != 0 {
		t.Errorf("series: %v %+v\n%v", err, last, lines)
	}
	p.bad(exitUsage, "series", "reconcile", "sales_hourly", "--series", "--from", "2026-03-01")
}

// What could not be compared is no row that differs, and no wrong command line.
func TestAPartitionThatWasNotComparedIsCountedAsThatAlone(t *testing.T) {
	results := []runner.Reconciled{
		{Counts: runner.Counts{Equal: 3}, Status: window.Status{Receipt: &manifests.Receipt{}}},
		{Counts: runner.Counts{Changed: 4}, Err: fmt.Errorf("a published file was removed: %w", manifests.ErrExpired)},
	}
	r := tally("totals", window.Plan{}, 1, nil, results)
	if r.Counts != (runner.Counts{Equal: 3}) || r.Failed != 1 || r.Partitions != 2 || r.Stale != 0 || r.Unexplained != 0 {
		t.Errorf("counted %+v", r)
	}
	if err := notReconciled(r, results); exitCode(err) != exitFailed || !strings.Contains(err.Error(), "1 partition could not be compared") {
		t.Errorf("exit %d: %v", exitCode(err), err)
	}
}

// forge has the table say, in a log that is whole, that the same input and
// code once gave other rows: that is what a job that is not deterministic
// leaves behind.
func (p proof) forge() {
	p.t.Helper()
	_, was := p.table()
	if err := os.RemoveAll(p.path("lake/tables/sales_hourly/log")); err != nil {
		p.t.Fatal(err)
	}
	table, _ := p.table()
	generation, err := table.Register(p.t.Context(), manifests.DriverStream, was.Definition)
	if err != nil {
		p.t.Fatal(err)
	}
	receipts := was.Receipts()
	receipts[0].RowDigest.Lo++
	if _, err := table.Publish(p.t.Context(), manifests.Proposal{Driver: manifests.DriverStream, Generation: generation, Receipts: receipts}); err != nil {
		p.t.Fatal(err)
	}
}

func TestAResultOfTheSameInputAndCodeWithOtherRowsIsRefusedCountedAndShown(t *testing.T) {
	p := newProof(t)
	p.forge()
	_, before := p.table()
	r := p.bad(exitRefused, "non-deterministic", "backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03", "--recompute")
	if !strings.Contains(r.out, "1 unchanged, 0 superseded") || !strings.Contains(r.err, "partition 2026-03-01 of sales_hourly") {
		t.Errorf("the backfill says\n%s%s", r.out, r.err)
	}
	if _, after := p.table(); !slices.EqualFunc(before.Receipts(), after.Receipts(), manifests.Receipt.SameOutput) {
		t.Error("what was published has changed")
	}
	p.bad(exitRefused, "non-deterministic", "replay", "sales_hourly", "--from-position", "0")
	if out := p.good("status"); !strings.Contains(out, "1 failed") || !strings.Contains(out, "2 results refused as non-deterministic") {
		t.Errorf("status says\n%s", out)
	}
	if out := p.good("status", "sales_hourly"); !strings.Contains(out, "2026-03-01     failed") || !strings.Contains(out, "non-deterministic: the same input and code made 3 rows with digest") {
		t.Errorf("status of the table says\n%s", out)
	}
	if out := p.good("status", "--json"); !strings.Contains(out, `"refused_non_deterministic":2`) {
		t.Errorf("status --json says\n%s", out)
	}
	if out := p.good("history", "sales_hourly"); strings.Count(out, "1 result refused as non-deterministic: 2026-03-01") != 2 {
		t.Errorf("history says\n%s", out)
	}
	p.bad(exitFailed, "the files hold", "verify", "sales_hourly")
}

func TestAReceiptIsShownWithAllItWasComputedFrom(t *testing.T) {
	p := newProof(t)
	_, snapshot := p.table()
	r, _ := snapshot.Receipt("2026-03-01")
	out := p.good("receipt", "sales_hourly", "2026-03-01")
	for _, want := range []string{
		r.InputDigest.String(), r.RowDigest.String(), r.Fingerprint.String(), r.Files[0].Digest.String(),
		"\ncode          generation 1, registered ", "\n              window: 1h\n", "\n              sql: SELECT window_start, coalesce(shop, '-')", "\n              column cents: BIGINT\n",
		"[0, 5) of stream sales", "input         3 rows, of bucket-hours [2026-03-01T00, 2026-03-02T00)", "state         fresh",
		p.path("a.ndjson") + ", positions [0, 3)", p.path("b.ndjson") + ", positions [3, 5)",
		filepath.Join("tables/sales_hourly/data/2026-03-01", r.Files[0].ID+".parquet"), "window_start TIMESTAMP WITH TIME ZONE, shop VARCHAR",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	p.write("c.ndjson", `{"at":"2026-03-01T11:00:00Z","shop":"x","cents":100}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	p.good("run", "--once")
	if now := p.good("receipt", "sales_hourly", "2026-03-01"); !strings.Contains(now, "[0, 6)") || !strings.Contains(now, "c.ndjson") {
		t.Errorf("the new receipt:\n%s", now)
	}
	then := p.good("receipt", "sales_hourly", "2026-03-01", "--at", fmt.Sprint(snapshot.Version))
	if strings.Replace(then, "stale: data changed, late: 1 row, up to 23h50m0s late", "fresh", 1) != out {
		t.Errorf("then:\n%s\nbefore:\n%s", then, out)
	}
	p.bad(exitUsage, "there are 2, from 2026-03-01 to 2026-03-02", "receipt", "sales_hourly", "2026-03-09")
	p.bad(exitUsage, "no such version", "receipt", "sales_hourly", "2026-03-01", "--at", "99")
	p.bad(exitUsage, "want a version", "receipt", "sales_hourly", "2026-03-01", "--at", "0")
	var fact struct {
		State    string
		Receipt  manifests.Receipt
		Files    []string
		Segments []struct{ URL string }
		Arrivals []struct{ Name string }
		Code     manifests.Definition
	}
	if err := json.Unmarshal([]byte(p.good("receipt", "sales_hourly", "2026-03-01", "--json")), &fact); err != nil || fact.State != "fresh" || len(fact.Files) != 1 || len(fact.Segments) != 3 || len(fact.Arrivals) != 3 || fact.Code.Fingerprint != fact.Receipt.Fingerprint || len(fact.Code.Parts) != 9 {
		t.Errorf("%v %+v", err, fact)
	}
}

// What receipt --sql prints is run by DuckDB as anybody gets it, outside our
// sandbox and views.
func TestPlainDuckDBDerivesTheDigestsByThePrintedSQL(t *testing.T) {
	newProof(t).derivesDigests()
}

// derivesDigests has plain DuckDB run what receipt --sql prints.
func (p proof) derivesDigests() {
	t := p.t
	t.Helper()
	db := plainDuckDB(t)
	_, snapshot := p.table()
	for _, r := range snapshot.Receipts() {
		text := p.good("receipt", "sales_hourly", r.Partition, "--sql")
		_, output, found := strings.Cut(text, "-- The row digest")
		output, input, both := strings.Cut(output, "-- The input's rows")
		if !found || !both {
			t.Fatalf("prints\n%s", text)
		}
		var digest, hash string
		var rows int64
		if err := db.QueryRow("--" + output).Scan(&digest); err != nil || digest != r.RowDigest.String() {
			t.Errorf("%s: row digest %s, %v; the receipt says %s", r.Partition, digest, err, r.RowDigest)
		}
		if err := db.QueryRow("--"+input).Scan(&rows, &hash); err != nil || hash != r.InputDigest.String() || rows != r.InputRows {
			t.Errorf("%s: %d rows, input digest %s, %v; the receipt says %d, %s", r.Partition, rows, hash, err, r.InputRows, r.InputDigest)
		}
		if !strings.Contains(text, digest) || !strings.Contains(text, fmt.Sprintf("-- %d %s", rows, hash)) {
			t.Errorf("%s: what is to come out is not said in\n%s", r.Partition, text)
		}
	}
}

// plainDuckDB is the engine as people have it.
func plainDuckDB(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
