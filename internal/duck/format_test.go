package duck

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// everything is one row of NULLs and one of values for each type, with what
// CSV and JSON make of the values.
var everything = []struct{ expr, csv, json, arrow string }{
	{"true", "true", "true", "bool"},
	{"'-128'::TINYINT", "-128", "-128", "int8"},
	{"'-32768'::SMALLINT", "-32768", "-32768", "int16"},
	{"'-2147483648'::INTEGER", "-2147483648", "-2147483648", "int32"},
	{"9223372036854775807::BIGINT", "9223372036854775807", "9223372036854775807", "int64"},
	{"9007199254740993::BIGINT", "9007199254740993", "9007199254740993", "int64"},
	{"255::UTINYINT", "255", "255", "uint8"},
	{"65535::USMALLINT", "65535", "65535", "uint16"},
	{"4294967295::UINTEGER", "4294967295", "4294967295", "uint32"},
	{"18446744073709551615::UBIGINT", "18446744073709551615", "18446744073709551615", "uint64"},
	{"99999999999999999999999999999999999999::HUGEINT", "99999999999999999999999999999999999999", "99999999999999999999999999999999999999", "decimal(38, 0)"},
	{"'-12345678901234567890123'::HUGEINT", "-12345678901234567890123", "-12345678901234567890123", "decimal(38, 0)"},
	{"340282366920938463463374607431768211455::UHUGEINT", "340282366920938463463374607431768211455", "340282366920938463463374607431768211455", "utf8"},
	{"'-1234567890123456789012345678901234567890123'::BIGNUM", "-1234567890123456789012345678901234567890123", "-1234567890123456789012345678901234567890123", "utf8"},
	{"1.5::DECIMAL(4,3)", "1.500", "1.500", "decimal(4, 3)"},
	{"'-0.005'::DECIMAL(9,3)", "-0.005", "-0.005", "decimal(9, 3)"},
	{"7::DECIMAL(18,0)", "7", "7", "decimal(18, 0)"},
	{"'-12345678901234567890123456789.123456789'::DECIMAL(38,9)", "-12345678901234567890123456789.123456789", "-12345678901234567890123456789.123456789", "decimal(38, 9)"},
	{"0.1::FLOAT", "0.1", "0.1", "float32"},
	{"0.1::DOUBLE + 0.2::DOUBLE", "0.30000000000000004", "0.30000000000000004", "float64"},
	{"1e300::DOUBLE", "1e+300", "1e+300", "float64"},
	{"'nan'::DOUBLE", "NaN", `"NaN"`, "float64"},
	{"'-inf'::FLOAT", "-Infinity", `"-Infinity"`, "float32"},
	{`'a"b,c' || chr(10) || 'd\é' || chr(1)`, "\"a\"\"b,c\nd\\é\x01\"", `"a\"b,c\nd\\é\u0001"`, "utf8"},
	{"''", `""`, `""`, "utf8"},
	{"' x '", `" x "`, `" x "`, "utf8"},
	{"'NULL'", "NULL", `"NULL"`, "utf8"},
	{`'{"n": 12345678901234567890.10, "a": [1,` + "\n" + `2]}'::JSON`, `"{""n"": 12345678901234567890.10, ""a"": [1,` + "\n" + `2]}"`, `{"n":12345678901234567890.10,"a":[1,2]}`, "utf8"},
	{"'\\x00A\\xFF'::BLOB", `\x00A\xFF`, `"\\x00A\\xFF"`, "binary"},
	{"DATE '1969-12-31'", "1969-12-31", `"1969-12-31"`, "date32"},
	{"'infinity'::DATE", "Infinity", `"Infinity"`, "date32"},
	{"TIMESTAMP '1969-12-31 23:59:59.999999'", "1969-12-31T23:59:59.999999", `"1969-12-31T23:59:59.999999"`, "timestamp[us]"},
	{"TIMESTAMPTZ '2026-07-01 12:00:00+02'", "2026-07-01T10:00:00Z", `"2026-07-01T10:00:00Z"`, "timestamp[us, tz=UTC]"},
	{"'-infinity'::TIMESTAMPTZ", "-Infinity", `"-Infinity"`, "timestamp[us, tz=UTC]"},
	{"'2026-07-01 12:00:00.123456789'::TIMESTAMP_NS", "2026-07-01T12:00:00.123456789", `"2026-07-01T12:00:00.123456789"`, "timestamp[ns]"},
	{"'2026-07-01 12:00:00'::TIMESTAMP_S", "2026-07-01T12:00:00", `"2026-07-01T12:00:00"`, "timestamp[s]"},
	{"'2026-07-01 12:00:00.5'::TIMESTAMP_MS", "2026-07-01T12:00:00.5", `"2026-07-01T12:00:00.5"`, "timestamp[ms]"},
	{"TIME '24:00:00'", "24:00:00", `"24:00:00"`, "utf8"},
	{"'12:00:00+05:30'::TIMETZ", "12:00:00+05:30", `"12:00:00+05:30"`, "utf8"},
	{"INTERVAL '1 month 2 days'", "1 month 2 days", `"1 month 2 days"`, "utf8"},
	{"'0101'::BIT", "0101", `"0101"`, "utf8"},
	{"'b'::ENUM('a', 'b')", "b", `"b"`, "utf8"},
	{"'00000000-0000-0000-0000-0000000000ff'::UUID", "00000000-0000-0000-0000-0000000000ff", `"00000000-0000-0000-0000-0000000000ff"`, "utf8"},
	{"union_value(a := 7)", "7", `"7"`, "utf8"},
	{"7::VARIANT", "7", `"7"`, "utf8"},
	{"row(1, 'x')", `"(1, x)"`, `"(1, x)"`, "utf8"},
	{"[1.50, NULL, 12345678901234567890.12]::DECIMAL(38,2)[]", `"[1.50,null,12345678901234567890.12]"`, `[1.50,null,12345678901234567890.12]`, "list<item: decimal(38, 2), nullable>"},
	{"[]::INTEGER[]", "[]", "[]", "list<item: int32, nullable>"},
	{"[1, NULL]::UTINYINT[2]", `"[1,null]"`, "[1,null]", "fixed_size_list<item: uint8, nullable>[2]"},
	{`{'z': 9007199254740993, 'A b"': {'j': '[1.10]'::JSON, 't': DATE '2020-02-29'}}`, `"{""z"":9007199254740993,""A b\"""":{""j"":[1.10],""t"":""2020-02-29""}}"`, `{"z":9007199254740993,"A b\"":{"j":[1.10],"t":"2020-02-29"}}`, `struct<z: int64 nullable, A b": struct<j: utf8 nullable, t: date32 nullable> nullable>`},
	{"MAP {'k': [1::HUGEINT], 'a': NULL}", `"{""k"":[1],""a"":null}"`, `{"k":[1],"a":null}`, "map<utf8, list<item: decimal(38, 0), nullable>, items_nullable>"},
	{"MAP {[1, 2]: 'x'}", `"{[1, 2]=x}"`, `"{[1, 2]=x}"`, "utf8"},
	{"MAP {'\\x00'::BLOB: 1}", `{\x00=1}`, `"{\\x00=1}"`, "utf8"},
	{"MAP {1.50: 1, 2.25: 2}", `"{""1.50"":1,""2.25"":2}"`, `{"1.50":1,"2.25":2}`, "map<decimal(3, 2), int32, items_nullable>"},
	{"[NULL]", "[null]", "[null]", "list<item: int32, nullable>"},
	{"MAP {'00000000-0000-0000-0000-0000000000ff'::UUID: INTERVAL 1 DAY}", `"{""00000000-0000-0000-0000-0000000000ff"":""1 day""}"`, `{"00000000-0000-0000-0000-0000000000ff":"1 day"}`, "map<utf8, utf8, items_nullable>"},
}

