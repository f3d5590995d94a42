package ingest

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strandline/internal/datafile"
	"strandline/landing"
)

// tableCases are the values of the table in docs/formats.md: what each is called, the
// type of its column, and how JSON, CSV and, as SQL of the engine, Parquet have it.
// Where a format has no such value it is empty.
var tableCases = []struct{ what, column, json, csv, sql string }{
	{"a whole number beyond 2^53", "BIGINT", `9007199254740993`, `9007199254740993`, `9007199254740993::BIGINT`},
	{"an exponent, a fraction of zeros", "BIGINT", `1e3`, `1.0`, ``},
	{"a DOUBLE that is whole", "BIGINT", ``, ``, `4611686018427387904::DOUBLE`},
	{"a number with a fraction", "BIGINT", `1.5`, `1.5`, `1.5::DOUBLE`},
	{"a number out of range", "BIGINT", `9223372036854775808`, `9223372036854775808`, `9223372036854775808::UBIGINT`},
	{"the greatest unsigned number", "UBIGINT", `18446744073709551615`, `18446744073709551615`, `18446744073709551615::UBIGINT`},
	{"38 digits", "DECIMAL(38,10)", `9999999999999999999999999999.9999999999`, `9999999999999999999999999999.9999999999`, `9999999999999999999999999999.9999999999::DECIMAL(38,10)`},
	{"more digits after the point than the column has", "DECIMAL(6,3)", `0.1234`, `0.1234`, `0.1234::DECIMAL(9,4)`},
	{"a FLOAT for a DECIMAL", "DECIMAL(6,3)", ``, ``, `0.1::FLOAT`},
	{"a FLOAT for a DOUBLE", "DOUBLE", ``, ``, `0.1::FLOAT`},
	{"NaN", "DOUBLE", `NaN`, `NaN`, `'nan'::DOUBLE`},
	{"Infinity", "DOUBLE", `"Infinity"`, `Infinity`, `'inf'::DOUBLE`},
	{"a text of a number", "INTEGER", `"7"`, `7`, `'7'`},
	{"a text that is no number", "INTEGER", `"x"`, `x`, `'x'`},
	{"a number", "VARCHAR", `1.50`, `1.50`, `1.50::DECIMAL(3,2)`},
	{"true", "VARCHAR", `true`, `true`, `true`},
	{"1", "BOOLEAN", `1`, `1`, `1`},
	{"nothing", "VARCHAR", `null`, ``, `NULL::VARCHAR`},
	{"the empty text", "VARCHAR", `""`, `""`, `''`},
	{"an object", "VARCHAR", `{"a":1}`, ``, `{'a': 1}`},
	{"an object", "JSON", `{"a":1}`, `"{""a"":1}"`, `{'a': 1}`},
	{"a list", "JSON", `[1,null]`, `"[1,null]"`, `[1, NULL]`},
	{"a JSON document", "JSON", ``, ``, `'{"a": [1]}'::JSON`},
	{"a name twice in an object", "JSON", `{"a":1,"a":2}`, ``, `'{"a":1,"a":2}'::JSON`},
	{"a NUL character", "VARCHAR", `"\u0000"`, "\x00", `chr(0)`},
	{"a lone surrogate", "VARCHAR", `"\ud800"`, ``, ``},
	{"bytes that are not UTF-8", "VARCHAR", "\"\xff\"", "\xff", ``},
	{"bytes", "BLOB", `"00ff"`, `00ff`, `'\x00\xFF'::BLOB`},
	{"bytes that are text", "VARCHAR", ``, ``, `'\x61\xC3\xA9'::BLOB`},
	{"bytes that are no text", "VARCHAR", ``, ``, `'\x61\xFF'::BLOB`},
	{"bytes that are the text of a number", "INTEGER", ``, ``, `'12'::BLOB`},
	{"bytes", "JSON", ``, ``, `'12'::BLOB`},
	{"a date", "DATE", `"2026-03-01"`, `2026-03-01`, `DATE '2026-03-01'`},
	{"a time without a zone", "TIMESTAMP", `"2026-03-01T10:00:00"`, `2026-03-01 10:00:00`, `TIMESTAMP '2026-03-01 10:00:00'`},
	{"an instant", "TIMESTAMPTZ", `"2026-03-01T10:00:00+02:00"`, `2026-03-01T08:00:00Z`, `TIMESTAMPTZ '2026-03-01 08:00:00+00'`},
	{"an instant for a time without a zone", "TIMESTAMP", `"2026-03-01T08:00:00Z"`, `2026-03-01T08:00:00Z`, `TIMESTAMPTZ '2026-03-01 08:00:00+00'`},
	{"nanoseconds", "TIMESTAMP", `"2026-03-01T10:00:00.000000001"`, `2026-03-01T10:00:00.000000001`, `'2026-03-01 10:00:00.000000001'::TIMESTAMP_NS`},
	{"a time of day", "VARCHAR", `"10:00:00.5"`, `10:00:00.5`, `TIME '10:00:00.5'`},
	{"an interval", "VARCHAR", ``, ``, `INTERVAL '1 month 2 days 3 seconds'`},
	{"a UUID", "UUID", `"00000000-0000-0000-0000-0000000000FF"`, `00000000-0000-0000-0000-0000000000ff`, `'00000000-0000-0000-0000-0000000000ff'::UUID`},
}

