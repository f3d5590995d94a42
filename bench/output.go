package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"strandline/internal/duck"
	"strandline/window"
)

// A result of one row for each sale of a day, and how it may lie in files.
const (
	layoutPlain    = "DuckDB, COPY as rows come"
	layoutSorted   = "DuckDB, COPY in order of the key"
	layoutOurs     = "Strandline"
	layoutOursMany = "Strandline, files of 8 MiB"
)

var resultKey = []string{"window_start", "shop", "id", "position"}

const resultSQL = "SELECT window_start, shop, id, position, paid_by, cents, weight, item FROM sales"

// outputs compares what is read of one large result for one key, for a narrow
// range of keys and as a whole, by how it lies in files.
func (b bench) outputs() error {
	rows := strconv.Itoa(b.rows)
	t := newTable("Reading a result of "+rows+" rows, 1 thread",
		"written by", "files", "write CPU s", "MB", "key: MB read", "CPU ms", "range: MB read", "CPU ms", "all: MB read", "CPU ms")
	for _, layout := range []string{layoutPlain, layoutSorted, layoutOurs, layoutOursMany} {
		written, err := b.best(1, "write output", rows, layout)
		if err != nil {
			return err
		}
		cells := []string{layout, strconv.FormatInt(written.Rows, 10), seconds(written.total().CPU), fmt.Sprintf("%.1f", float64(written.Bytes)/1e6)}
		for _, query := range []string{"key", "range", "all"} {
			read, err := b.best(1, "read output", rows, layout, query)
			if err != nil {
				return err
			}
			cells = append(cells, fmt.Sprintf("%.2f", float64(read.Bytes)/1e6), fmt.Sprintf("%.1f", 1e3*read.total().CPU.Seconds()))
		}
		t.row(cells...)
	}
	return t.end()
}

func (b bench) outputDir(rows, layout string) string {
	return filepath.Join(b.lakeDir(rows), "output", layout)
}

// salesOfDay is a view of the sales that makeLake left, in the order in which
// they came.
func (b bench) salesOfDay(rows string) string {
	return fmt.Sprintf(`CREATE TEMP VIEW sales AS
SELECT make_timestamptz(epoch_us(event_time) - epoch_us(event_time) %% 900000000) AS window_start, *
FROM read_parquet('%s')`, b.partitionFile(rows, window.GrainDay))
}

// writeOutput writes the result (args: rows, layout) anew. It tells how many
// files that are, and their size.
func (b bench) writeOutput(ctx context.Context, args []string) (f facts, err error) {
	dir := b.outputDir(args[0], args[1])
	if err := os.RemoveAll(dir); err != nil {
		return f, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return f, err
	}
	switch args[1] {
	case layoutPlain:
		f, err = b.copyPlain(ctx, args[0], resultSQL, dir)
	case layoutSorted:
		f, err = b.copyPlain(ctx, args[0], resultSQL+" ORDER BY window_start, shop, id, position", dir)
	case layoutOurs:
		f, err = b.copyOurs(ctx, args[0], 0, dir)
	case layoutOursMany:
		f, err = b.copyOurs(ctx, args[0], 8<<20, dir)
	default:
		err = fmt.Errorf("there is no layout %q", args[1])
	}
	if err != nil {
		return f, err
	}
	files, err := os.ReadDir(dir)
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			return f, err
		}
		f.Rows, f.Bytes = f.Rows+1, f.Bytes+info.Size()
	}
	return f, err
}

// copyPlain has the engine alone write a SELECT, as it does by default but for
// the compression, which is ours.
func (b bench) copyPlain(ctx context.Context, rows, query, dir string) (f facts, err error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return f, err
	}
	err = duckDB(ctx, 1, func(db *sql.Conn) error {
		if _, err := db.ExecContext(ctx, b.salesOfDay(rows)); err != nil {
			return err
		}
		p, err := measure(func() error {
			_, err := db.ExecContext(ctx, fmt.Sprintf("COPY (%s) TO '%s' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)",
				query, filepath.Join(dir, "data.parquet")))
			return err
		})
		f.Phases = map[string]phase{"write": p}
		return err
	})
	return f, err
}

func (b bench) copyOurs(ctx context.Context, rows string, fileBytes int64, dir string) (f facts, err error) {
	engine, err := duck.Open(ctx, duck.Options{Scratch: filepath.Dir(dir), Readable: []string{b.lakeDir(rows)}, FileBytes: fileBytes})
	if err != nil {
		return f, err
	}
	defer engine.Close()
	session, err := engine.Session(ctx)
	if err != nil {
		return f, err
	}
	defer session.Close()
	if err := session.Exec(ctx, b.salesOfDay(rows)); err != nil {
		return f, err
	}
	p, err := measure(func() error {
		_, err := session.CopySorted(ctx, resultSQL, resultKey, dir)
		return err
	})
	f.Phases = map[string]phase{"write": p}
	return f, err
}

// conditions are what the queries ask for: the sale of the middle, by its key;
// two shops' sales of its window; and all.
func (b bench) conditions(ctx context.Context, db *sql.Conn, rows string) (map[string]string, error) {
	var start, shop, id string
	err := db.QueryRowContext(ctx, fmt.Sprintf(
		"SELECT window_start::VARCHAR, shop, id FROM (%s) WHERE position = %s // 2", resultSQL, rows)).Scan(&start, &shop, &id)
	window := fmt.Sprintf("window_start = TIMESTAMPTZ '%s'", start)
	return map[string]string{
		"key":   fmt.Sprintf("%s AND shop = '%s' AND id = '%s'", window, shop, id),
		"range": fmt.Sprintf("%s AND shop BETWEEN '%s' AND '%s0'", window, shop, shop),
		"all":   "true",
	}, err
}

// readOutput asks a result (args: rows, layout, query) by the engine alone, once,
// and tells what that read of the files.
func (b bench) readOutput(ctx context.Context, args []string) (f facts, err error) {
	err = duckDB(ctx, 1, func(db *sql.Conn) error {
		if _, err := db.ExecContext(ctx, b.salesOfDay(args[0])); err != nil {
			return err
		}
		conditions, err := b.conditions(ctx, db, args[0])
		if err != nil {
			return err
		}
		before := bytesRead()
		p, err := measure(func() error {
			var cents, heaviest any
			return db.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*), sum(cents), max(item) FROM read_parquet('%s/*.parquet') WHERE %s",
				b.outputDir(args[0], args[1]), conditions[args[2]])).Scan(&f.Rows, &cents, &heaviest)
		})
		f.Bytes, f.Phases = bytesRead()-before, map[string]phase{"read": p}
		if err == nil && f.Rows == 0 {
			err = fmt.Errorf("no row for %s", conditions[args[2]])
		}
		return err
	})
	return f, err
}
