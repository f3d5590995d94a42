package duck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// Only what is wrong with a statement or its rows is ErrStatement.
func TestWhatTheEngineSaysOfAStatementIsTold(t *testing.T) {
	scratch := t.TempDir()
	e, _ := open(t, Options{Scratch: scratch})
	s := session(t, e)
	copied := func(sql, dir string) error {
		_, err := s.CopySorted(t.Context(), sql, nil, filepath.Join(scratch, dir))
		return err
	}
	for i, sql := range []string{
		"SELECT error('it is so')", "SELECT 'a'::INTEGER", "SELECT 9223372036854775807 + range FROM range(1, 3)", "SELECT 300::UTINYINT",
		"SELECT (SELECT range FROM range(2))", "SELECT regexp_matches('a', '(')", "SELECT no FROM range(1)", "SELECT strptime('x', '%Y')",
		"SELECT json_extract('{', '$')", "SELECT 11::DECIMAL(38, 0) * 99999999999999999999999999999999999999::DECIMAL(38, 0)", "SELECT * FROM nothing",
	} {
		if err := copied(sql, fmt.Sprint(i)); !errors.Is(err, ErrStatement) {
			t.Errorf("%s: %v, want ErrStatement", sql, err)
		}
	}
	if err := copied("SELECT 1", "0"); err == nil || errors.Is(err, ErrStatement) {
		t.Errorf("into a folder that exists: %v", err)
	}
	if err := os.RemoveAll(scratch); err != nil {
		t.Fatal(err)
	}
	if err := copied("SELECT 1", "gone"); err == nil || errors.Is(err, ErrStatement) {
		t.Errorf("into a scratch folder that is gone: %v", err)
	}
	for _, class := range []duckdb.ErrorType{duckdb.ErrorTypeFatal, duckdb.ErrorTypeInternal, duckdb.ErrorTypeInvalid, duckdb.ErrorTypeSerialization, duckdb.ErrorTypeConnection} {
		if err := explain(context.Background(), &duckdb.Error{Type: class, Msg: "x"}); errors.Is(err, ErrStatement) || !errors.Is(err, ErrEngine) {
			t.Errorf("class %d: %v, want ErrEngine", class, err)
		}
	}
}

// The engine makes its folder for spill files but once.
func TestTheFolderForSpillFilesIsMadeAgain(t *testing.T) {
	scratch := t.TempDir()
	e, _ := open(t, Options{Scratch: scratch, MemoryLimit: "32MB"})
	for i := range 2 {
		s := session(t, e)
		// More than fits in memory, sorted.
		_, err := s.CopySorted(t.Context(), "SELECT hash(range) AS h, range AS r FROM range(4000000)", []string{"h"}, filepath.Join(scratch, fmt.Sprint(i)))
		if err != nil {
			t.Fatalf("try %d: %v", i, err)
		}
		if err := os.RemoveAll(spillDir(scratch)); err != nil {
			t.Fatal(err)
		}
	}
}
