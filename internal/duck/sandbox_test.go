package duck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheSandboxKeepsFilesAndSettingsOut(t *testing.T) {
	e, folder := open(t, Options{})
	s := session(t, e)
	inside := segment(t, s, filepath.Join(inFolder(t, folder), "a.parquet"), 3, 0, "")
	for _, name := range []string{"secret.csv", "in2/secret.csv", "scratch2/secret.csv"} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("a\n1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, sql := range []string{
			"SELECT * FROM " + Literal(path),
			"SELECT * FROM read_csv(" + Literal(path) + ")",
			"SELECT * FROM read_text(" + Literal(path) + ")",
			"SELECT * FROM read_blob(" + Literal(filepath.Join(folder, "in", "..", name)) + ")",
			"SELECT * FROM glob(" + Literal(filepath.Join(folder, "*.csv")) + ")",
			"COPY (SELECT 1) TO " + Literal(path),
		} {
			if err := s.Exec(t.Context(), sql); err == nil {
				t.Errorf("%s went through", sql)
			}
		}
	}
	for _, sql := range []string{
		"ATTACH " + Literal(filepath.Join(folder, "x.db")),
		"INSTALL httpfs", "LOAD httpfs", "LOAD '/tmp/x.duckdb_extension'",
		"SELECT * FROM 'http://127.0.0.1:1/x.parquet'", "SELECT * FROM read_csv('https://example.com/x.csv')",
		"SET memory_limit = '9GB'", "SET threads = 8", "SET enable_external_access = true", "SET TimeZone = 'Asia/Tokyo'",
		"SET lock_configuration = false", "RESET memory_limit", "PRAGMA memory_limit = '9GB'",
		"CREATE PERSISTENT SECRET x (TYPE s3)", "SET GLOBAL allowed_directories = ['/']",
	} {
		if err := s.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s went through", sql)
		}
	}
	if got := one(t, s, "SELECT count(*) FROM "+ReadParquet([]string{inside})); got != int64(3) {
		t.Errorf("the readable folder can't be read: %v", got)
	}
}

func TestSettingsHoldInEverySession(t *testing.T) {
	e, _ := open(t, Options{MemoryLimit: "300MiB", Threads: 2, MaxTemp: "1GiB"})
	for range 2 {
		s := session(t, e)
		got := one(t, s, `SELECT current_setting('TimeZone') || ' ' || current_setting('memory_limit') || ' ' || current_setting('threads') || ' ' || current_setting('max_temp_directory_size')`)
		if got != "UTC 300.0 MiB 2 1.0 GiB" {
			t.Error(got)
		}
	}
	if v := e.Version(); !strings.HasPrefix(v, "duckdb v1.") {
		t.Errorf("version %q", v)
	}
}

func TestOpenSaysWhichOptionItDoesNotTake(t *testing.T) {
	for want, o := range map[string]Options{
		"scratch": {},
		"lots":    {Scratch: t.TempDir(), MemoryLimit: "lots"},
		"plenty":  {Scratch: t.TempDir(), MaxTemp: "plenty"},
		"threads": {Scratch: t.TempDir(), Threads: -2},
	} {
		e, err := Open(t.Context(), o)
		if err == nil {
			e.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

func TestFoldersWithQuotesAreQuoted(t *testing.T) {
	folder := filepath.Join(t.TempDir(), `it's "here"`)
	e, err := Open(t.Context(), Options{Scratch: filepath.Join(folder, "scratch"), Readable: []string{filepath.Join(folder, "in'")}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := session(t, e)
	paths, err := s.CopySorted(t.Context(), "SELECT 1 AS x", []string{"x"}, filepath.Join(folder, "scratch", "a'b"))
	if err != nil {
		t.Fatal(err)
	}
	if got := one(t, s, "SELECT count(*) FROM "+ReadParquet(paths)); got != int64(1) {
		t.Error(got)
	}
}
