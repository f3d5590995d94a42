package datafile_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"strandline/internal/datafile"
)

func TestCompareIsTheOrderInWhichTheEngineSorts(t *testing.T) {
	db := openDuckDB(t)
	cols, data := table(t, 60)
	for c, col := range cols {
		path := write(t, []datafile.Column{{Name: "v", Type: col.Type}}, data[c:c+1])
		sorted := filepath.Join(t.TempDir(), "sorted.parquet")
		if _, err := db.Exec(fmt.Sprintf("COPY (SELECT v FROM %s WHERE v IS NOT NULL ORDER BY v) TO '%s' (FORMAT parquet)", parquetOf(path), sorted)); err != nil {
			t.Fatal(err)
		}
		values := columnOf(t, sorted)
		distinct := 0
		for i, a := range values {
			for j, b := range values {
				got := datafile.Compare(col.Type, a, b)
				text := func(v datafile.Value) string { return string(datafile.AppendCanonical(nil, col.Type, v)) }
				if same := text(a) == text(b); same != (got == 0) || !same && (i < j) != (got < 0) {
					t.Fatalf("%s: row %d (%s) to row %d (%s): %d", col.Type, i, text(a), j, text(b), got)
				}
			}
			if i > 0 && datafile.Compare(col.Type, values[i-1], a) != 0 {
				distinct++
			}
		}
		if distinct == 0 {
			t.Errorf("%s: all values are one", col.Type)
		}
	}
}

// columnOf reads the only column of a file.
func columnOf(t *testing.T, path string) (values []datafile.Value) {
	t.Helper()
	file, err := datafile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Scan(func(row []datafile.Value) error { values = append(values, row[0].Clone()); return nil }); err != nil {
		t.Fatal(err)
	}
	return values
}
