package ingest

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"strandline/internal/datafile"
	"strandline/landing"

	_ "github.com/duckdb/duckdb-go/v2"
)

func openDuckDB(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(fmt.Sprintf(query, args...)); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// everyType are columns of all types that a stream may declare, each with an
// expression of i that gives its extremes, usual values and NULLs.
var everyType = []struct{ name, declared, value string }{
	{"b", "BOOLEAN", "i % 2 = 0"},
	{"i8", "TINYINT", "CASE i % 3 WHEN 0 THEN -128 WHEN 1 THEN 127 ELSE i % 100 END"},
	{"i16", "SMALLINT", "CASE i % 3 WHEN 0 THEN -32768 WHEN 1 THEN 32767 ELSE i % 30000 END"},
	{"i32", "INTEGER", "CASE i % 3 WHEN 0 THEN -2147483648 WHEN 1 THEN 2147483647 ELSE i END"},
	{"i64", "BIGINT", "CASE i % 4 WHEN 0 THEN -9223372036854775808 WHEN 1 THEN 9223372036854775807 WHEN 2 THEN 9007199254740993 ELSE i END"},
	{"u8", "UTINYINT", "i % 256"},
	{"u16", "USMALLINT", "CASE i % 2 WHEN 0 THEN 65535 ELSE i % 65536 END"},
	{"u32", "UINTEGER", "CASE i % 2 WHEN 1 THEN 4294967295 ELSE i END"},
	{"u64", "UBIGINT", "CASE i % 3 WHEN 0 THEN 18446744073709551615 WHEN 1 THEN 9223372036854775808 ELSE i END"},
	{"f", "FLOAT", "i / 7"},
	{"d", "DOUBLE", "CASE i % 4 WHEN 0 THEN 1e300 WHEN 1 THEN -5e-324 WHEN 2 THEN 4611686018427387904 ELSE i / 7 END"},
	{"d4", "DECIMAL(4,1)", "(i % 2000 - 1000) / 10"},
	{"d9", "DECIMAL(9,2)", "i / 100"},
	{"d18", "DECIMAL(18,3)", "-i / 8"},
	{"d38", "DECIMAL(38,10)", "CASE i % 3 WHEN 0 THEN '-9999999999999999999999999999.9999999999' WHEN 1 THEN '9999999999999999999999999999.9999999999' ELSE i::VARCHAR END"},
	{"v", "VARCHAR", `CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN 'the same' WHEN 2 THEN chr(9) || '"\ é 🐚' ELSE 'text ' || i END`},
	{"j", "JSON", `'{"n":' || i || ',"l":[1,null]}'`},
	{"day", "DATE", "DATE '1969-12-25' + (i % 20)::INTEGER"},
	{"ts", "TIMESTAMP", "TIMESTAMP '1969-12-31 23:59:59.999999' + to_microseconds(i * 1000003)"},
	{"tz", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ '1999-12-31 23:59:59.5+00' + to_microseconds(i)"},
	{"u", "UUID", "md5(i::VARCHAR)::UUID"},
	{"x", "BLOB", "encode('bytes ' || i)"},
}

// typesSpec declares the columns of everyType.
func typesSpec() landing.Spec {
	var declared []string
	for _, c := range everyType {
		typ, _ := datafile.ParseType(c.declared)
		declared = append(declared, c.name+" "+strings.ReplaceAll(typ.String(), "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ"))
	}
	return landing.Spec{Stream: "types", Columns: columns(declared...), EventTime: landing.EventTime{Column: "moment", Unit: landing.UnitISO}}
}

// typesQuery makes so many rows of everyType; every fifth value of a column is NULL.
func typesQuery(rows int) string {
	var values []string
	for n, c := range everyType {
		values = append(values, fmt.Sprintf("CASE WHEN i %% 5 = %d THEN NULL ELSE CAST(%s AS %s) END AS %s", n%5, c.value, c.declared, c.name))
	}
	return fmt.Sprintf("SELECT TIMESTAMPTZ '2026-03-01 00:00:00+00' + to_seconds(i) AS moment, %s FROM range(%d) r(i)", strings.Join(values, ", "), rows)
}

// landTyped decodes a typed file, all rows of which are wanted, and writes them as
// Parquet in the folder.
func landTyped(t testing.TB, spec landing.Spec, opts Options, source []byte, folder string) string {
	t.Helper()
	d, err := NewDecoder(spec, opts)
	if err != nil {
		t.Fatal(err)
	}
	var sink collect
	if _, err := d.Decode(bytes.NewReader(source), &sink); err != nil {
		t.Fatal(err)
	}
	if len(sink.rejects) > 0 {
		t.Fatalf("row %d: %s\n%s", sink.rejects[0].SourcePosition, sink.rejects[0].Reason, sink.rejects[0].Raw)
	}
	values := make([][]datafile.Value, len(spec.Columns))
	for i, r := range sink.rows {
		if r.SourcePosition != int64(i+1) {
			t.Fatalf("row %d has the position %d", i+1, r.SourcePosition)
		}
		for c, v := range r.Values {
			values[c] = append(values[c], v)
		}
	}
	landed := filepath.Join(folder, "landed.parquet")
	if _, err := datafile.Write(landed, spec.Columns, values, nil); err != nil {
		t.Fatal(err)
	}
	return landed
}

func TestEveryValueOfAParquetFileIsAsDuckDBReadsIt(t *testing.T) {
	db, folder := openDuckDB(t), t.TempDir()
	source := filepath.Join(folder, "source.parquet")
	for _, how := range []string{
		"COMPRESSION uncompressed", "COMPRESSION snappy", "COMPRESSION gzip", "COMPRESSION zstd", "COMPRESSION brotli", "COMPRESSION lz4_raw",
		"PARQUET_VERSION v2, COMPRESSION zstd, ROW_GROUP_SIZE 2048", "PARQUET_VERSION v2, COMPRESSION lz4_raw", "PARQUET_VERSION v2, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1",
	} {
		run(t, db, "COPY (%s) TO '%s' (FORMAT parquet, %s)", typesQuery(2500), source, how)
		data, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		landed := landTyped(t, typesSpec(), Options{Format: FormatParquet}, data, folder)
		var differ int
		query := `SELECT count(*) FROM (SELECT row_number() OVER (), * EXCLUDE (moment) FROM '%[1]s' EXCEPT ALL SELECT row_number() OVER (), * FROM '%[2]s')`
		if err := db.QueryRow(fmt.Sprintf(query, source, landed)).Scan(&differ); err != nil {
			t.Fatal(err)
		}
		if differ != 0 {
			t.Errorf("%s: %d rows differ", how, differ)
		}
	}
}

func TestNestedColumnsOfAParquetFileAreTheJSONThatDuckDBMakesOfThem(t *testing.T) {
	db, folder := openDuckDB(t), t.TempDir()
	source := filepath.Join(folder, "source.parquet")
	run(t, db, `COPY (SELECT i AS at,
		CASE i %% 7 WHEN 0 THEN NULL WHEN 1 THEN [] WHEN 2 THEN [NULL] ELSE [i, NULL, -i] END AS list,
		CASE i %% 5 WHEN 0 THEN NULL WHEN 1 THEN [[]] WHEN 2 THEN [NULL, [1], []] ELSE [[i], [i, i + 1]] END AS lists,
		CASE i %% 5 WHEN 0 THEN NULL ELSE {'a': i, 'b': CASE i %% 3 WHEN 0 THEN NULL ELSE {'c': 'x' || i, 'd': [true, NULL]} END} END AS struct,
		CASE i %% 5 WHEN 0 THEN NULL WHEN 1 THEN MAP {} ELSE MAP {'k': i, 'l' || i: NULL} END AS dict,
		CASE i %% 5 WHEN 0 THEN [] ELSE [{'m': MAP {i: [i::DOUBLE / 8]}, 'n': NULL::INTEGER}] END AS deep
		FROM range(3000) r(i)) TO '%s' (FORMAT parquet, ROW_GROUP_SIZE 2048)`, source)
	spec := landing.Spec{Columns: columns("list JSON", "lists JSON", "struct JSON", "dict JSON", "deep JSON"), EventTime: landing.EventTime{Column: "at", Unit: "s"}}
	data, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	landed := landTyped(t, spec, Options{Format: FormatParquet}, data, folder)
	for _, c := range spec.Columns {
		var want, got []any
		scanJSON(t, db, fmt.Sprintf("SELECT to_json(%s)::VARCHAR FROM '%s'", c.Name, source), &want)
		scanJSON(t, db, fmt.Sprintf("SELECT %s::VARCHAR FROM '%s'", c.Name, landed), &got)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", c.Name, got[:8], want[:8])
		}
	}
}

// scanJSON appends the JSON values that a query gives.
func scanJSON(t *testing.T, db *sql.DB, query string, to *[]any) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var text sql.NullString
		var value any
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		if text.Valid {
			if err := json.Unmarshal([]byte(text.String), &value); err != nil {
				t.Fatalf("%s: %v", text.String, err)
			}
		}
		*to = append(*to, value)
	}
}

