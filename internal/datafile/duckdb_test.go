package datafile_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strandline/internal/datafile"
	"strandline/internal/digest"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/parquet-go/parquet-go"
)

func openDuckDB(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec("SET TimeZone='America/Los_Angeles'"); err != nil {
		t.Fatal(err)
	}
	return db
}

func parquetOf(path string) string { return fmt.Sprintf("read_parquet('%s')", path) }

func scalar(t testing.TB, db *sql.DB, query string) string {
	t.Helper()
	var s string
	if err := db.QueryRow(query).Scan(&s); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return s
}

func TestTheEngineSeesTheDeclaredTypes(t *testing.T) {
	db := openDuckDB(t)
	for _, rows := range []int{0, 50} {
		cols, data := table(t, rows)
		path := write(t, cols, data)
		got, err := db.Query("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM " + parquetOf(path) + ")")
		if err != nil {
			t.Fatal(err)
		}
		defer got.Close()
		i := 0
		for ; got.Next(); i++ {
			var name, typ string
			if err := got.Scan(&name, &typ); err != nil {
				t.Fatal(err)
			}
			if name != cols[i].Name || typ != cols[i].Type.String() {
				t.Errorf("column %d: got %s %s, want %s %s", i, name, typ, cols[i].Name, cols[i].Type)
			}
		}
		if i != len(cols) {
			t.Errorf("got %d columns, want %d", i, len(cols))
		}
	}
}

func TestTheEngineReadsTheSameCanonicalRows(t *testing.T) {
	db := openDuckDB(t)
	const rows = 300
	cols, data := table(t, rows)
	path := write(t, cols, data, 7, rows)
	for c := range cols { // one by one, so that a failure names its column
		one := cols[c : c+1]
		got, err := db.Query("SELECT " + datafile.CanonicalSQL(one) + " FROM " + parquetOf(path))
		if err != nil {
			t.Fatalf("%s: %v", cols[c].Type, err)
		}
		for r := 0; got.Next(); r++ {
			var text string
			if err := got.Scan(&text); err != nil {
				t.Fatal(err)
			}
			if want := canonical(one, data[c:c+1], r); text != want {
				t.Errorf("%s, row %d: the engine has %q, we have %q", cols[c].Type, r, text, want)
				break
			}
		}
		got.Close()
	}
}

