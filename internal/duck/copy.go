package duck

import (
	"context"
	"fmt"
)

// parquetOptions are how files are written: measured best for our use, and in
// place, so that what an error leaves behind has a name the caller knows.
const parquetOptions = "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, USE_TMP_FILE false)"

// CopySorted runs a person's SELECT and writes what it returns to a Parquet
// file at path, sorted ascending by the columns of orderBy, NULLs last. The
// file must lie in the scratch folder; what an error or a cancelled ctx leaves
// there is for the caller to remove.
func (s *Session) CopySorted(ctx context.Context, sql string, orderBy []string, path string) error {
	parsed, err := s.parse(ctx, sql)
	if err != nil {
		return err
	}
	order := ""
	if len(orderBy) > 0 {
		order = " ORDER BY " + joined(orderBy, func(column string) string { return Ident(column) + " ASC NULLS LAST" })
	}
	return s.copyTo(ctx, "SELECT * FROM "+wrapped(parsed)+order, path)
}

// copyTo writes what our own SELECT returns to a Parquet file.
func (s *Session) copyTo(ctx context.Context, sql, path string) error {
	if err := s.execOne(ctx, fmt.Sprintf("COPY (%s) TO %s %s", sql, Literal(path), parquetOptions)); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// wrapped is a statement as a subquery, on lines of its own since it may end
// in a comment.
func wrapped(st *Statement) string { return "(\n" + st.Text + "\n)" }