// everythingSQL has the values, then NULLs, in columns c0, c1, ….
func everythingSQL() string {
	i := -1
	values := joined(everything, func(e struct{ expr, csv, json, arrow string }) string {
		i++
		return fmt.Sprintf("%s AS c%d", e.expr, i)
	})
	return "SELECT " + values + " UNION ALL SELECT " + strings.Repeat("NULL, ", len(everything)-1) + "NULL"
}

func written(t *testing.T, s *Session, sql string, f Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Write(t.Context(), sql, f, &b); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return b.String()
}

func TestEveryTypeIsExactInCSV(t *testing.T) {
	e, _ := open(t, Options{})
	out := written(t, session(t, e), everythingSQL(), FormatCSV)
	header, rest, _ := strings.Cut(out, "\n")
	if !strings.HasPrefix(header, "c0,c1,") {
		t.Errorf("header %s", header)
	}
	for i, want := range everything {
		got, after, found := strings.Cut(rest, want.csv)
		if got != "" || !found || after == "" || (after[0] != ',' && after[0] != '\n') {
			t.Fatalf("%s: %.80q, want %q", want.expr, rest, want.csv)
		}
		if rest = after[1:]; i == len(everything)-1 && after[0] != '\n' {
			t.Errorf("after the last field: %q", after)
		}
	}
	if rest != strings.Repeat(",", len(everything)-1)+"\n" {
		t.Errorf("the row of NULLs is %q", rest)
	}
	if records, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || len(records) != 3 {
		t.Errorf("%d records: %v", len(records), err)
	}
}