// becomes tells what a source of one record becomes.
func becomes(t *testing.T, db *sql.DB, format Format, column string, source []byte) string {
	t.Helper()
	spec := landing.Spec{Columns: columns("v " + column), EventTime: landing.EventTime{Column: "t", Unit: "s"}}
	d, err := NewDecoder(spec, Options{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	var sink collect
	if _, err := d.Decode(bytes.NewReader(source), &sink); err != nil {
		t.Fatalf("%s: %q: %v", format, source, err)
	}
	if len(sink.order) != 1 {
		t.Fatalf("%s: %q: %d records", format, source, len(sink.order))
	}
	if len(sink.rejects) == 1 {
		return "reject: " + sink.rejects[0].Reason
	}
	v := sink.rows[0].Values[0]
	if v.IsNull() {
		return "NULL"
	}
	landed := filepath.Join(t.TempDir(), "landed.parquet")
	if _, err := datafile.Write(landed, spec.Columns, [][]datafile.Value{{v}}, nil); err != nil {
		t.Fatal(err)
	}
	var text string
	if err := db.QueryRow(fmt.Sprintf("SELECT v::VARCHAR FROM '%s'", landed)).Scan(&text); err != nil {
		t.Fatal(err)
	}
	if text == "" {
		return "the empty text"
	}
	return "`" + text + "`"
}

func inCell(text string) string {
	return strings.NewReplacer("|", `\|`, "\x00", "␀", "\xff", "�").Replace(strings.ToValidUTF8(text, "�"))
}

// tableOfFormats makes the table.
func tableOfFormats(t *testing.T) string {
	db, folder := openDuckDB(t), t.TempDir()
	run(t, db, "SET TimeZone = 'UTC'")
	var out strings.Builder
	out.WriteString("| what arrives | column | NDJSON and JSON | CSV | Parquet, Arrow, Avro |\n|---|---|---|---|---|\n")
	for i, c := range tableCases {
		inJSON, inCSV, typed := "–", "–", "–"
		if c.json != "" {
			inJSON = becomes(t, db, FormatNDJSON, c.column, []byte(`{"t":1,"v":`+c.json+"}\n"))
			if asArray := becomes(t, db, FormatJSON, c.column, []byte(`[{"t":1,"v":`+c.json+`}]`)); asArray != inJSON {
				t.Errorf("%s: as JSON it becomes %s, as NDJSON %s", c.what, asArray, inJSON)
			}
		}
		if c.csv != "" || c.what == "nothing" {
			inCSV = becomes(t, db, FormatCSV, c.column, []byte("t,v\n1,"+c.csv+"\n"))
		}
		if c.sql != "" {
			path := filepath.Join(folder, fmt.Sprint(i, ".parquet"))
			run(t, db, "COPY (SELECT 1 AS t, %s AS v) TO '%s' (FORMAT parquet)", c.sql, path)
			typed = becomes(t, db, FormatParquet, c.column, readFile(t, path))
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s |\n", c.what, c.column, inCell(inJSON), inCell(inCSV), inCell(typed))
	}
	return out.String()
}

func TestTheTableOfFormatsSaysWhatBecomesOfEachValue(t *testing.T) {
	const path, begin, end = "../docs/formats.md", "<!-- values: go test ./ingest -run TheTableOfFormats -update -->\n", "<!-- end of values -->"
	doc := string(readFile(t, path))
	before, rest, ok := strings.Cut(doc, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks of its table", path)
	}
	want := before + begin + tableOfFormats(t) + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if doc != want {
		t.Errorf("the table in %s is not what becomes of its values (-update writes it anew)", path)
	}
}