func TestAParquetFileThatIsCutOrDamagedLandsNothing(t *testing.T) {
	db := openDuckDB(t)
	source := filepath.Join(t.TempDir(), "source.parquet")
	run(t, db, "COPY (%s) TO '%s' (FORMAT parquet, COMPRESSION gzip, ROW_GROUP_SIZE 2048)", typesQuery(3000), source)
	whole, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	decode := func(data []byte) error {
		d, err := NewDecoder(typesSpec(), Options{Format: FormatParquet})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Decode(bytes.NewReader(data), &tally{})
		return err
	}
	for _, n := range []int{0, 3, 4, 11, 1000, len(whole) / 2, len(whole) - 1} {
		if err := decode(whole[:n]); !errors.Is(err, ErrTruncated) {
			t.Errorf("cut at %d of %d: got %v", n, len(whole), err)
		}
	}
	for _, source := range []string{"{\"at\":1}\n{\"at\":2}\n", strings.Repeat("x", 100) + "PAR1", "PARE" + strings.Repeat("x", 100) + "PARE"} {
		if err := decode([]byte(source)); !errors.Is(err, ErrFormat) {
			t.Errorf("%.20q: got %v", source, err)
		}
	}
	for at := 4; at < len(whole)-200; at += len(whole) / 40 {
		bad := bytes.Clone(whole)
		copy(bad[at:], bytes.Repeat([]byte{0xff}, 100))
		if err := decode(bad); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrHeader) {
			t.Errorf("damaged from %d on of %d: got %v", at, len(whole), err)
		}
	}
}
