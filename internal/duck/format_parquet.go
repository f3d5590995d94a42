package duck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// writeParquet writes the result to a file in the scratch folder, since a
// Parquet file is not whole before its end, and then copies it to w.
func (s *Session) writeParquet(ctx context.Context, sql string, w io.Writer) (err error) {
	parsed, err := s.parse(ctx, sql)
	if err != nil {
		return err
	}
	outputs, err := s.outputs(ctx, parsed.Text)
	if err != nil {
		return err
	}
	seen := map[string]string{}
	for i, out := range outputs {
		if err := nameProblem(i, out.name, seen); err != nil {
			return fmt.Errorf("write result as parquet: %w", err)
		}
	}
	file, err := os.CreateTemp(s.engine.scratch, "result-*.parquet")
	if err != nil {
		return fmt.Errorf("write result as parquet: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), removed(file.Name())) }()
	named := func(_ int, out output) string { return out.name }
	if err := s.copyTo(ctx, selectAs(parsed, outputs, inParquet, named), file.Name(), inPlace); err != nil {
		return err
	}
	// The engine writes the file in place, so that ours sees what it wrote.
	if _, err := io.Copy(w, file); err != nil {
		return fmt.Errorf("write result as parquet: %w", err)
	}
	return nil
}

// removed removes a file, which the engine may have done before.
func removed(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// inParquet is a type that Parquet keeps exactly: the engine would store a
// HUGEINT as a DOUBLE and cut an INTERVAL to milliseconds.
func inParquet(s shape) shape {
	switch s.kind {
	case duckdb.TYPE_HUGEINT:
		s.kind, s.precision, s.sql = duckdb.TYPE_DECIMAL, 38, "DECIMAL(38,0)"
	case duckdb.TYPE_UHUGEINT, duckdb.TYPE_BIGNUM, duckdb.TYPE_INTERVAL, duckdb.TYPE_TIME_TZ, duckdb.TYPE_BIT,
		duckdb.TYPE_UNION, duckdb.TYPE_VARIANT, duckdb.TYPE_GEOMETRY, duckdb.TYPE_ENUM:
		s.kind, s.sql = duckdb.TYPE_VARCHAR, "VARCHAR"
	}
	return s
}
