package landing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"strandline/internal/datafile"
	"strandline/internal/digest"
)

// ErrSegment says that a segment file does not hold the rows that the landing
// log says it holds.
var ErrSegment = errors.New("the segment does not hold what the landing log says")

// open opens the segment's file at path, which is ErrSegment if it is not of
// the size, the rows and the columns that the log says.
func (s Segment) open(path string) (*datafile.File, error) {
	file, err := datafile.Open(path)
	if err != nil {
		return nil, err
	}
	columns := segmentColumns(s.Columns)
	switch {
	case file.Bytes() != s.Bytes:
		err = fmt.Errorf("%w: it has %d bytes, want %d", ErrSegment, file.Bytes(), s.Bytes)
	case file.Rows() != s.Rows:
		err = fmt.Errorf("%w: it has %d rows, want %d", ErrSegment, file.Rows(), s.Rows)
	case !slices.Equal(file.Columns(), columns):
		err = fmt.Errorf("%w: it has the columns %v, want %v", ErrSegment, file.Columns(), columns)
	default:
		return file, nil
	}
	return nil, errors.Join(err, file.Close())
}

// scan calls fn with each row of the segment's file at path, in file order, with
// its bucket-hour, position and digest. The row is valid during that call only.
func (s Segment) scan(ctx context.Context, path string, fn func(landedRow) error) error {
	file, err := s.open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	columns := digestedColumns(s.Columns)
	var text []byte
	return file.Scan(func(row []datafile.Value) error {
		offset := row[atOffset].Int64()
		if row[atOffset].IsNull() || row[atEventTime].IsNull() || offset < 0 || offset >= s.Rows {
			return fmt.Errorf("%w: a row has the offset %v of %d rows and the event time %v", ErrSegment, row[atOffset], s.Rows, row[atEventTime])
		}
		text = datafile.AppendRow(text[:0], columns, row[atEventTime:])
		if err := fn(landedRow{
			hour: floorHour(row[atEventTime].Int64()), at: s.Base + Position(offset),
			digest: digest.OfRow(text), values: row,
		}); err != nil {
			return err
		}
		return ctx.Err()
	})
}

// rows are those that scan calls with, and at the end its error if there is one.
func (s Segment) rows(ctx context.Context, path string) iter.Seq2[landedRow, error] {
	return func(yield func(landedRow, error) bool) {
		stopped := errors.New("nobody reads on")
		err := s.scan(ctx, path, func(row landedRow) error {
			if !yield(row, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			yield(landedRow{}, blame(ctx, err))
		}
	}
}

// landedRow is a row as it is read from a segment file.
type landedRow struct {
	hour   int64
	at     Position
	digest digest.Sum128
	values []datafile.Value // of the file's columns
}

// sum sums up the rows of the segment's file at path that are at positions below
// upTo, moments from position 0. It reads all rows, and is ErrSegment if they are
// not those that the log says.
func (s Segment) sum(ctx context.Context, path string, upTo Position) (sums, error) {
	all, below := sums{}, sums{}
	err := s.scan(ctx, path, func(r landedRow) error {
		all.of(r.hour).add(r.digest, int64(r.at))
		if upTo < s.End() && r.at < upTo {
			below.of(r.hour).add(r.digest, int64(r.at))
		}
		return nil
	})
	if err == nil {
		err = s.holds(all)
	}
	switch {
	case err != nil:
		return nil, blame(ctx, err)
	case upTo < s.End():
		return below, nil
	}
	return all, nil
}

// holds is ErrSegment if the sums of the rows that were read, moments from
// position 0, are not those that the log has of the segment.
func (s Segment) holds(read sums) error {
	if len(read) != s.Buckets.Len() {
		return fmt.Errorf("%w: its rows are of %d bucket-hours, want %d", ErrSegment, len(read), s.Buckets.Len())
	}
	for logged := range s.Buckets.All() {
		if got, want := *read.of(logged.Hour), logged.at(s.Base); got != want {
			return fmt.Errorf("%w: bucket-hour %d has %d rows with sum %s and moment %s, want %d with %s and %s",
				ErrSegment, logged.Hour, got.Rows, got.Sum, got.Moment, want.Rows, want.Sum, want.Moment)
		}
	}
	return nil
}

// Check reads the segment's file at path and holds its rows against the log:
// ErrSegment if it does not hold those that the log says.
func (s Segment) Check(ctx context.Context, path string) error {
	_, err := s.sum(ctx, path, s.End())
	return err
}

// blame tells an error of the file's content from one of reaching it.
func blame(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, ErrSegment) || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrSegment, err)
}