func TestTheEngineDerivesTheSameDigest(t *testing.T) {
	db := openDuckDB(t)
	for _, rows := range []int{0, 1, 5000} {
		cols, data := table(t, rows)
		path := write(t, cols, data)
		s, err := datafile.Summarize(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := scalar(t, db, datafile.DigestSQL(cols, parquetOf(path)))
		if got != s.Digest.String() {
			t.Errorf("%d rows: the engine's digest is %s, ours %s", rows, got, s.Digest)
		}
	}
}

func TestFilesOfTheEngineAreReadAsTheyAre(t *testing.T) {
	db := openDuckDB(t)
	cols, data := table(t, 2000)
	ours := write(t, cols, data)
	theirs := filepath.Join(t.TempDir(), "theirs.parquet")
	_, err := db.Exec(fmt.Sprintf("COPY (SELECT * FROM %s) TO '%s' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)", parquetOf(ours), theirs))
	if err != nil {
		t.Fatal(err)
	}
	gotCols, got := readBack(t, theirs)
	if !slices.Equal(gotCols, cols) {
		t.Errorf("columns\n got %v\nwant %v", gotCols, cols)
	}
	for r := range got {
		if want := canonical(cols, data, r); got[r] != want {
			t.Fatalf("row %d\n got %q\nwant %q", r, got[r], want)
		}
	}
}

// Texts that begin alike are kept without what they share with those before. The engine
// reads them in any type, with NULLs, and over the ends of pages and row groups.
func TestTheEngineReadsTextsWithoutTheirPrefixes(t *testing.T) {
	const rows = 70_000
	var cols []datafile.Column
	var data [][]datafile.Value
	for _, kind := range []string{"VARCHAR", "JSON", "BLOB"} {
		cols = append(cols, datafile.Column{Name: kind, Type: typeOf(t, kind)})
		data = append(data, make([]datafile.Value, rows))
	}
	for r := range rows {
		for c := range cols {
			data[c][r] = parquet.ByteArrayValue(fmt.Appendf(nil, `"sale of %d, %s"`, 1_000_000+r/2, strings.Repeat("größe ", r%4000/3999*1000)))
		}
		if r%11 == 10 {
			data[0][r] = datafile.Value{}
		}
	}
	path := filepath.Join(t.TempDir(), "a.parquet")
	w, err := datafile.Create(path, cols, datafile.Passing)
	if err != nil {
		t.Fatal(err)
	}
	vectors, all := vectorsOf(t, cols, data), make([]int32, rows)
	for i := range all {
		all[i] = int32(i)
	}
	if err := w.GroupsOf(vectors, [][]int32{all[:1000], all[1000:]}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, got := readBack(t, path)
	for r := range rows {
		if want := canonical(cols, data, r); got[r] != want {
			t.Fatalf("row %d\n got %.100q\nwant %.100q", r, got[r], want)
		}
	}
	db := openDuckDB(t)
	s, err := datafile.Summarize(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := scalar(t, db, datafile.DigestSQL(cols, parquetOf(path))); got != s.Digest.String() {
		t.Errorf("the engine's digest is %s, ours %s", got, s.Digest)
	}
	if got := scalar(t, db, fmt.Sprintf("SELECT count(*) FROM parquet_metadata('%s') WHERE encodings LIKE '%%DELTA_BYTE_ARRAY%%'", path)); got != "6" {
		t.Errorf("%s of 6 column chunks are without their prefixes", got)
	}
}

func TestFiltersOfTheEngineFindEveryRow(t *testing.T) {
	// Statistics that are wrong would make the engine skip row groups.
	db := openDuckDB(t)
	for _, s := range samples {
		col := datafile.Column{Name: "x", Type: typeOf(t, s.typ)}
		var values []datafile.Value
		for _, text := range s.texts {
			values = append(values, parse(t, col.Type, text))
		}
		path := write(t, []datafile.Column{col}, [][]datafile.Value{values}, 1, len(values))
		if _, err := db.Exec("CREATE OR REPLACE TABLE whole AS SELECT * FROM " + parquetOf(path)); err != nil {
			t.Fatal(err)
		}
		for _, text := range s.texts {
			if s.typ == "BLOB" {
				text = `\x00` // SQL spells it otherwise
			}
			for _, op := range []string{"=", "<", ">="} {
				q := fmt.Sprintf("SELECT count(*) FROM %%s WHERE x %s CAST('%s' AS %s)", op, text, s.typ)
				got, want := scalar(t, db, fmt.Sprintf(q, parquetOf(path))), scalar(t, db, fmt.Sprintf(q, "whole"))
				if got != want || op == "=" && got == "0" {
					t.Errorf("%s %s %q: %s rows of the file, %s of the table", s.typ, op, text, got, want)
				}
			}
		}
	}
}

func TestForeignTypesAreRefusedByName(t *testing.T) {
	db := openDuckDB(t)
	for _, expr := range []string{"TIME '01:02:03'", "[1, 2]", "{'a': 1}", "INTERVAL 1 DAY",
		"TIMESTAMP_NS '2024-01-01 00:00:00'", "TIMESTAMP_MS '2024-01-01 00:00:00'"} {
		path := filepath.Join(t.TempDir(), "x.parquet")
		if _, err := db.Exec(fmt.Sprintf("COPY (SELECT 1 AS fine, %s AS odd_one) TO '%s' (FORMAT parquet)", expr, path)); err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		f, err := datafile.Open(path)
		if err == nil {
			t.Errorf("%s: read as %v", expr, f.Columns())
			f.Close()
		} else if !strings.Contains(err.Error(), "odd_one") && !strings.Contains(err.Error(), "nested") {
			t.Errorf("%s: %v", expr, err)
		}
	}
}

func TestTheDigestOfNoRowsIsZeroInBothLanguages(t *testing.T) {
	db := openDuckDB(t)
	cols := []datafile.Column{{Name: "n", Type: datafile.Type{Kind: datafile.BigInt}}}
	got := scalar(t, db, datafile.DigestSQL(cols, "(SELECT 1::BIGINT AS n WHERE false)"))
	if got != (digest.Sum128{}).String() {
		t.Errorf("got %s", got)
	}
}
