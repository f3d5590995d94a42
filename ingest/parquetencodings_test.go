package ingest

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"strandline/landing"
)

// jsonColumns declares the columns of a Parquet file as JSON, and returns the query
// that gives each row as JSON. The engine does not read all that is
// BYTE_STREAM_SPLIT, but the files have the same values in PLAIN too.
func jsonColumns(t *testing.T, db *sql.DB, source string) (declared []string, query string) {
	t.Helper()
	rows, err := db.Query(fmt.Sprintf("SELECT column_name, column_type FROM (DESCRIBE FROM '%s') WHERE column_name != 'at'", source))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var values []string
	for rows.Next() {
		var name, typ string
		if err := rows.Scan(&name, &typ); err != nil {
			t.Fatal(err)
		}
		value := strings.Replace(name, "byte_stream_split", "plain", 1)
		if typ == "BLOB" {
			value = "lower(hex(" + value + "))"
		}
		declared, values = append(declared, name+" JSON"), append(values, value+" AS "+name)
	}
	return declared, fmt.Sprintf("SELECT to_json(t)::VARCHAR FROM (SELECT %s FROM '%s') t", strings.Join(values, ", "), source)
}

func TestEveryEncodingOfEveryPhysicalTypeIsReadAsDuckDBReadsIt(t *testing.T) {
	files, err := filepath.Glob("testdata/parquet/*.parquet")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	db := openDuckDB(t)
	for _, source := range files {
		declared, query := jsonColumns(t, db, source)
		spec := landing.Spec{Columns: columns(declared...), EventTime: landing.EventTime{Column: "at", Unit: "s"}}
		landed := landTyped(t, spec, Options{Format: FormatParquet}, readFile(t, source), t.TempDir())
		var want, got []any
		scanJSON(t, db, query, &want)
		scanJSON(t, db, fmt.Sprintf("SELECT to_json(t)::VARCHAR FROM '%s' t", landed), &got)
		if len(got) != len(want) {
			t.Errorf("%s: got %d rows, want %d", source, len(got), len(want))
		}
		for i := range min(len(got), len(want)) {
			got, want := got[i].(map[string]any), want[i].(map[string]any)
			for _, c := range spec.Columns {
				if !reflect.DeepEqual(got[c.Name], want[c.Name]) {
					t.Errorf("%s: row %d: %s: got %v, want %v", source, i, c.Name, got[c.Name], want[c.Name])
				}
			}
		}
	}
}
