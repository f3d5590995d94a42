package datafile_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"strandline/internal/datafile"

	"github.com/parquet-go/parquet-go"
)

// sample is a column and texts of its type, extremes among them. NULLs are
// put between them by columnOf.
type sample struct {
	name, typ string
	texts     []string
	values    []datafile.Value // what no text can say
}

var samples = []sample{
	{name: "zz boolean, first", typ: "BOOLEAN", texts: []string{"true", "FALSE"}},
	{name: "tiny", typ: "TINYINT", texts: []string{"-128", "127", "0"}},
	{name: "small", typ: "SMALLINT", texts: []string{"-32768", "32767"}},
	{name: "int", typ: "INTEGER", texts: []string{"-2147483648", "2147483647", "1e3"}},
	{name: "big", typ: "BIGINT", texts: []string{"-9223372036854775808", "9223372036854775807", "0"}},
	{name: "utiny", typ: "UTINYINT", texts: []string{"0", "255"}},
	{name: "usmall", typ: "USMALLINT", texts: []string{"0", "65535"}},
	{name: "uint", typ: "UINTEGER", texts: []string{"0", "4294967295"}},
	{name: "ubig", typ: "UBIGINT", texts: []string{"0", "18446744073709551615", "9223372036854775808"}},
	{name: "float", typ: "FLOAT", texts: []string{"0", "-0", "1.5", "0.1", "3.4028235e38", "-1e-45"},
		values: []datafile.Value{parquet.FloatValue(float32(math.NaN())), parquet.FloatValue(float32(math.Inf(-1)))}},
	{name: "double", typ: "DOUBLE", texts: []string{"0", "-0", "0.1", "1e23", "-1.7976931348623157e308", "5e-324", "123456789.123456789"},
		values: []datafile.Value{parquet.DoubleValue(math.NaN()), parquet.DoubleValue(math.Copysign(math.NaN(), -1)),
			parquet.DoubleValue(math.Inf(1)), parquet.DoubleValue(math.Inf(-1))}},
	{name: "dec 4,4", typ: "DECIMAL(4,4)", texts: []string{"0", "-0.5", ".1234", "-0.0001"}},
	{name: "dec 6,3", typ: "DECIMAL(6,3)", texts: []string{"-0.5", "999.999", "-999.999", "0.001", "12"}},
	{name: "dec 9,0", typ: "DECIMAL(9,0)", texts: []string{"999999999", "-999999999", "0"}},
	{name: "dec 18,3", typ: "DECIMAL(18,3)", texts: []string{"999999999999999.999", "-999999999999999.999", "-0.001"}},
	{name: "dec 38,0", typ: "DECIMAL(38,0)", texts: []string{strings.Repeat("9", 38), "-" + strings.Repeat("9", 38), "-1", "0", "18446744073709551616"}},
	{name: "dec 38,10", typ: "DECIMAL(38,10)", texts: []string{"-0.0000000001", "1844674407370955161.6", "-12345678901234567890.0000000001"}},
	{name: "dec 38,38", typ: "DECIMAL(38,38)", texts: []string{"0." + strings.Repeat("9", 38), "-0." + strings.Repeat("0", 37) + "1", "0"}},
	{name: `text "quoted"`, typ: "VARCHAR", texts: []string{"", "-", "1:a", "héllo 🌊", "line\nbreak", strings.Repeat("x", 5000)}},
	{name: "json", typ: "JSON", texts: []string{`{"a": [1, "é"]}`, `null`, `"x"`, ` 1.0 `}},
	{name: "date", typ: "DATE", texts: []string{"1970-01-01", "1969-12-31", "0001-01-01", "9999-12-31", "2024-02-29"}},
	{name: "ts", typ: "TIMESTAMP", texts: []string{"1970-01-01T00:00:00", "0001-01-01 00:00:00.000001", "9999-12-31T23:59:59.999999"}},
	{name: "tstz", typ: "TIMESTAMPTZ", texts: []string{"1970-01-01T00:00:00Z", "2024-03-10T02:30:00.5-07:00", "1969-12-31T23:59:59.999999Z"}},
	{name: "uuid", typ: "UUID", texts: []string{"00000000-0000-0000-0000-000000000000", "FFFFFFFF-ffff-ffff-ffff-ffffffffffff", "0188d1a5-7f3b-7c11-8a22-0123456789ab"}},
	{name: "blob", typ: "BLOB", texts: []string{"", "00", "0xDEADbeef", `\x00ff`}},
}

func typeOf(t testing.TB, s string) datafile.Type {
	t.Helper()
	typ, err := datafile.ParseType(s)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

func parse(t testing.TB, typ datafile.Type, text string) datafile.Value {
	t.Helper()
	v, err := datafile.ParseText(typ, []byte(text))
	if err != nil {
		t.Fatalf("%s %q: %v", typ, text, err)
	}
	return v
}

// table returns one column a sample, of rows values each: the sample's in
// turn, and a NULL after each round.
func table(t testing.TB, rows int) (cols []datafile.Column, data [][]datafile.Value) {
	t.Helper()
	for _, s := range samples {
		col := datafile.Column{Name: s.name, Type: typeOf(t, s.typ)}
		round := make([]datafile.Value, 0, 16)
		for _, text := range s.texts {
			round = append(round, parse(t, col.Type, text))
		}
		round = append(append(round, s.values...), datafile.Value{})
		values := make([]datafile.Value, rows)
		for i := range values {
			values[i] = round[i%len(round)]
		}
		cols, data = append(cols, col), append(data, values)
	}
	return cols, data
}

// write makes a data file in a folder of the test's own.
func write(t testing.TB, cols []datafile.Column, data [][]datafile.Value, groups ...int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "data.parquet")
	if _, err := datafile.Write(path, cols, data, groups); err != nil {
		t.Fatal(err)
	}
	return path
}

// canonical is the canonical encoding of row r.
func canonical(cols []datafile.Column, data [][]datafile.Value, r int) string {
	row := make([]datafile.Value, len(cols))
	for c := range cols {
		row[c] = data[c][r]
	}
	return string(datafile.AppendRow(nil, cols, row))
}
