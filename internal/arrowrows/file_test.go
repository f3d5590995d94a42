package arrowrows

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"strandline/internal/jsonrow"
)

// everyType are columns with two values each, as Arrow's own JSON has them, and what
// a row is to have of them.
var everyType = []struct {
	typ        arrow.DataType
	two        string
	first, sec string
}{
	{arrow.FixedWidthTypes.Boolean, `true, null`, "true", "null"},
	{arrow.PrimitiveTypes.Int8, `-128, 127`, "-128", "127"},
	{arrow.PrimitiveTypes.Int16, `-32768, null`, "-32768", "null"},
	{arrow.PrimitiveTypes.Int32, `1, 2`, "1", "2"},
	{arrow.PrimitiveTypes.Int64, `9223372036854775807, 9007199254740993`, "9223372036854775807", "9007199254740993"},
	{arrow.PrimitiveTypes.Uint8, `255, 0`, "255", "0"},
	{arrow.PrimitiveTypes.Uint16, `65535, 0`, "65535", "0"},
	{arrow.PrimitiveTypes.Uint32, `4294967295, 0`, "4294967295", "0"},
	{arrow.PrimitiveTypes.Uint64, `18446744073709551615, 0`, "18446744073709551615", "0"},
	{arrow.FixedWidthTypes.Float16, `1.5, -2`, "1.5", "-2"},
	{arrow.PrimitiveTypes.Float32, `0.1, 2`, "0.10000000149011612", "2"},
	{arrow.PrimitiveTypes.Float64, `0.1, 4611686018427387904`, "0.1", "4611686018427387904"},
	{&arrow.Decimal32Type{Precision: 9, Scale: 2}, `"-1.25", null`, "-1.25", "null"},
	{&arrow.Decimal64Type{Precision: 18, Scale: 0}, `"7", null`, "7", "null"},
	{&arrow.Decimal128Type{Precision: 38, Scale: 10}, `"-9999999999999999999999999999.9999999999", "0"`, "-9999999999999999999999999999.9999999999", "0.0000000000"},
	{&arrow.Decimal128Type{Precision: 5, Scale: -3}, `"-12000", "0"`, "-12000", "0"},
	{&arrow.Decimal256Type{Precision: 50, Scale: 1}, `"1234567890123456789012345678901234567890123456789.5", null`, "1234567890123456789012345678901234567890123456789.5", "null"},
	{arrow.BinaryTypes.String, `"", "a\"\u0000é"`, `""`, `"a\"\u0000é"`},
	{arrow.BinaryTypes.LargeString, `"x", null`, `"x"`, "null"},
	{arrow.BinaryTypes.StringView, `"x", "longer than twelve bytes"`, `"x"`, `"longer than twelve bytes"`},
	{arrow.BinaryTypes.Binary, `"AP8=", null`, `"00ff"`, "null"},
	{arrow.BinaryTypes.LargeBinary, `"AP8=", null`, `"00ff"`, "null"},
	{arrow.BinaryTypes.BinaryView, `"AP8=", null`, `"00ff"`, "null"},
	{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `"AP8=", null`, `"00ff"`, "null"},
	{arrow.FixedWidthTypes.Date32, `"1969-12-31", null`, `"1969-12-31"`, "null"},
	{arrow.FixedWidthTypes.Date64, `"1969-12-31", null`, `"1969-12-31"`, "null"},
	{arrow.FixedWidthTypes.Time32ms, `"01:02:03.004", null`, `"01:02:03.004"`, "null"},
	{arrow.FixedWidthTypes.Time64ns, `"01:02:03.000000004", null`, `"01:02:03.000000004"`, "null"},
	{&arrow.TimestampType{Unit: arrow.Second}, `"2026-03-01 10:00:00", null`, `"2026-03-01T10:00:00"`, "null"},
	{&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Berlin"}, `"2026-03-01 10:00:00.000000001Z", null`, `"2026-03-01T10:00:00.000000001Z"`, "null"},
	{arrow.FixedWidthTypes.Duration_ms, `"1500ms", null`, `"PT1.5S"`, "null"},
	{arrow.FixedWidthTypes.MonthDayNanoInterval, `{"months": 1, "days": 2, "nanoseconds": 3000000000}, null`, `"P1M2DT3S"`, "null"},
	{arrow.Null, `null, null`, "null", "null"},
	{arrow.ListOf(arrow.PrimitiveTypes.Int32), `[1, null], []`, "[1,null]", "[]"},
	{arrow.LargeListOf(arrow.PrimitiveTypes.Int32), `[1], null`, "[1]", "null"},
	{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32), `[1, 2], null`, "[1,2]", "null"},
	{arrow.ListViewOf(arrow.PrimitiveTypes.Int32), `[1, 2], null`, "[1,2]", "null"},
	{arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "b", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true}),
		`{"a": 1, "b": ["x"]}, {"a": null, "b": null}`, `{"a":1,"b":["x"]}`, `{"a":null,"b":null}`},
	{arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), `[{"key": 1, "value": "x"}], []`, `{"1":"x"}`, "{}"},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `"x", "y"`, `"x"`, `"y"`},
	{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), `"x", "x"`, `"x"`, `"x"`},
}

