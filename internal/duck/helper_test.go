package duck

import (
	"context"
	"path/filepath"
	"testing"
)

// open returns an engine in a fresh folder whose "in" may be read.
func open(t *testing.T, o Options) (*Engine, string) {
	t.Helper()
	folder := t.TempDir()
	if o.Scratch == "" {
		o.Scratch = filepath.Join(folder, "scratch")
	}
	o.Readable = append(o.Readable, filepath.Join(folder, "in"))
	e, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, folder
}

// session returns a session of e that ends with the test.
func session(t *testing.T, e *Engine) *Session {
	t.Helper()
	s, err := e.Session(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// must runs trusted SQL.
func must(t *testing.T, s *Session, sql string) {
	t.Helper()
	if err := s.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// one returns the single value of a trusted query.
func one(t *testing.T, s *Session, sql string) any {
	t.Helper()
	row, err := s.row(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return row[0]
}