func TestEveryTypeIsExactInJSON(t *testing.T) {
	e, _ := open(t, Options{})
	lines := strings.Split(written(t, session(t, e), everythingSQL(), FormatJSON), "\n")
	if len(lines) != 3 || lines[2] != "" {
		t.Fatalf("%d lines", len(lines))
	}
	var values, nulls map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal([]byte(lines[0]), &values), json.Unmarshal([]byte(lines[1]), &nulls)); err != nil {
		t.Fatal(err)
	}
	for i, want := range everything {
		name := fmt.Sprintf("c%d", i)
		if got := string(values[name]); got != want.json {
			t.Errorf("%s: %s, want %s", want.expr, got, want.json)
		}
		if got := string(nulls[name]); got != "null" {
			t.Errorf("%s: a NULL is %s", want.expr, got)
		}
	}
}

func TestEveryTypeIsExactInArrow(t *testing.T) {
	e, _ := open(t, Options{})
	out := written(t, session(t, e), everythingSQL(), FormatArrow)
	r, err := ipc.NewReader(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatal(r.Err())
	}
	batch := r.RecordBatch()
	if batch.NumRows() != 2 || int(batch.NumCols()) != len(everything) {
		t.Fatalf("%d rows, %d columns", batch.NumRows(), batch.NumCols())
	}
	for i, want := range everything {
		column := batch.Column(i)
		if got := column.DataType().String(); got != want.arrow {
			t.Errorf("%s: type %s, want %s", want.expr, got, want.arrow)
		}
		if column.IsNull(0) || column.IsValid(1) {
			t.Errorf("%s: null %v, %v", want.expr, column.IsNull(0), column.IsNull(1))
		}
		if got, ok := arrowAsCSV(column); ok && csvField(got) != want.csv && got != withoutZeros(want.csv) {
			t.Errorf("%s: %s, want %s", want.expr, csvField(got), want.csv)
		}
	}
	list := batch.Column(indexOf(t, "[1.50, NULL")).(*array.List)
	items := list.ListValues().(*array.Decimal128)
	if list.Len() != 2 || items.ValueStr(0) != "1.5" || items.IsValid(1) || items.ValueStr(2) != "12345678901234567890.12" {
		t.Errorf("list %v", list)
	}
	nested := batch.Column(indexOf(t, "{'z'")).(*array.Struct)
	if got := nested.ValueStr(0); got != `{"A b\"":{"j":"[1.10]","t":"2020-02-29"},"z":9007199254740993}` {
		t.Errorf("struct %s", got)
	}
	m := batch.Column(indexOf(t, "MAP {'k'")).(*array.Map)
	if keys := m.Keys().(*array.String); keys.Value(0) != "k" || keys.Value(1) != "a" || m.Items().IsValid(1) {
		t.Errorf("map %v", m)
	}
	if r.Next() {
		t.Error("there is another batch")
	}
}

// arrowAsCSV writes the first value of a column whose text by Arrow must be
// ours too.
func arrowAsCSV(column arrow.Array) (string, bool) {
	switch c := column.(type) {
	case *array.Timestamp:
		unit := c.DataType().(*arrow.TimestampType)
		if text := c.Value(0).ToTime(unit.Unit).Format("2006-01-02T15:04:05.999999999"); !strings.HasPrefix(text, "-") {
			return text + map[string]string{"UTC": "Z"}[unit.TimeZone], true
		}
	case *array.Date32:
		if text := c.ValueStr(0); len(text) == len("2006-01-02") {
			return text, true
		}
	case *array.Decimal128:
		return c.ValueStr(0), true
	case *array.String, *array.Int64, *array.Uint64, *array.Int8, *array.Boolean:
		return c.ValueStr(0), true
	}
	return "", false
}

