package window

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"strandline/internal/duck"
	"strandline/internal/objstore"
	"strandline/landing"
)

const (
	relaidFiles    = 3    // so that no order of files is that of positions
	relaidRowGroup = 2048 // rows, the least the engine writes
)

// RecomputeOtherwise computes a partition of the rows that Recompute does, on
// purpose in another way: its rows are first laid out anew, in an order drawn
// from seed, in several files of small row groups, from segments in reverse. A
// job whose result is not a pure function of its rows and their positions
// gives itself away by it, the more surely on an engine with several threads.
// Errors are those of Recompute.
func (c *Compiled) RecomputeOtherwise(ctx context.Context, from Source, p Partition, upTo landing.Position, seed uint64) (Output, error) {
	id, err := objstore.FreshID()
	if err != nil {
		return Output{}, err
	}
	dir := filepath.Join(from.Scratch, id)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return Output{}, fmt.Errorf("make a scratch folder: %w", err)
	}
	defer os.RemoveAll(dir)
	files, err := c.relay(ctx, from, p, upTo, seed, dir)
	if err != nil {
		return Output{}, err
	}
	return c.compute(ctx, from, p, files, upTo)
}

// relay writes the partition's rows into files in dir, at their positions.
func (c *Compiled) relay(ctx context.Context, from Source, p Partition, upTo landing.Position, seed uint64, dir string) ([]duck.InputFile, error) {
	segments, release, err := c.fetch(ctx, from, p, upTo)
	if err != nil {
		return nil, err
	}
	defer release()
	slices.Reverse(segments)
	session, err := from.Engine.Session(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	if err := session.InputView(ctx, inputView, segments, c.readColumns()); err != nil {
		return nil, c.classify(ctx, err)
	}
	var relaid []duck.InputFile
	for i := range relaidFiles {
		file := duck.InputFile{Path: filepath.Join(dir, fmt.Sprintf("%d.parquet", i))}
		if err := session.Exec(ctx, relaySQL(c.Reads(p), seed, i, file.Path)); err != nil {
			return nil, c.classify(ctx, fmt.Errorf("lay rows out anew: %w", err))
		}
		relaid = append(relaid, file)
	}
	return relaid, nil
}

// relaySQL writes one share of the rows, in an order that positions have no
// part in. A row's offset is its position, so the file's base is 0.
func relaySQL(reads Interval, seed uint64, share int, path string) string {
	return fmt.Sprintf(`COPY (
  SELECT %[1]s AS __offset, * EXCLUDE (%[1]s)
  FROM %[2]s
  WHERE event_time >= make_timestamptz(%[3]d) AND event_time < make_timestamptz(%[4]d)
    AND hash(%[1]s, %[5]d::UBIGINT) %% %[6]d = %[7]d
  ORDER BY hash(%[5]d::UBIGINT, %[1]s), %[1]s
) TO %[8]s (FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE %[9]d, USE_TMP_FILE false)`,
		landing.ColumnPosition, duck.Ident(inputView), reads.Start.UnixMicro(), reads.End.UnixMicro(),
		seed, relaidFiles, share, duck.Literal(path), relaidRowGroup)
}
