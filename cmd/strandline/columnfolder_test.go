package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// columnFolders is a path that the engine would take for values of columns if it was let to:
// of all that are declared, made or kept beside them.
const columnFolders = "shop=zzz/cents=99/n=5/at=1/event_time=2020-01-01/window_start=2020-01-01/position=0/__offset=3/h=1/hour=2/area=7"

const columnFoldersYAML = proveYAML + `    checks:
      - range: {column: cents, min: -1, max: 20}
  sales_daily:
    from: sales_hourly
    window: {tumbling: 1d}
    partition: day
    key: [window_start, shop]
    sql: SELECT s.window_start, s.shop, max(a.area) AS area, sum(s.n)::BIGINT AS n FROM sales_hourly s LEFT JOIN areas a ON a.shop = s.shop GROUP BY s.window_start, s.shop
    lookups: {areas: {file: areas.csv, format: csv, columns: {shop: VARCHAR, area: BIGINT}}}
`

// Names of folders change no value: not of the lake, and not of the scratch folder.
func TestAFolderNamedAsAColumnChangesNoValue(t *testing.T) {
	tells := func(t *testing.T, lake, scratch string) string {
		dir := filepath.Join(t.TempDir(), lake)
		tmp := filepath.Join(t.TempDir(), scratch)
		for _, d := range []string{dir, tmp} {
			if err := os.MkdirAll(d, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("TMPDIR", tmp)
		if err := os.WriteFile(filepath.Join(dir, "areas.csv"), []byte("shop,area\nx,1\ny,2\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		p := newProofIn(t, dir, columnFoldersYAML)
		p.good("run", "--once")
		p.derivesDigests()
		out := p.good("verify", "sales_hourly", "--seed", "1") + p.good("verify", "sales_daily", "--seed", "1") + p.good("reconcile", "sales_hourly")
		p.good("check-lake", "--deep")
		p.good("compact")
		out += p.good("backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03", "--recompute")
		hourly, daily := "SELECT * FROM sales_hourly ORDER BY ALL", "SELECT * FROM sales_daily ORDER BY ALL"
		out += p.good("query", hourly) + p.good("query", daily)

		db := plainDuckDB(t)
		if _, err := db.Exec(p.good("query", "--print-views")); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{hourly, daily} {
			var text string
			if err := db.QueryRow("SELECT string_agg(x::VARCHAR, chr(10)) FROM (" + query + ") x").Scan(&text); err != nil {
				t.Fatal(err)
			}
			out += text
		}
		return strings.ReplaceAll(out, dir, "")
	}
	want := tells(t, "", "")
	for name, c := range map[string]struct{ lake, scratch string }{
		"the lake's folder": {columnFolders, ""}, "the scratch folder": {"", columnFolders},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tells(t, c.lake, c.scratch); got != want {
				t.Errorf("it tells\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// What is printed for DuckDB is SQL, whatever the folder is called.
func TestALineEndInAFoldersNameIsNoSQL(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new\nline\r;x")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	p := newProofIn(t, dir, proveYAML)
	var n int
	db := plainDuckDB(t)
	if _, err := db.Exec(p.good("query", "--print-views")); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow("SELECT count(*) FROM sales_hourly").Scan(&n); err != nil || n != 5 {
		t.Errorf("it has %d rows (%v), want 5", n, err)
	}
	p.derivesDigests()
}
