package datafile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strandline/internal/datafile"
	"strandline/internal/digest"

	"github.com/parquet-go/parquet-go"
)

// readBack returns the canonical encoding of each row of the file.
func readBack(t testing.TB, path string) (cols []datafile.Column, rows []string) {
	t.Helper()
	f, err := datafile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = f.Scan(func(row []datafile.Value) error {
		rows = append(rows, string(datafile.AppendRow(nil, f.Columns(), row)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(rows)) != f.Rows() {
		t.Fatalf("scanned %d rows of %d", len(rows), f.Rows())
	}
	return f.Columns(), rows
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	for _, rows := range []int{0, 1, 7, 1500, 40_000} {
		cols, data := table(t, rows)
		path := write(t, cols, data, rows/3, rows/3, rows)
		gotCols, got := readBack(t, path)
		if !slices.Equal(gotCols, cols) {
			t.Fatalf("columns\n got %v\nwant %v", gotCols, cols)
		}
		for r := range rows {
			if want := canonical(cols, data, r); got[r] != want {
				t.Fatalf("row %d of %d\n got %q\nwant %q", r, rows, got[r], want)
			}
		}
	}
}

func TestEqualInputGivesEqualBytes(t *testing.T) {
	cols, data := table(t, 3000)
	a, err := os.ReadFile(write(t, cols, data, 1000, 3000))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(write(t, cols, data, 1000, 3000))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("two files of the same rows differ")
	}
}

func TestSummaryIsTheSumOfTheRows(t *testing.T) {
	cols, data := table(t, 500)
	var want digest.Sum128
	for r := range 500 {
		want = want.Add(digest.OfRow([]byte(canonical(cols, data, r))))
	}
	path := write(t, cols, data, 100, 500)
	seen := 0
	got, err := datafile.Summarize(path, func(row []datafile.Value) error {
		seen++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.Digest != want || got.Rows != 500 || seen != 500 {
		t.Errorf("digest %s over %d rows, checked %d; want %s over 500", got.Digest, got.Rows, seen, want)
	}
	if got.FileDigest != digest.OfBytes(body) || got.Bytes != int64(len(body)) {
		t.Errorf("file digest %s of %d bytes; want %s of %d", got.FileDigest, got.Bytes, digest.OfBytes(body), len(body))
	}
}

func TestWriteRefusesWhatHasNoShape(t *testing.T) {
	big := datafile.Column{Name: "n", Type: datafile.Type{Kind: datafile.BigInt}}
	one := []datafile.Value{parquet.Int64Value(1)}
	for name, c := range map[string]struct {
		cols   []datafile.Column
		data   [][]datafile.Value
		groups []int
		want   string
	}{
		"no columns":       {nil, nil, nil, "0 columns"},
		"missing column":   {[]datafile.Column{big, big}, [][]datafile.Value{one}, nil, "1 columns of data for 2"},
		"same name":        {[]datafile.Column{big, big}, [][]datafile.Value{one, one}, nil, "taken"},
		"no type":          {[]datafile.Column{{Name: "n"}}, [][]datafile.Value{one}, nil, "no type"},
		"ragged":           {[]datafile.Column{big, {Name: "m", Type: big.Type}}, [][]datafile.Value{one, nil}, nil, "0 rows"},
		"rows left over":   {[]datafile.Column{big}, [][]datafile.Value{one}, []int{0}, "row 0 of 1"},
		"groups backwards": {[]datafile.Column{big}, [][]datafile.Value{one}, []int{1, 0}, "not ascending"},
		"another kind":     {[]datafile.Column{big}, [][]datafile.Value{{parquet.ByteArrayValue([]byte("x"))}}, nil, "BYTE_ARRAY"},
		"short uuid": {[]datafile.Column{{Name: "u", Type: datafile.Type{Kind: datafile.UUID}}},
			[][]datafile.Value{{parquet.FixedLenByteArrayValue([]byte("x"))}}, nil, "UUID"},
	} {
		path := filepath.Join(t.TempDir(), "x.parquet")
		_, err := datafile.Write(path, c.cols, c.data, c.groups)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: something was left at the path", name)
		}
	}
}

// What the footer says of a column's values bounds all of them, in every row group; for
// each type but those of which nothing may be said, it says something.
func TestBoundsHoldForEveryValue(t *testing.T) {
	cols, data := table(t, 300)
	ends := []int{1, 10, 300}
	path := write(t, cols, data, ends...)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	start := 0
	for g, end := range ends {
		for c, col := range cols {
			said := f.Metadata().RowGroups[g].Columns[c].MetaData.Statistics
			nulls := int64(0)
			for _, v := range data[c][start:end] {
				if v.IsNull() {
					nulls++
				} else if said.MinValue != nil && !within(col.Type, v, said.MinValue, said.MaxValue) {
					t.Errorf("%s, row group %d: %v is not between %x and %x", col.Name, g, v, said.MinValue, said.MaxValue)
				}
			}
			if said.NullCount != nulls {
				t.Errorf("%s, row group %d: %d NULLs, want %d", col.Name, g, said.NullCount, nulls)
			}
			unsaid := col.Type.Precision > 18 || g > 0 && slices.Contains([]string{"float", "double", `text "quoted"`}, col.Name)
			if said.MinValue == nil != unsaid || said.MaxValue == nil != unsaid {
				t.Errorf("%s, row group %d: bounds %x and %x", col.Name, g, said.MinValue, said.MaxValue)
			}
		}
		start = end
	}
}

// within tells whether a value lies between two as a footer has them.
func within(typ datafile.Type, v datafile.Value, least, greatest []byte) bool {
	value := func(plain []byte) datafile.Value {
		if v.Kind() == parquet.Boolean {
			return parquet.BooleanValue(plain[0] == 1)
		}
		return v.Kind().Value(plain)
	}
	return datafile.Compare(typ, value(least), v) <= 0 && datafile.Compare(typ, v, value(greatest)) <= 0
}

func TestWriteLeavesTheCallersValuesAlone(t *testing.T) {
	cols, data := table(t, 100)
	before := make([]string, 100)
	for r := range before {
		before[r] = canonical(cols, data, r)
	}
	write(t, cols, data)
	for r := range before {
		if canonical(cols, data, r) != before[r] || data[0][r].DefinitionLevel() != 0 {
			t.Fatalf("row %d changed", r)
		}
	}
}

func TestEncodingARowAllocatesNothing(t *testing.T) {
	cols, data := table(t, 1)
	row := make([]datafile.Value, len(cols))
	for c := range row {
		row[c] = data[c][0]
	}
	buf := datafile.AppendRow(nil, cols, row)
	if n := testing.AllocsPerRun(100, func() { buf = datafile.AppendRow(buf[:0], cols, row) }); n != 0 {
		t.Errorf("%v allocations a row", n)
	}
}
