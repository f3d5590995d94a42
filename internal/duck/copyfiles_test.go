package duck

import (
	"fmt"
	"path/filepath"
	"testing"
)

// manyFiles has a file hold one row group, of the fewest rows there can be.
var manyFiles = Options{FileBytes: 1, RowGroup: 2048}

// copied is what a result of so many rows looks like: how many files, which
// rows of the order are first and last in each, and how many rows are out of
// that order.
func copied(t *testing.T, o Options, rows int) (files []string, outOfOrder any) {
	t.Helper()
	e, folder := open(t, o)
	s := session(t, e)
	sql := fmt.Sprintf("SELECT (i * 7919) %% %d AS k FROM range(%d) r(i)", rows, rows)
	paths, err := s.CopySorted(t.Context(), sql, []string{"k"}, filepath.Join(folder, "scratch", "result"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		files = append(files, one(t, s, "SELECT coalesce(min(k) || ' to ' || max(k), 'no row') FROM "+ReadParquet([]string{path})).(string))
	}
	return files, one(t, s, "SELECT count(*) FILTER (k <> n) FROM (SELECT k, row_number() OVER (ORDER BY file_index, file_row_number) - 1 AS n FROM "+ReadParquet(paths)+")")
}

func TestALargeCopyIsSeveralFilesThatFollowOneAnother(t *testing.T) {
	const rows = 25_000
	files, outOfOrder := copied(t, manyFiles, rows)
	if len(files) != 13 || outOfOrder != int64(0) {
		t.Fatalf("%d files, %v rows out of order", len(files), outOfOrder)
	}
	for i, got := range files {
		if want := fmt.Sprintf("%d to %d", i*2048, min((i+1)*2048, rows)-1); got != want {
			t.Errorf("file %d holds %s, want %s", i, got, want)
		}
	}
}

func TestASmallCopyIsOneFile(t *testing.T) {
	for rows, want := range map[int]string{1: "0 to 0", 40_000: "0 to 39999"} {
		if files, outOfOrder := copied(t, Options{}, rows); len(files) != 1 || files[0] != want || outOfOrder != int64(0) {
			t.Errorf("%d rows: %v, %v out of order", rows, files, outOfOrder)
		}
	}
}

func TestAnEmptyCopyIsOneFileWithoutRows(t *testing.T) {
	e, folder := open(t, manyFiles)
	s := session(t, e)
	paths, err := s.CopySorted(t.Context(), "SELECT 1 AS a, 'x' AS b WHERE false", []string{"a"}, filepath.Join(folder, "scratch", "empty"))
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	if got := one(t, s, "SELECT string_agg(column_name || ' ' || column_type, ', ') FROM (DESCRIBE FROM "+ReadParquet(paths)+")"); got != "a INTEGER, b VARCHAR" {
		t.Error(got)
	}
}

// What the engine writes to several files on several threads is in no order.
func TestSeveralThreadsKeepTheOrder(t *testing.T) {
	o := manyFiles
	o.Threads = 3
	const rows = 1_000_000
	files, outOfOrder := copied(t, o, rows)
	if len(files) != 1 || files[0] != fmt.Sprintf("0 to %d", rows-1) || outOfOrder != int64(0) {
		t.Errorf("%d files, the first %s, %v rows out of order", len(files), files[0], outOfOrder)
	}
}

func TestACopyDoesNotWriteIntoAFolderThatIsThere(t *testing.T) {
	e, folder := open(t, Options{})
	s := session(t, e)
	dir := filepath.Join(folder, "scratch", "result")
	if _, err := s.CopySorted(t.Context(), "SELECT 1 AS a", nil, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CopySorted(t.Context(), "SELECT 2 AS a", nil, dir); err == nil {
		t.Error("it took the folder of another result")
	}
}
