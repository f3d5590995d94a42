package main

import (
	"bufio"
	"iter"
	"strings"
	"testing"

	"strandline/internal/duck"
)

// What all files of a view have is written once, and SQL makes of it the list that names
// each as a whole.
func TestAListThatNamesItsFolderOnceIsThatOfAllPaths(t *testing.T) {
	engine, err := duck.Open(t.Context(), duck.Options{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	session, err := engine.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, folder := range []string{"/lake/data", "s3://bucket/it's [a] lake*?", "/two\nlines/ü", ""} {
		for _, files := range [][]string{{"2026-03-01T00/a"}, {"2026-03-01T00/a", "2026-03-01T00/it's", "2026-03-02/[b]*"}} {
			var paths []string
			for _, name := range files {
				paths = append(paths, folder+"/"+name+".parquet")
			}
			lines, apart := sqlOf(listIn(folder, inOneGo(files))), sqlOf(listIn(folder, bytesOf(files)))
			if lines != apart {
				t.Errorf("many names at a time make %s, each by itself %s", lines, apart)
			}
			sql := "SELECT " + sqlOf(listOf(paths)) + " = " + lines
			if first, _, err := session.Peek(t.Context(), sql, 1); err != nil || len(first) != 1 || !strings.Contains(first[0], "true") {
				t.Errorf("%s is %q (%v), want true", sql, first, err)
			}
		}
	}
}

// Views that were saved with the line ends of Windows find their files.
func TestViewsMayHaveTheLineEndsOfWindows(t *testing.T) {
	p := newProofIn(t, t.TempDir(), proveYAML)
	views := strings.ReplaceAll(p.good("query", "--print-views"), "\n", "\r\n")
	if names := strings.Count(views, "\r\n2026-"); names < 1 {
		t.Fatalf("no name of a file is on a line of its own: %s", views)
	}
	db := plainDuckDB(t)
	if _, err := db.Exec(views); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := db.QueryRow("SELECT count(*) FROM sales_hourly").Scan(&n); err != nil || n != 5 {
		t.Errorf("it has %d rows (%v), want 5", n, err)
	}
}

func inOneGo(files []string) iter.Seq[[]byte] {
	return bytesOf([]string{strings.Join(files, "\n")})
}

func sqlOf(list func(*bufio.Writer)) string {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	list(w)
	w.Flush()
	return b.String()
}

func bytesOf(files []string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, f := range files {
			if !yield([]byte(f)) {
				return
			}
		}
	}
}