// records returns a batch of all types.
func records(t testing.TB) arrow.RecordBatch {
	t.Helper()
	var fields []arrow.Field
	var columns []arrow.Array
	for i, c := range everyType {
		values, _, err := array.FromJSON(memory.DefaultAllocator, c.typ, strings.NewReader("["+c.two+"]"))
		if err != nil {
			t.Fatalf("%s: %v", c.typ, err)
		}
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: c.typ, Nullable: true})
		columns = append(columns, values)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, 2)
}

// written returns batches as IPC.
func written(t testing.TB, file bool, batches []arrow.RecordBatch, opts ...ipc.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	opts = append(opts, ipc.WithSchema(batches[0].Schema()))
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	if w = ipc.NewWriter(&b, opts...); file {
		var err error
		if w, err = ipc.NewFileWriter(&b, opts...); err != nil {
			t.Fatal(err)
		}
	}
	for _, batch := range batches {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read returns the rows of IPC, a line each.
func read(t testing.TB, data []byte, limit int) (string, error) {
	t.Helper()
	return readIn(t, data, limit, jsonrow.Room{})
}

func readIn(t testing.TB, data []byte, limit int, room jsonrow.Room) (string, error) {
	t.Helper()
	copied, err := os.Create(filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if _, err := copied.Write(data); err != nil {
		t.Fatal(err)
	}
	f, err := Open(copied, int64(len(data)), room)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = f.Each(limit, func(r jsonrow.Row) error {
		fmt.Fprintf(&out, "%d %s %v\n", r.Position, r.JSON, r.Problem)
		return nil
	})
	return out.String(), err
}

func TestEveryTypeOfArrowIsReadFromFilesAndStreams(t *testing.T) {
	one, two := "{", "{"
	for i, c := range everyType {
		if i > 0 {
			one, two = one+",", two+","
		}
		one, two = one+fmt.Sprintf(`"c%d":%s`, i, c.first), two+fmt.Sprintf(`"c%d":%s`, i, c.sec)
	}
	want := fmt.Sprintf("1 %[1]s} <nil>\n2 %[2]s} <nil>\n3 %[1]s} <nil>\n4 %[2]s} <nil>\n", one, two)
	batch := records(t)
	for _, file := range []bool{false, true} {
		for _, opts := range [][]ipc.Option{nil, {ipc.WithZstd()}, {ipc.WithLZ4()}} {
			data := written(t, file, []arrow.RecordBatch{batch, batch}, opts...)
			if got, err := read(t, data, 1<<20); got != want || err != nil {
				t.Errorf("file %v: got\n%s%v, want\n%s", file, got, err, want)
			}
		}
	}
}

func TestArrowThatIsCutOrIsNoneIsRefused(t *testing.T) {
	for _, file := range []bool{false, true} {
		whole := written(t, file, []arrow.RecordBatch{records(t)})
		for n := range len(whole) {
			if n%37 != 0 && n > 16 && n < len(whole)-16 {
				continue
			}
			if _, err := read(t, whole[:n], 1<<20); !errors.Is(err, jsonrow.ErrCut) {
				t.Errorf("file %v cut at %d of %d: got %v", file, n, len(whole), err)
			}
		}
	}
	if _, err := read(t, []byte("{\"time\":1}\n"), 1<<20); !errors.Is(err, jsonrow.ErrUnsupported) {
		t.Errorf("text: got %v", err)
	}
}

func TestARowOfArrowThatIsTooLongSaysSoAndItsNeighboursAreRead(t *testing.T) {
	long := strings.Repeat("x", 1000)
	values, _, err := array.FromJSON(memory.DefaultAllocator, arrow.ListOf(arrow.BinaryTypes.String), strings.NewReader(`[["a"],["`+long+`","b","c"],["d"]]`))
	if err != nil {
		t.Fatal(err)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "l", Type: values.DataType()}}, nil)
	got, err := read(t, written(t, true, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{values}, 3)}), 100)
	if err != nil || !strings.HasPrefix(got, "1 {\"l\":[\"a\"]} <nil>\n2 ") || !strings.HasSuffix(got, jsonrow.ErrLong.Error()+"\n3 {\"l\":[\"d\"]} <nil>\n") {
		t.Errorf("got %s, %v", got, err)
	}
}

func FuzzArrowIsReadOrRefused(f *testing.F) {
	for _, file := range []bool{false, true} {
		f.Add(written(f, file, []arrow.RecordBatch{records(f)}))
		f.Add(written(f, file, []arrow.RecordBatch{records(f)}, ipc.WithZstd()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := read(t, data, 1<<12)
		known := errors.Is(err, jsonrow.ErrCut) || errors.Is(err, jsonrow.ErrDamaged) || errors.Is(err, jsonrow.ErrUnsupported) || errors.Is(err, jsonrow.ErrLarge)
		if err != nil && !known {
			t.Errorf("got %v", err)
		}
	})
}
