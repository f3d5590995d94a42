package datafile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strandline/internal/datafile"
	"strandline/internal/digest"
)

func TestWhatIsWrittenGroupByGroupIsReadBack(t *testing.T) {
	for _, ends := range [][]int{{}, {1}, {3, 700, 2000}} {
		rows := 0
		if len(ends) > 0 {
			rows = ends[len(ends)-1]
		}
		cols, data := table(t, rows)
		path := filepath.Join(t.TempDir(), "a.parquet")
		w, err := datafile.Create(path, cols, datafile.Passing)
		if err != nil {
			t.Fatal(err)
		}
		start := 0
		for _, end := range ends {
			group := make([][]datafile.Value, len(cols))
			for c := range cols {
				group[c] = data[c][start:end]
			}
			if err := w.Group(vectorsOf(t, cols, group)); err != nil {
				t.Fatal(err)
			}
			start = end
		}
		written, err := w.Close()
		if err != nil {
			t.Fatal(err)
		}
		w.Abort() // does nothing any more
		if info, err := os.Stat(path); err != nil || info.Size() != written.Bytes {
			t.Errorf("it says %d bytes: %v, %v", written.Bytes, info, err)
		}
		if sum, err := digest.OfFile(path); err != nil || sum != written.Digest {
			t.Errorf("it says that its digest is %s, it is %s, %v", written.Digest, sum, err)
		}
		gotCols, got := readBack(t, path)
		if !slices.Equal(gotCols, cols) || len(got) != rows {
			t.Fatalf("%d rows of columns %v, want %d of %v", len(got), gotCols, rows, cols)
		}
		for r := range rows {
			if want := canonical(cols, data, r); got[r] != want {
				t.Fatalf("row %d of %d\n got %q\nwant %q", r, rows, got[r], want)
			}
		}
	}
}

func TestAnAbortedOrRefusedFileIsGone(t *testing.T) {
	cols, data := table(t, 5)
	path := filepath.Join(t.TempDir(), "a.parquet")
	w, err := datafile.Create(path, cols, datafile.Passing)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Group(vectorsOf(t, cols, data)[1:]); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a group that lacks a column: %v", err)
	}
	w.Abort()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("it is there still: %v", err)
	}
}

// vectorsOf returns vectors of the rows data[c][r].
func vectorsOf(t testing.TB, cols []datafile.Column, data [][]datafile.Value) []*datafile.Vector {
	t.Helper()
	vectors := datafile.NewVectors(cols)
	for c, v := range vectors {
		for _, x := range data[c] {
			if err := v.Append(x); err != nil {
				t.Fatal(err)
			}
		}
	}
	return vectors
}
