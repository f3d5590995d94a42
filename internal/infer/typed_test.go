package infer_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"strandline/ingest"
	"strandline/internal/infer"
)

// parquetText is a Parquet file of what a query selects.
func parquetText(t *testing.T, query string) string {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	path := filepath.Join(t.TempDir(), "a.parquet")
	if _, err := db.Exec(fmt.Sprintf("COPY (%s) TO '%s' (FORMAT parquet)", query, path)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func arrowText(t *testing.T, schema *arrow.Schema, rows string) string {
	t.Helper()
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Release()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func avroText(t *testing.T, schema string, row map[string]any) string {
	t.Helper()
	var b bytes.Buffer
	w, err := ocf.NewWriter(&b, avro.MustParse(schema))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Encode(row); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Values say less than a schema: 1 is no SMALLINT, and of NULL there is no type.
func TestTypesComeFromTheSchemaWhereThereIsOne(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a.parquet": {
			parquetText(t, `SELECT TIMESTAMPTZ '2026-03-01 10:00:00Z' AS at, 1::SMALLINT AS small, 2::UTINYINT AS tiny, 1::DECIMAL(9,4) AS price,
				NULL::DATE AS day, 1.5::FLOAT AS ratio, TIMESTAMP '2026-03-01' AS local, '7' AS code, 'a'::BLOB AS raw, '{"b":1}'::JSON AS doc,
				{'n': 1::BIGINT, 'deep': {'u': NULL::UUID}} AS nest, [1::INTEGER] AS list, TIME '10:00' AS clock`),
			[]string{
				"event_time: {column: at, unit: iso}", `at: TIMESTAMP WITH TIME ZONE`, "small: SMALLINT\n", "tiny: UTINYINT\n", "price: \"DECIMAL(9,4)\"\n", "day: DATE",
				"ratio: FLOAT  # a rounded number", "local: TIMESTAMP  # texts without an offset", "code: VARCHAR\n", "raw: BLOB  # bytes, of which", "doc: JSON\n",
				"nest_n: {type: BIGINT, path: [nest, \"n\"]}\n", "nest_deep_u: {type: UUID, path: [nest, deep, u]}", "list: JSON", "clock: VARCHAR",
			},
		},
		"a.arrow": {
			arrowText(t, arrow.NewSchema([]arrow.Field{
				{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}}, {Name: "small", Type: arrow.PrimitiveTypes.Int16},
				{Name: "price", Type: &arrow.Decimal128Type{Precision: 9, Scale: 4}}, {Name: "day", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
				{Name: "nest", Type: arrow.StructOf(arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Uint32})},
			}, nil), `[{"at": "2026-03-01T10:00:00Z", "small": 1, "price": "1", "day": null, "nest": {"n": 1}}]`),
			[]string{"small: SMALLINT\n", "price: \"DECIMAL(9,4)\"\n", "day: DATE", "nest_n: {type: UINTEGER, path"},
		},
		"a.avro": {
			avroText(t, `{"type": "record", "name": "r", "fields": [{"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}}, {"name": "small", "type": "int"},
				{"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 4}}, {"name": "day", "type": ["null", {"type": "int", "logicalType": "date"}]},
				{"name": "nest", "type": {"type": "record", "name": "in", "fields": [{"name": "n", "type": "float"}, {"name": "again", "type": ["null", "in"]}]}}, {"name": "either", "type": ["string", "long"]}]}`,
				map[string]any{
					"at": time.UnixMilli(1772359200000).UTC(), "small": int32(1), "price": big.NewRat(1, 1), "day": nil,
					"nest": map[string]any{"n": float32(1), "again": nil}, "either": "x",
				}),
			[]string{"small: INTEGER\n", "price: \"DECIMAL(9,4)\"\n", "day: DATE", "nest_n: {type: FLOAT, path", "either: VARCHAR"},
		},
	} {
		yaml, stream := propose(t, name, c.text)
		for _, want := range c.want {
			if !strings.Contains(yaml, want) {
				t.Errorf("%s: no %q in\n%s", name, want, yaml)
			}
		}
		if got := decode(t, stream, c.text); got.rows != 1 {
			t.Errorf("%s: %+v\n%s", name, got, yaml)
		}
	}
}

// Where files disagree, or a value is none of the declared type, values are what counts.
func TestASchemaThatAnotherFileContradictsCountsForNothing(t *testing.T) {
	one := parquetText(t, `SELECT TIMESTAMPTZ '2026-03-01 10:00:00Z' AS at, 1::SMALLINT AS n, 2::SMALLINT AS same`)
	other := parquetText(t, `SELECT TIMESTAMPTZ '2026-03-01 10:00:00Z' AS at, 100000::INTEGER AS n, 2::SMALLINT AS same`)
	var paths []string
	for i, text := range []string{one, other} {
		paths = append(paths, filepath.Join(t.TempDir(), fmt.Sprint(i)))
		if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sample, err := infer.Files(paths)
	if err != nil {
		t.Fatal(err)
	}
	yaml, err := sample.Declaration("s")
	if err != nil || !strings.Contains(yaml, `"n": BIGINT`) || !strings.Contains(yaml, "same: SMALLINT") {
		t.Errorf("%v\n%s", err, yaml)
	}
}

func TestCSVWithoutAHeaderIsSeenAndTold(t *testing.T) {
	text := "7;2026-03-01T10:00:00Z;a\n8;2026-03-01T11:00:00Z;b\n"
	yaml, stream := propose(t, "log.csv", text)
	for _, want := range []string{
		"The first record seems to hold values", `csv: {delimiter: ";", header: [column_1, column_2, column_3]}`, "event_time: {column: column_2, unit: iso}", "column_1: BIGINT",
	} {
		if !strings.Contains(yaml, want) {
			t.Errorf("no %q in\n%s", want, yaml)
		}
	}
	if got := decode(t, stream, text); got.rows != 2 {
		t.Errorf("%+v", got)
	}
	for _, years := range []string{"time,2024,2025\n2026-03-01T10:00:00Z,1,2\n", "when\n2026-03-01\n"} {
		if yaml, _ := propose(t, "years.csv", years); strings.Contains(yaml, "header:") {
			t.Errorf("a header is taken for values in\n%s", yaml)
		}
	}
	twice := filepath.Join(t.TempDir(), "twice.csv")
	if err := os.WriteFile(twice, []byte("1,1,2026-03-01T10:00:00Z\n2,2,2026-03-01T11:00:00Z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := infer.Files([]string{twice}); err == nil || !strings.Contains(err.Error(), "csv: {header: […]}") {
		t.Errorf("one whose first values are the same: %v", err)
	}
}

var _ ingest.Witness = (*infer.Sample)(nil)

// A date has no hours: a time is the better event time, whatever the two are called.
func TestATimeIsABetterEventTimeThanADate(t *testing.T) {
	yaml, _ := propose(t, "a.parquet", parquetText(t, `SELECT DATE '2026-03-01' AS date, TIMESTAMP_NS '2026-03-01 10:00:00' AS "when", 'NaN'::DOUBLE AS f UNION ALL SELECT DATE '2026-03-02', TIMESTAMP_NS '2026-03-02 10:00:00', 1.5`))
	for _, want := range []string{
		"event_time: {column: when, unit: iso", `# It might also be "date".`, "# The event time is a TIMESTAMP, which is written \"2026-03-01T10:00:00", "of such the unit is iso.",
		"f: VARCHAR  # 1 are NaN or infinite",
	} {
		if !strings.Contains(yaml, want) {
			t.Errorf("no %q in\n%s", want, yaml)
		}
	}
	yaml, _ = propose(t, "b.ndjson", `{"date":"2026-03-01"}`)
	if !strings.Contains(yaml, "all of a day would be at its midnight") {
		t.Errorf("of a date alone it says\n%s", yaml)
	}
}
