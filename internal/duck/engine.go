// Package duck is the SQL engine: one embedded DuckDB a process, in a sandbox,
// on which jobs are recomputed and tables are queried. It tells what a
// statement is made of before it runs (tables, columns, functions), runs it
// with one engine thread a session under a memory limit with spill, and writes
// what comes out as Parquet, Arrow, CSV, JSON or text.
//
// The sandbox: no extension is installed or loaded, no file is reachable but
// those in the folders named when the engine was opened, and no setting can be
// changed afterwards. Those folders are writable for the engine too, so only
// SELECT statements are taken from people, and the wrapping is ours.
package duck

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// Options says what the engine may use. Only Scratch is required.
type Options struct {
	// MemoryLimit is what all sessions together may hold in memory before they
	// spill to Scratch, such as "512MB"; empty is 1GB. The process takes up to
	// some 200 MB more.
	MemoryLimit string
	// Threads is how many threads one query may use, itself included; 0 is 1,
	// which is the cheapest: sessions run in parallel whatever it is.
	Threads int
	// Scratch is a folder of this process alone for spill files and results.
	// It is made where it is missing.
	Scratch string
	// Later leaves it to the caller to make Scratch before something is computed: a statement can be looked
	// at without.
	Later bool
	// MaxTemp is how much may be spilled, such as "20GB"; empty is 90% of what
	// the disk has left.
	MaxTemp string
	// Readable are the folders whose files may be read, beside Scratch.
	Readable []string
	// FileBytes is how many bytes a file of CopySorted holds before the next is
	// begun, with the row group that reaches it; 0 is 128 MiB. With several
	// Threads it writes one file, whatever its size.
	FileBytes int64
	// RowGroup is how many rows a row group of CopySorted holds; 0 is 32,768. The
	// engine takes whole batches of 2,048.
	RowGroup int
}

// Measured: what is read of a large result for one key or a narrow range of
// keys, against what the footers weigh.
const (
	defaultFileBytes = 128 << 20
	defaultRowGroup  = 32_768
)

// Engine is one DuckDB instance. It may be used from several goroutines.
type Engine struct {
	connector *duckdb.Connector
	scratch   string // absolute
	version   string
	threads   int   // of one query
	fileBytes int64 // as in Options
	rowGroup  int
}

// Open starts an engine and closes its sandbox. An error says which option it
// does not take.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Scratch == "" {
		return nil, errors.New("open SQL engine: no scratch folder given")
	}
	scratch, err := filepath.Abs(o.Scratch)
	if err != nil {
		return nil, fmt.Errorf("open SQL engine in %s: %w", o.Scratch, err)
	}
	if !o.Later {
		if err := os.MkdirAll(scratch, 0o755); err != nil {
			return nil, fmt.Errorf("open SQL engine: make scratch folder: %w", err)
		}
	}
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return nil, fmt.Errorf("open SQL engine: %w", err)
	}
	e := &Engine{
		connector: connector, scratch: scratch, threads: cmp.Or(o.Threads, 1),
		fileBytes: cmp.Or(o.FileBytes, defaultFileBytes), rowGroup: cmp.Or(o.RowGroup, defaultRowGroup),
	}
	if err := e.prepare(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("open SQL engine: %w", err), e.Close())
	}
	return e, nil
}

// Close ends the engine. Sessions must have been closed before.
func (e *Engine) Close() error {
	if err := e.connector.Close(); err != nil {
		return fmt.Errorf("close SQL engine: %w", err)
	}
	return nil
}

// Version names the engine's exact version, for fingerprints.
func (e *Engine) Version() string { return e.version }

// prepare closes the sandbox and learns the version.
func (e *Engine) prepare(ctx context.Context, o Options) error {
	s, err := e.Session(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := e.register(ctx); err != nil {
		return err
	}
	settings, err := o.sandbox(e.scratch, e.threads)
	if err != nil {
		return err
	}
	for _, setting := range settings {
		if err := s.Exec(ctx, setting); err != nil {
			return fmt.Errorf("%s: %w", setting, err)
		}
	}
	row, err := s.row(ctx, "SELECT library_version || '-' || source_id FROM pragma_version()")
	if err != nil {
		return err
	}
	e.version = fmt.Sprintf("duckdb %v", row[0])
	return nil
}

// row runs trusted SQL and returns its first row.
func (s *Session) row(ctx context.Context, sql string, args ...driver.NamedValue) ([]driver.Value, error) {
	rows, err := s.conn.QueryContext(ctx, sql, args)
	if err != nil {
		return nil, explain(ctx, err)
	}
	defer rows.Close()
	row := make([]driver.Value, len(rows.Columns()))
	if err := rows.Next(row); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the engine returned no row")
		}
		return nil, err
	}
	return row, nil
}
