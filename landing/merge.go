package landing

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
)

// merge writes the rows of segments that follow one another in position, and
// whose files are at paths, into one segment file: by bucket-hour and, within
// one, by position, as they lie in each of them. It has in memory a row group
// of about groupBytes at most, and what reading the files side by side takes.
// The error is ErrSegment where a file holds other rows than the log says. The
// segment still lacks an id.
func merge(ctx context.Context, segments []Segment, paths []string, groupBytes int64, into string) (Segment, error) {
	first := segments[0]
	merged := Segment{Base: first.Base, Columns: first.Columns, Fields: first.Fields, Buckets: mergedBuckets(segments)}
	for _, s := range segments {
		merged.Rows += s.Rows
	}
	out, err := newMerger(merged, groupBytes, into)
	if err != nil {
		return Segment{}, err
	}
	defer out.file.Abort()
	if err := out.merge(ctx, segments, paths); err != nil {
		return Segment{}, err
	}
	written, err := out.file.Close()
	if err != nil {
		return Segment{}, err
	}
	merged.Bytes, merged.Digest = written.Bytes, written.Digest
	// What it replaces may be removed one day, so what is there is read once more.
	return merged, merged.Check(ctx, into)
}

// merger writes the file of one segment.
type merger struct {
	segment    Segment
	file       *datafile.Writer
	groupBytes int64

	ends  []int // of row groups, that are to come
	rows  int   // that were written or are in group
	group []*datafile.Vector
}

func newMerger(segment Segment, groupBytes int64, path string) (*merger, error) {
	columns := segmentColumns(segment.Columns)
	file, err := datafile.Create(path, columns, datafile.Lasting)
	return &merger{
		segment: segment, file: file, groupBytes: groupBytes,
		ends: rowGroups(segment.Buckets.List()), group: datafile.NewVectors(columns),
	}, err
}

func (m *merger) merge(ctx context.Context, segments []Segment, paths []string) error {
	sources := make([]*source, len(segments))
	for i, s := range segments {
		sources[i] = openSource(ctx, s, paths[i])
		defer sources[i].stop()
	}
	for b := range m.segment.Buckets.All() {
		for _, from := range sources {
			if err := m.take(b.Hour, from); err != nil {
				return fmt.Errorf("segment %s: %w", from.segment.ID, err)
			}
		}
	}
	for _, from := range sources {
		if err := from.end(); err != nil {
			return fmt.Errorf("segment %s: %w", from.segment.ID, err)
		}
	}
	return nil
}

// take writes what a source has of an hour.
func (m *merger) take(hour int64, from *source) error {
	for from.more && from.row.hour <= hour {
		if from.row.hour < hour {
			return fmt.Errorf("%w: its rows are not in the order of bucket-hours", ErrSegment)
		}
		if err := m.add(from.row); err != nil {
			return err
		}
		from.next()
	}
	return from.err
}

func (m *merger) add(row landedRow) error {
	err := m.group[atOffset].Append(parquet.Int64Value(int64(row.at - m.segment.Base)))
	size := m.group[atOffset].Size()
	for c := atEventTime; c < len(m.group); c++ {
		err = errors.Join(err, m.group[c].Append(row.values[c]))
		size += m.group[c].Size()
	}
	if err != nil {
		return err
	}
	m.rows++
	ended := len(m.ends) > 0 && m.rows == m.ends[0]
	if ended {
		m.ends = m.ends[1:]
	}
	if size < m.groupBytes && !ended {
		return nil
	}
	return m.flush()
}

func (m *merger) flush() error {
	err := m.file.Group(m.group)
	for _, v := range m.group {
		v.Reset()
	}
	return err
}

// source is a segment file that is being read row by row.
type source struct {
	segment Segment
	pull    func() (landedRow, error, bool)
	stop    func()

	row  landedRow
	more bool // row is one
	err  error
	read sums
}

func openSource(ctx context.Context, segment Segment, path string) *source {
	s := &source{segment: segment, read: sums{}}
	s.pull, s.stop = iter.Pull2(segment.rows(ctx, path))
	s.next()
	return s
}

func (s *source) next() {
	if s.row, s.err, s.more = s.pull(); s.err != nil {
		s.more = false
	}
	if s.more {
		s.read.of(s.row.hour).add(s.row.digest, int64(s.row.at))
	}
}

// end looks that the source was read to its end and held what the log says.
func (s *source) end() error {
	if s.err != nil {
		return s.err
	}
	if s.more {
		return fmt.Errorf("%w: it has rows of bucket-hour %d", ErrSegment, s.row.hour)
	}
	return s.segment.holds(s.read)
}
