package landing

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/localfile"
)

// ErrSegment says that a segment file does not hold the rows that the landing
// log says it holds.
var ErrSegment = errors.New("the segment does not hold what the landing log says")

// Rederiver sums up a stream's rows from the segment files themselves, which
// is what the sums in the landing log, and with them every receipt's input
// digest, are held against. It reads a segment whole and once, however many
// partitions ask for it, and keeps its sums by bucket-hour. It is safe for
// concurrent use.
type Rederiver struct {
	stream *Stream
	files  *localfile.Cache

	mu   sync.Mutex
	read map[string]*reading
}

// reading is a segment that was read, or is being.
type reading struct {
	done    chan struct{} // closed when the others are final
	buckets map[int64]Bucket
	err     error
}

// Rederiver returns one that knows of no segment yet.
func (s *Stream) Rederiver(files *localfile.Cache) *Rederiver {
	return &Rederiver{stream: s, files: files, read: map[string]*reading{}}
}

// Input is what State.InputOf says, from the rows instead of the log. The error
// is objstore.ErrNotFound where a segment is gone and ErrSegment where one
// holds other rows than the log says; both name it.
func (r *Rederiver) Input(ctx context.Context, hours Hours, upTo Position) (Input, error) {
	var segments []Segment
	r.stream.View(func(s *State) { segments = s.SegmentsOf(hours, upTo) })
	total := map[int64]Bucket{}
	for _, segment := range segments {
		buckets, err := r.segment(ctx, segment)
		if err != nil {
			return Input{}, fmt.Errorf("segment %s of stream %s: %w", r.stream.SegmentKey(segment.ID), r.stream.spec.Stream, err)
		}
		for hour, b := range buckets {
			if hour >= hours.From && hour < hours.To {
				t := total[hour]
				total[hour] = Bucket{Hour: hour, Rows: t.Rows + b.Rows, Sum: t.Sum.Add(b.Sum), Moment: t.Moment.Add(b.Moment)}
			}
		}
	}
	return inputOf(total), nil
}

// inputOf digests sums as InputOf documents it.
func inputOf(total map[int64]Bucket) Input {
	var in Input
	var lines []byte
	for _, hour := range slices.Sorted(maps.Keys(total)) {
		b := total[hour]
		in.Rows += b.Rows
		lines = fmt.Appendf(lines, "%d %d %s %s\n", hour, b.Rows, b.Sum, b.Moment)
	}
	if in.Rows > 0 {
		in.Digest = sha256.Sum256(lines)
	}
	return in
}

// segment returns a segment's sums by bucket-hour, moments from position 0.
func (r *Rederiver) segment(ctx context.Context, segment Segment) (map[int64]Bucket, error) {
	r.mu.Lock()
	known := r.read[segment.ID]
	if known == nil {
		known = &reading{done: make(chan struct{})}
		r.read[segment.ID] = known
		r.mu.Unlock()
		known.buckets, known.err = r.sum(ctx, segment)
		close(known.done)
		return known.buckets, known.err
	}
	r.mu.Unlock()
	select {
	case <-known.done:
		return known.buckets, known.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// sum reads a segment and holds what is in it against the log.
func (r *Rederiver) sum(ctx context.Context, segment Segment) (map[int64]Bucket, error) {
	path, release, err := r.files.Get(ctx, r.stream.SegmentKey(segment.ID))
	if err != nil {
		return nil, err
	}
	defer release()
	buckets, err := sumRows(ctx, path, segment)
	if err != nil {
		return nil, blame(ctx, err)
	}
	if len(buckets) != len(segment.Buckets) {
		return nil, fmt.Errorf("%w: its rows are of %d bucket-hours, want %d", ErrSegment, len(buckets), len(segment.Buckets))
	}
	for _, logged := range segment.Buckets {
		if want := logged.at(segment.Base); buckets[logged.Hour] != want {
			got := buckets[logged.Hour]
			return nil, fmt.Errorf("%w: bucket-hour %d has %d rows with sum %s and moment %s, want %d with %s and %s",
				ErrSegment, logged.Hour, got.Rows, got.Sum, got.Moment, want.Rows, want.Sum, want.Moment)
		}
	}
	return buckets, nil
}

// blame tells an error of the file's content from one of reaching it.
func blame(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, ErrSegment) || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrSegment, err)
}

// sumRows sums up the rows of the segment file at path, each at its position.
func sumRows(ctx context.Context, path string, segment Segment) (map[int64]Bucket, error) {
	file, err := datafile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	columns := segmentColumns(segment.Columns)
	switch {
	case file.Bytes() != segment.Bytes:
		return nil, fmt.Errorf("%w: it has %d bytes, want %d", ErrSegment, file.Bytes(), segment.Bytes)
	case file.Rows() != segment.Rows:
		return nil, fmt.Errorf("%w: it has %d rows, want %d", ErrSegment, file.Rows(), segment.Rows)
	case !slices.Equal(file.Columns(), columns):
		return nil, fmt.Errorf("%w: it has the columns %v, want %v", ErrSegment, file.Columns(), columns)
	}
	buckets := map[int64]Bucket{}
	var text []byte
	err = file.Scan(func(row []datafile.Value) error {
		offset := row[0].Int64()
		if row[0].IsNull() || row[1].IsNull() || offset < 0 || offset >= segment.Rows {
			return fmt.Errorf("%w: a row has the offset %v of %d rows and the event time %v", ErrSegment, row[0], segment.Rows, row[1])
		}
		text = datafile.AppendRow(text[:0], columns[1:], row[1:])
		one, position := digest.OfRow(text), segment.Base+Position(offset)
		hour := floorHour(row[1].Int64())
		b := buckets[hour]
		buckets[hour] = Bucket{
			Hour: hour, Rows: b.Rows + 1,
			Sum: b.Sum.Add(one), Moment: b.Moment.Add(one.Mul(uint64(position))),
		}
		return ctx.Err()
	})
	return buckets, err
}
