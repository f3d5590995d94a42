package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"strandline/internal/duck"
	"strandline/landing"
	"strandline/window"
)

// ErrNoPosition says that a stream has no rows at positions that were named.
var ErrNoPosition = errors.New("no such position")

// ErrNoStream says that a job does not read the stream that was named.
var ErrNoStream = errors.New("the job does not read that stream")

// ErrWhichStream says that no stream was named, of several that a job is computed from.
var ErrWhichStream = errors.New("it is computed from several")

// replayed are the partitions that the rows of a replay touch, in order of time, whether they
// are there or not.
func (t *Task) replayed(ctx context.Context, r Request) ([]window.Partition, error) {
	stream, err := t.Replays(r.Stream)
	if err != nil {
		return nil, err
	}
	name, hours := stream.Spec().Stream, r.Hours
	if hours == nil {
		if err := stream.Refresh(ctx); err != nil {
			return nil, err
		}
		at, err := r.positions(t.Job(), name, stream.Next())
		if err != nil {
			return nil, err
		}
		found, err := t.HoursOf(ctx, stream, landing.Rows{At: []landing.Range{at}})
		if err != nil {
			return nil, err
		}
		hours = found.Hours
	}
	return t.touched(name, hours), nil
}

// Replays returns the stream of which a replay of the job has rows: the one of that name,
// or the only one where there is no name. The job reads it, or a table does that it reads.
func (t *Task) Replays(name string) (*landing.Stream, error) {
	streams := map[string]*landing.Stream{}
	t.streams(streams)
	if name == "" && len(streams) == 1 {
		for only := range streams {
			name = only
		}
	}
	if stream, reads := streams[name]; reads {
		return stream, nil
	}
	all := strings.Join(slices.Sorted(maps.Keys(streams)), ", ")
	if name == "" {
		return nil, fmt.Errorf("replay rows through job %s: %w: name one of the streams %s (--stream)", t.Job().Name, ErrWhichStream, all)
	}
	return nil, fmt.Errorf("replay rows of stream %q through job %s: %w: it reads %s; name one of the streams %s (--stream)",
		name, t.Job().Name, ErrNoStream, listed(t.Job().Inputs), all)
}

// Streams names the streams that the job is computed from, also by way of tables.
func (t *Task) Streams() []string {
	streams := map[string]*landing.Stream{}
	t.streams(streams)
	return slices.Sorted(maps.Keys(streams))
}

// streams adds the streams that the job is computed from, by their names.
func (t *Task) streams(to map[string]*landing.Stream) {
	for _, in := range t.inputs {
		switch {
		case in.Stream != nil:
			to[in.Stream.Spec().Stream] = in.Stream
		case in.Made != nil:
			in.Made.streams(to)
		}
	}
}

func listed(inputs []window.Input) string {
	names := make([]string, len(inputs))
	for i, in := range inputs {
		names[i] = in.String()
	}
	return strings.Join(names, ", ")
}

// positions are those of which a replay is.
func (r Request) positions(job window.Job, stream string, end landing.Position) (landing.Range, error) {
	at := landing.Range{From: r.From, To: r.To}
	if r.To == 0 {
		at.To = end
	}
	wrong := ""
	switch {
	case r.From < 0 || r.From >= end || at.To > end:
		wrong = fmt.Sprintf("stream %s has positions [0, %d)", stream, end)
	case at.To <= at.From:
		wrong = "the range ends where it begins, or before"
	default:
		return at, nil
	}
	asked := fmt.Sprintf("from position %d", r.From)
	if r.To != 0 {
		asked = fmt.Sprintf("positions [%d, %d)", r.From, r.To)
	}
	return at, fmt.Errorf("replay job %s %s: %w: %s", job.Name, asked, ErrNoPosition, wrong)
}

