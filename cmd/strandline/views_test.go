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
			sql := "SELECT " + sqlOf(listOf(paths)) + " = " + sqlOf(listIn(folder, bytesOf(files)))
			if first, _, err := session.Peek(t.Context(), sql, 1); err != nil || len(first) != 1 || !strings.Contains(first[0], "true") {
				t.Errorf("%s is %q (%v), want true", sql, first, err)
			}
		}
	}
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
