package duck

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCopySortedWritesWhatTheStatementReturnsInKeyOrder(t *testing.T) {
	e, folder := open(t, Options{})
	s := session(t, e)
	for i, sql := range []string{
		"SELECT (i * 7919) % 1000 AS k, i % 3 AS \"K 2\" FROM range(1000) r(i)",
		"SELECT (i * 7919) % 1000 AS k, i % 3 AS \"K 2\" FROM range(1000) r(i);",
		"SELECT (i * 7919) % 1000 AS k, i % 3 AS \"K 2\" FROM range(1000) r(i) ; -- done; really",
		"SELECT (i * 7919) % 1000 AS k, i % 3 AS \"K 2\" FROM range(1000) r(i) -- no newline",
		"WITH r AS (FROM range(1000) r(i)) SELECT (i * 7919) % 1000 AS k, i % 3 AS \"K 2\" FROM r ORDER BY 2",
	} {
		paths, err := s.CopySorted(t.Context(), sql, []string{"K 2", "k"}, filepath.Join(folder, "scratch", fmt.Sprintf("it's %d", i)))
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		const inOrder = `SELECT count(*) || ' ' || (list((k, "K 2") ORDER BY file_row_number) = list((k, "K 2") ORDER BY "K 2", k)) FROM %s`
		if got := one(t, s, fmt.Sprintf(inOrder, ReadParquet(paths))); got != "1000 true" {
			t.Errorf("%s: %v", sql, got)
		}
	}
}

func TestNullsComeLastInCopies(t *testing.T) {
	e, folder := open(t, Options{})
	s := session(t, e)
	paths, err := s.CopySorted(t.Context(), "SELECT unnest([2, NULL, 1]) AS x", []string{"x"}, filepath.Join(folder, "scratch", "n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := one(t, s, "SELECT list(x ORDER BY file_row_number)::VARCHAR FROM "+ReadParquet(paths)); got != "[1, 2, NULL]" {
		t.Error(got)
	}
}

func TestCopySortedNamesAMissingKey(t *testing.T) {
	e, folder := open(t, Options{})
	s := session(t, e)
	_, err := s.CopySorted(t.Context(), "SELECT 1 AS a", []string{"key"}, filepath.Join(folder, "scratch", "n"))
	if err == nil || !strings.Contains(err.Error(), `"key" not found`) {
		t.Error(err)
	}
}

func TestNoStatementOfAPersonEscapesItsWrapping(t *testing.T) {
	e, folder := open(t, Options{})
	s := session(t, e)
	scratch := filepath.Join(folder, "scratch")
	victim := filepath.Join(scratch, "victim")
	must(t, s, "CREATE TEMP TABLE prey AS SELECT 1 AS x")
	before := files(t, folder)
	for _, sql := range []string{
		"SELECT 1) TO '" + victim + "'; --",
		"SELECT 1) TO '" + victim + "' (FORMAT csv); COPY (SELECT 2",
		"SELECT 1; COPY (SELECT 1) TO '" + victim + "'",
		"COPY (SELECT 1) TO '" + victim + "'; SELECT 1",
		"SELECT 1; DROP TABLE prey; SELECT 1",
		"DROP TABLE prey",
		"SELECT 1) AS a; DROP TABLE prey; SELECT * FROM (SELECT 1",
		"SELECT 1 /*", "SELECT '", "SELECT \"", "SELECT $a$", "SELECT 1 \\",
		"SELECT 1\x00) TO '" + victim + "'; --",
		"ATTACH '" + victim + "' AS v",
		"EXPORT DATABASE '" + victim + "'",
		"INSTALL httpfs", "LOAD httpfs", "SET memory_limit = '1GB'", "PRAGMA threads = 4", "CALL pragma_version()",
		"CREATE TABLE t AS SELECT 1", "CREATE MACRO count(x) AS 7", "PREPARE p AS DROP TABLE prey", "EXECUTE p",
		"SELECT * FROM query('DROP TABLE prey')",
		"SELECT * FROM json_execute_serialized_sql('{}')",
		"WITH d AS (DELETE FROM prey RETURNING *) SELECT * FROM d",
	} {
		out := filepath.Join(scratch, "out")
		if _, err := s.Describe(t.Context(), sql); err == nil {
			t.Errorf("Describe took %q", sql)
		}
		if _, err := s.CopySorted(t.Context(), sql, nil, out); err == nil {
			t.Errorf("CopySorted took %q", sql)
		}
		if rows, err := s.Query(t.Context(), sql); err == nil {
			t.Errorf("Query took %q", sql)
			rows.Close()
		}
		os.RemoveAll(out)
	}
	if got := one(t, s, "SELECT count(*) FROM prey"); got != int64(1) {
		t.Errorf("the table has %v rows", got)
	}
	if after := files(t, folder); after != before {
		t.Errorf("files appeared:\n%s", after)
	}
}

// files lists all files below a folder.
func files(t *testing.T, folder string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b.WriteString(path + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
