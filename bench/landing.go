package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"

	"strandline/ingest"
	"strandline/internal/objstore"
	"strandline/landing"
)

// landingRounds is how often each is landed: a run takes a second, in which a shared
// machine is now slower and now faster.
const landingRounds = 9

// landings compares landing a file with the engine's read_json and COPY.
func (b bench) landings() error {
	rows := strconv.Itoa(b.rows / 2)
	if _, err := b.child(1, "make events", rows); err != nil {
		return err
	}
	t := newTable("Landing "+rows+" rows of NDJSON, into a folder",
		"", "threads", "wall s", "CPU s", "rows/CPU s", "MB/CPU s", "peak MiB", "CPU, DuckDB = 1")
	for _, threads := range []int{1, 2} {
		best, err := inTurn(landingRounds, b.inChild(threads, "land", rows), b.inChild(threads, "land duckdb", rows, strconv.Itoa(threads)))
		if err != nil {
			return err
		}
		ours, duck := best[0], best[1]
		row := func(name string, f facts) {
			p := f.total()
			t.row(name, strconv.Itoa(threads), seconds(p.Wall), seconds(p.CPU), fmt.Sprintf("%.0f", float64(f.Rows)/p.CPU.Seconds()),
				fmt.Sprintf("%.0f", float64(f.Bytes)/1e6/p.CPU.Seconds()), mib(f.peak), times(p.CPU, duck.total().CPU))
		}
		row("DuckDB read_json, COPY to Parquet", duck)
		row("Strandline", ours)
	}
	return t.end()
}

// land lands the events of args[0] rows in a fresh lake.
func (b bench) land(ctx context.Context, args []string) (facts, error) {
	dir, err := os.MkdirTemp(b.dir, "land-")
	if err != nil {
		return facts{}, err
	}
	defer os.RemoveAll(dir)
	store, err := objstore.OpenFolder(dir)
	if err != nil {
		return facts{}, err
	}
	stream := landing.Open(store, salesSpec, landing.Options{Scratch: dir})
	var f facts
	p, err := measure(func() error {
		outcome, err := ingest.LandFile(ctx, stream, b.eventsFile(args[0]), "events", ingest.Options{Format: ingest.FormatNDJSON})
		f.Rows, f.Bytes = outcome.Rows(), outcome.Identity.Size
		return err
	})
	f.Phases = map[string]phase{"land": p}
	return f, err
}

// landDuckDB does with args[1] threads what the engine alone would do, as people write it:
// by its defaults, which are Snappy and row groups of 122,880 rows.
func (b bench) landDuckDB(ctx context.Context, args []string) (facts, error) {
	if len(args) != 2 {
		return facts{}, errors.New("want rows and threads")
	}
	threads, err := strconv.Atoi(args[1])
	if err != nil {
		return facts{}, err
	}
	path := b.eventsFile(args[0])
	info, err := os.Stat(path)
	if err != nil {
		return facts{}, err
	}
	f := facts{Bytes: info.Size()}
	out := path + ".parquet"
	defer os.Remove(out)
	err = duckDB(ctx, threads, func(db *sql.Conn) error {
		p, err := measure(func() error {
			result, err := db.ExecContext(ctx, fmt.Sprintf(
				"COPY (SELECT * FROM read_json('%s', format = 'newline_delimited', %s)) TO '%s' (FORMAT parquet)",
				path, salesJSON, out))
			if err != nil {
				return err
			}
			f.Rows, err = result.RowsAffected()
			return err
		})
		f.Phases = map[string]phase{"copy": p}
		return err
	})
	return f, err
}
