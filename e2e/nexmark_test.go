package e2e

import (
	"bytes"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"

	"strandline/internal/nexmark"
)

const nexmarkFolder = "../testdata/nexmark"

// Each query of Nexmark, computed partition by partition while its streams arrive in
// pieces and out of order, is what plain SQL makes of the whole input at once.
func TestTheQueriesOfNexmarkAreThoseOfPlainSQLOverTheWholeInput(t *testing.T) {
	if err := sourcesSeen(); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: t.TempDir()}
	for _, name := range []string{"strandline.yaml", "side.csv"} {
		copyFile(t, filepath.Join(nexmarkFolder, name), filepath.Join(w.dir, name))
	}
	if err := os.Mkdir(filepath.Join(w.dir, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	events := nexmark.Events(nexmark.Options{
		Seed: 1, Events: 20000, Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Gap: 6 * time.Second, Late: 40 * time.Minute,
	})
	const pieces = 4
	for i := range pieces {
		w.landEvents(events[len(events)*i/pieces:len(events)*(i+1)/pieces], i)
		w.run("run", "--once")
	}
	db := w.plainTables()
	queries, err := filepath.Glob(filepath.Join(nexmarkFolder, "plain", "*.sql"))
	if err != nil || len(queries) == 0 {
		t.Fatalf("no plain queries: %v", err)
	}
	for _, path := range queries {
		job := strings.TrimSuffix(filepath.Base(path), ".sql")
		t.Run(job, func(t *testing.T) { w.sameAsPlain(t, db, job, path) })
		w.run("verify", job)
	}
}

// landEvents lands a piece of each stream, as one arrival.
func (w *world) landEvents(events []nexmark.Event, piece int) {
	w.t.Helper()
	files := map[nexmark.Kind]*bytes.Buffer{}
	for _, e := range events {
		if files[e.Kind] == nil {
			files[e.Kind] = &bytes.Buffer{}
		}
		files[e.Kind].Write(e.Line)
	}
	for _, kind := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(w.dir, fmt.Sprintf("%s-%d.ndjson", kind, piece))
		if err := os.WriteFile(path, files[kind].Bytes(), 0o644); err != nil {
			w.t.Fatal(err)
		}
		w.run("land", string(kind), path)
	}
}

// plainTables are the streams as tables of a DuckDB that knows nothing of the lake.
func (w *world) plainTables() *sql.DB {
	w.t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	w.plain(db, "SET TimeZone = 'UTC'")
	w.plain(db, "SET file_search_path = '"+w.dir+"'")
	for _, kind := range nexmark.Kinds {
		w.plain(db, fmt.Sprintf("CREATE TABLE %[1]s AS SELECT * EXCLUDE (date_time), date_time::TIMESTAMPTZ AS event_time FROM read_json('%[1]s-*.ndjson', format = 'newline_delimited')", kind))
	}
	return db
}

func (w *world) plain(db *sql.DB, text string) {
	w.t.Helper()
	if _, err := db.Exec(text); err != nil {
		w.t.Fatalf("%s: %v", text, err)
	}
}

// sameAsPlain holds a job's table against a query over all that landed. Positions
// are Strandline's own, so plain SQL knows nothing of them.
func (w *world) sameAsPlain(t *testing.T, db *sql.DB, job, query string) {
	text, err := os.ReadFile(query)
	if err != nil {
		t.Fatal(err)
	}
	published := filepath.Join(w.dir, job+".parquet")
	if err := os.WriteFile(published, []byte(w.run("query", "--format", "parquet", "SELECT * FROM "+job)), 0o644); err != nil {
		t.Fatal(err)
	}
	w.plain(db, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE want AS %s", text))
	w.plain(db, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE got AS SELECT * FROM (FROM want LIMIT 0) UNION ALL BY NAME SELECT COLUMNS(c -> c <> 'position') FROM '%s'", published))
	var rows, lost, other int
	err = db.QueryRow("SELECT (SELECT count(*) FROM want), (SELECT count(*) FROM (FROM want EXCEPT ALL FROM got)), (SELECT count(*) FROM (FROM got EXCEPT ALL FROM want))").Scan(&rows, &lost, &other)
	switch {
	case err != nil:
		t.Fatal(err)
	case rows == 0:
		t.Error("plain SQL makes no row, so that nothing is compared")
	case lost+other > 0:
		t.Errorf("of %d rows %d are not there as they should be, and %d are there that should not", rows, lost, other)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
