package duck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// parquetOptions are how all files are written: measured best for our use.
const parquetOptions = "FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1"

// inPlace has the engine write to the very path it is told, so that what an
// error leaves behind has a name the caller knows.
const inPlace = ", USE_TMP_FILE false"

// CopySorted runs a person's SELECT and writes what it returns to Parquet files
// in the new folder dir, sorted ascending by the columns of orderBy, NULLs last.
// Files are begun and ended as Options say, and each goes on where the one before
// it ended: it returns their paths in that order, at least one. The folder must
// lie in the scratch folder; what an error or a cancelled ctx leaves there is for
// the caller to remove.
func (s *Session) CopySorted(ctx context.Context, sql string, orderBy []string, dir string) ([]string, error) {
	parsed, err := s.parse(ctx, sql)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for results: %w", err)
	}
	order := ""
	if len(orderBy) > 0 {
		order = " ORDER BY " + joined(orderBy, func(column string) string { return Ident(column) + " ASC NULLS LAST" })
	}
	to, options := s.engine.layout(dir)
	if err := s.copyTo(ctx, "SELECT * FROM "+wrapped(parsed)+order, to, options); err != nil {
		return nil, err
	}
	return resultFiles(dir)
}

// layout is where and how CopySorted writes its files. The engine keeps the
// order from one file to the next on one thread only; on several it gets one
// file, whose order it does keep.
func (e *Engine) layout(dir string) (to, options string) {
	options = fmt.Sprintf(", ROW_GROUP_SIZE %d", e.rowGroup)
	if e.threads > 1 {
		return resultFile(dir, 0), options + inPlace
	}
	return dir, options + fmt.Sprintf(", FILE_SIZE_BYTES '%dB'", e.fileBytes)
}

// resultFile is the i-th of a result's files, as the engine names them.
func resultFile(dir string, i int) string {
	return filepath.Join(dir, fmt.Sprintf("data_%d.parquet", i))
}

func resultFiles(dir string) ([]string, error) {
	written, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look for the files that were written: %w", err)
	}
	paths := make([]string, len(written))
	for i := range paths {
		paths[i] = resultFile(dir, i)
	}
	return paths, nil
}

// copyTo writes what our own SELECT returns as Parquet to a file or a folder. Where
// that is concerns nobody but whom its disk fails.
func (s *Session) copyTo(ctx context.Context, sql, path, options string) error {
	err := s.execOne(ctx, fmt.Sprintf("COPY (%s) TO %s (%s%s)", sql, Literal(path), parquetOptions, options))
	if errors.Is(err, ErrIO) {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return err
}

// wrapped is a statement as a subquery, on lines of its own since it may end
// in a comment.
func wrapped(st *Statement) string { return "(\n" + st.Text + "\n)" }
