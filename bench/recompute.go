package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"strandline/ingest"
	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/window"
)

// measured is the partition that is computed: the whole day, or an hour of it.
func measured(grain window.Grain) window.Partition {
	return grain.Containing(firstDay.Add(12 * time.Hour))
}

// recomputes compares the recompute of one partition with the engine doing the
// same to one file that holds just its rows.
func (b bench) recomputes() error {
	t := newTable("Recomputing one partition, 1 thread",
		"rows landed", "partition", "job", "DuckDB CPU s", "recompute CPU s", "seal CPU s", "recompute, DuckDB = 1", "with seal", "peak MiB", "DuckDB's")
	for _, rows := range []int{b.rows / 20, b.rows / 5, b.rows} {
		text := strconv.Itoa(rows)
		for _, prepare := range []string{"make events", "make lake"} {
			if _, err := b.child(2, prepare, text); err != nil {
				return err
			}
		}
		for _, args := range [][]string{{text, "day", tumbling}, {text, "day", deduped}, {text, "hour", tumbling}, {text, "day", hopping}, {text, "day", sessions}} {
			ours, err := b.best(1, "recompute", args...)
			if err != nil {
				return err
			}
			duck, err := b.best(1, "recompute duckdb", args...)
			if err != nil {
				return err
			}
			if ours.Rows != duck.Rows {
				return fmt.Errorf("recompute %v: %d rows, the engine alone makes %d", args, ours.Rows, duck.Rows)
			}
			base := duck.total().CPU
			t.row(text, args[1], args[2], seconds(base), seconds(ours.Phases["recompute"].CPU), seconds(ours.Phases["seal"].CPU),
				times(ours.Phases["recompute"].CPU, base), times(ours.total().CPU, base), mib(ours.peak), mib(duck.peak))
		}
	}
	return t.end()
}

func (b bench) lakeDir(rows string) string { return filepath.Join(b.dir, "lake-"+rows) }

// makeLake lands the events of args[0] rows, anew, and writes the files that
// the engine alone is given.
func (b bench) makeLake(ctx context.Context, args []string) (facts, error) {
	dir := b.lakeDir(args[0])
	if err := os.RemoveAll(dir); err != nil {
		return facts{}, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return facts{}, err
	}
	store, err := objstore.OpenFolder(dir)
	if err != nil {
		return facts{}, err
	}
	stream := landing.Open(store, salesSpec, landing.Options{Scratch: b.dir})
	if _, err := ingest.LandFile(ctx, stream, b.eventsFile(args[0]), "events", ingest.Options{}); err != nil {
		return facts{}, err
	}
	for _, grain := range []window.Grain{window.GrainDay, window.GrainHour} {
		if err := b.makePartition(ctx, args[0], grain); err != nil {
			return facts{}, err
		}
	}
	return facts{}, nil
}

func (b bench) partitionFile(rows string, grain window.Grain) string {
	return filepath.Join(b.lakeDir(rows), grain.String()+".parquet")
}

// makePartition writes one file with the rows of one partition, in the order
// in which they came.
func (b bench) makePartition(ctx context.Context, rows string, grain window.Grain) error {
	p := measured(grain)
	return duckDB(ctx, 2, func(db *sql.Conn) error {
		_, err := db.ExecContext(ctx, fmt.Sprintf(`COPY (
  SELECT row_number() OVER () - 1 AS position, make_timestamptz("at" * 1000) AS event_time, * EXCLUDE ("at")
  FROM read_json('%s', format = 'newline_delimited', %s)
  WHERE "at" >= %d AND "at" < %d
) TO '%s' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
			b.eventsFile(rows), salesJSON, p.Start.UnixMilli(), p.End.UnixMilli(), b.partitionFile(rows, grain)))
		return err
	})
}

// recompute computes a partition (args: rows, grain, job) and seals it.
func (b bench) recompute(ctx context.Context, args []string) (f facts, err error) {
	grain, err := window.ParseGrain(args[1])
	if err != nil {
		return f, err
	}
	store, err := objstore.OpenFolder(b.lakeDir(args[0]))
	if err != nil {
		return f, err
	}
	scratch, err := os.MkdirTemp(b.dir, "scratch-")
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(scratch)
	engine, err := duck.Open(ctx, duck.Options{Scratch: scratch, Readable: []string{store.Root()}})
	if err != nil {
		return f, err
	}
	defer engine.Close()
	stream := landing.Open(store, salesSpec, landing.Options{Scratch: scratch})
	job, err := window.Compile(ctx, engine, salesJob(grain, args[2]), window.StreamShape(salesSpec))
	if err != nil {
		return f, err
	}
	if err := stream.Refresh(ctx); err != nil {
		return f, err
	}
	status := window.Status{Partition: measured(grain)}
	stream.View(func(s *landing.State) { status.Input = s.InputOf(job.Hours(job.Inputs[0], status.Partition)) })
	from := window.Source{Engine: engine, Feeds: []window.Feed{{Stream: stream, UpTo: stream.Next()}}, Files: localfile.New(store, scratch, localfile.DefaultMaxBytes), Scratch: scratch}
	publisher := publish.Publisher{Store: store, Table: manifests.Open(store, job.Name, manifests.Options{}), Key: job.Key, Time: job.TimeColumn(), Columns: job.Columns}

	var result window.Result
	var sealed publish.Sealed
	recompute, err := measure(func() (err error) {
		result, err = job.Recompute(ctx, from, status)
		return err
	})
	if err != nil {
		return f, err
	}
	seal, err := measure(func() (err error) {
		sealed, err = publisher.Seal(ctx, result, nil)
		return err
	})
	f.Rows, f.Phases = sealed.Receipt.Rows, map[string]phase{"recompute": recompute, "seal": seal}
	return f, err
}

// recomputeDuckDB does the same by the engine alone.
func (b bench) recomputeDuckDB(ctx context.Context, args []string) (f facts, err error) {
	out := filepath.Join(b.lakeDir(args[0]), "out.parquet")
	file := fmt.Sprintf("read_parquet('%s')", b.partitionFile(args[0], window.Grain{Unit: window.Unit(args[1])}))
	view := "CREATE TEMP VIEW sales AS\n" + plainWindows(file, args[2])
	write := fmt.Sprintf("COPY (SELECT * FROM (%s) ORDER BY window_start, shop, paid_by) TO '%s' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)", salesSQL, out)
	err = duckDB(ctx, 1, func(db *sql.Conn) error {
		p, err := measure(func() error {
			if _, err := db.ExecContext(ctx, view); err != nil {
				return err
			}
			result, err := db.ExecContext(ctx, write)
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