// withoutZeros is how Arrow writes a decimal.
func withoutZeros(text string) string { return strings.TrimRight(text, "0") }

func indexOf(t *testing.T, prefix string) int {
	t.Helper()
	for i, e := range everything {
		if strings.HasPrefix(e.expr, prefix) {
			return i
		}
	}
	t.Fatalf("no %s", prefix)
	return 0
}

func TestParquetReadsBackAsTheSameValues(t *testing.T) {
	e, folder := open(t, Options{})
	s := session(t, e)
	path := filepath.Join(folder, "scratch", "all.parquet")
	if err := os.WriteFile(path, []byte(written(t, s, everythingSQL()+" -- end", FormatParquet)), 0o644); err != nil {
		t.Fatal(err)
	}
	again := written(t, s, "FROM "+ReadParquet([]string{path}), FormatCSV)
	if want := written(t, s, everythingSQL(), FormatCSV); again != want {
		t.Errorf("got  %s\nwant %s", again, want)
	}
	if left := files(t, filepath.Join(folder, "scratch")); left != path+"\n" {
		t.Errorf("files left: %s", left)
	}
	if err := s.Write(t.Context(), "SELECT 1 AS a, 2 AS A", FormatParquet, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "same name") {
		t.Errorf("two columns of one name: %v", err)
	}
}

func TestTablesAlignWhateverTheScript(t *testing.T) {
	e, _ := open(t, Options{})
	s := session(t, e)
	got := written(t, s, `SELECT * FROM (VALUES ('日本', 1, 1.50), ('é', 1000, NULL), (NULL, NULL, -12.25), ('a' || chr(10) || 'b' || chr(27), 3, 0)) v("place name", n, d)`, FormatTable)
	want := strings.Join([]string{
		"place name     n       d",
		"──────────  ────  ──────",
		"日本           1    1.50",
		"é           1000    NULL",
		"NULL        NULL  -12.25",
		`a\nb\x1b       3    0.00`,
		"(4 rows)", "",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := written(t, s, "SELECT 1 AS a", FormatTable); !strings.HasSuffix(got, "(1 row)\n") {
		t.Error(got)
	}
	if got := written(t, s, "SELECT 1 AS a WHERE false", FormatTable); got != "a\n─\n(0 rows)\n" {
		t.Error(got)
	}
}

func TestEmptyResultsKeepTheirColumns(t *testing.T) {
	e, _ := open(t, Options{})
	s := session(t, e)
	const none = "SELECT 1 AS a, 'x' AS a, [1] AS b WHERE false"
	if got := written(t, s, none, FormatCSV); got != "a,a,b\n" {
		t.Errorf("csv %q", got)
	}
	if got := written(t, s, none, FormatJSON); got != "" {
		t.Errorf("json %q", got)
	}
	r, err := ipc.NewReader(strings.NewReader(written(t, s, none, FormatArrow)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if r.Schema().NumFields() != 3 || r.Next() || r.Err() != nil {
		t.Errorf("arrow %v, %v", r.Schema(), r.Err())
	}
}

func TestLargeResultsKeepTheirOrderAndStayWithinMemory(t *testing.T) {
	e, _ := open(t, Options{MemoryLimit: "128MB"})
	s := session(t, e)
	const n = 2_000_000
	before := resident(t)
	rows, err := s.Query(t.Context(), fmt.Sprintf("SELECT i, i::VARCHAR || repeat('x', 200) AS t FROM range(%d) r(i) ORDER BY i DESC", n))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	next := int64(n)
	err = rows.each(t.Context(), func(row []any) error {
		next--
		if row[0] != next {
			return fmt.Errorf("row %v, want %d", row[0], next)
		}
		return nil
	})
	if err != nil || next != 0 || rows.Len() != n {
		t.Errorf("%v, at %d of %d", err, next, rows.Len())
	}
	if grown := resident(t) - before; grown > 330<<20 {
		t.Errorf("memory grew by %d MB", grown>>20)
	}
}

func TestFormatsAreKnownByName(t *testing.T) {
	for _, f := range formats {
		if got, err := ParseFormat(string(f)); got != f || err != nil {
			t.Errorf("%s: %v, %v", f, got, err)
		}
	}
	if _, err := ParseFormat("xml"); err == nil || !strings.Contains(err.Error(), "table, csv, json, parquet, arrow") {
		t.Error(err)
	}
}