// touched are the partitions that rows of bucket-hours of a stream touch, of the job's own
// inputs and through the tables that it reads, in order of time.
func (t *Task) touched(stream string, hours []int64) (all []window.Partition) {
	for i, in := range t.Job().Inputs {
		switch {
		case !in.Table && in.Name == stream:
			all = append(all, t.Job().Touched(in, hours)...)
		case in.Table && t.inputs[i].Made != nil:
			all = append(all, t.Job().TouchedBy(in, t.inputs[i].Made.touched(stream, hours))...)
		}
	}
	slices.SortFunc(all, func(a, b window.Partition) int { return a.Start.Compare(b.Start) })
	return slices.CompactFunc(all, func(a, b window.Partition) bool { return a.Start.Equal(b.Start) })
}

// Found says where in event time rows are.
type Found struct {
	Hours []int64 // ascending bucket-hours; never nil
	Rows  int64   // how many there are, with those that have expired where they are known by position
	// Gone is the position below which rows have expired, if some of these have or may
	// have: then Hours are, of them, all in which any have; or none, where the rows are not
	// known by position alone.
	Gone landing.Position
}

// readAtOnce is how many segments one query reads.
const readAtOnce = 64

// HoursOf finds the bucket-hours of rows of a stream. It reads the segments that hold
// other rows beside them, of these the columns that tell. landing.ErrExpired where all of
// the rows have expired.
func (t *Task) HoursOf(ctx context.Context, stream *landing.Stream, rows landing.Rows) (found Found, err error) {
	stream.View(func(s *landing.State) { found.Gone = s.ExpiredUpTo() })
	if n := len(rows.At); n == 0 || rows.At[n-1].To <= found.Gone {
		return found, t.allGone(stream, rows, found.Gone)
	}
	if rows.At[0].From >= found.Gone {
		found.Gone = 0
	}
	err = stream.WithHours(ctx, rows, func(hours []int64, read []landing.Segment) error {
		counts := map[int64]int64{}
		for _, segments := range landing.Alike(read, readAtOnce) {
			if err := t.count(ctx, stream, segments, rows, counts); err != nil {
				return err
			}
		}
		found.Hours = merged(hours, counts)
		found.Rows = 0
		for _, n := range counts {
			found.Rows += n
		}
		return nil
	})
	if rows.Source == nil {
		found.Rows = rows.Count()
	}
	return found, err
}

func (t *Task) allGone(stream *landing.Stream, rows landing.Rows, below landing.Position) error {
	if len(rows.At) == 0 {
		return fmt.Errorf("replay rows of stream %s: %w: there are none", stream.Spec().Stream, ErrNoPosition)
	}
	return fmt.Errorf("replay rows of stream %s at positions [%d, %d): %w: all below %d have, so their partitions can't be computed again",
		stream.Spec().Stream, rows.At[0].From, rows.At[len(rows.At)-1].To, landing.ErrExpired, below)
}

// merged are the hours, and those that were counted, ascending.
func merged(hours []int64, counts map[int64]int64) []int64 {
	all := append(slices.Collect(maps.Keys(counts)), hours...)
	slices.Sort(all)
	return slices.Compact(append([]int64{}, all...))
}

// count counts the rows that segments hold, by their bucket-hours.
func (t *Task) count(ctx context.Context, stream *landing.Stream, segments []landing.Segment, rows landing.Rows, counts map[int64]int64) error {
	paths, release, err := stream.Fetch(ctx, t.lake.Files, segments)
	if err != nil {
		return err
	}
	defer release()
	return t.lake.Files.Gone(t.countFetched(ctx, segments, paths, rows, counts), paths...)
}

func (t *Task) countFetched(ctx context.Context, segments []landing.Segment, paths []string, rows landing.Rows, counts map[int64]int64) (err error) {
	escaped := make([]string, len(paths))
	for i, path := range paths {
		escaped[i] = duck.Path(path)
	}
	session, err := t.lake.Engine.Session(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	result, err := session.Query(ctx, rows.HoursSQL(segments, escaped))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	for {
		row, err := result.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		hour, _ := row[0].(int64)
		n, _ := row[1].(int64)
		counts[hour] += n
	}
}

// Add adds what was found of other rows.
func (f *Found) Add(other Found) {
	f.Hours = slices.Compact(slices.Sorted(slices.Values(append(f.Hours, other.Hours...))))
	f.Rows, f.Gone = f.Rows+other.Rows, max(f.Gone, other.Gone)
}
