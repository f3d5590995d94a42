package landing

import (
	"context"
	"fmt"
	"sync"

	"strandline/internal/localfile"
)

// Rederiver sums up a stream's rows from the segment files themselves, which
// is what the sums in the landing log, and with them every receipt's input
// digest, are held against. It reads a segment whole and once, however many
// partitions ask for it, and once more for each position within it that they
// ask up to; and keeps its sums by bucket-hour. It is safe for concurrent use.
type Rederiver struct {
	stream *Stream
	files  *localfile.Cache

	mu   sync.Mutex
	read map[part]*reading
}

// part is what of a segment was summed up: its rows at positions below upTo,
// which is at most its end.
type part struct {
	id   string
	upTo Position
}

// reading is a part that was read, or is being.
type reading struct {
	done    chan struct{} // closed when the others are final
	buckets sums
	err     error
}

// Rederiver returns one that knows of no segment yet.
func (s *Stream) Rederiver(files *localfile.Cache) *Rederiver {
	return &Rederiver{stream: s, files: files, read: map[part]*reading{}}
}

// Input sums up the rows in hours at positions below upTo, as State.InputOf
// documents it, from the rows instead of the log. The error is
// objstore.ErrNotFound where a segment is gone and ErrSegment where one holds
// other rows than the log says; both name it.
func (r *Rederiver) Input(ctx context.Context, hours Hours, upTo Position) (in Input, err error) {
	err = r.stream.WithSegments(ctx, hours, upTo, func(segments []Segment) error {
		in, err = r.input(ctx, segments, hours, upTo)
		return err
	})
	return in, err
}

func (r *Rederiver) input(ctx context.Context, segments []Segment, hours Hours, upTo Position) (Input, error) {
	total := sums{}
	for _, segment := range segments {
		buckets, err := r.segment(ctx, segment, upTo)
		if err != nil {
			return Input{}, fmt.Errorf("segment %s of stream %s: %w", r.stream.SegmentKey(segment.ID), r.stream.spec.Stream, err)
		}
		for hour, b := range buckets {
			if hour >= hours.From && hour < hours.To {
				total.of(hour).join(*b)
			}
		}
	}
	return inputOf(total.sorted()), nil
}

// segment returns the sums of a segment's rows below upTo by bucket-hour,
// moments from position 0.
func (r *Rederiver) segment(ctx context.Context, segment Segment, upTo Position) (sums, error) {
	which := part{segment.ID, min(upTo, segment.End())}
	r.mu.Lock()
	known := r.read[which]
	if known == nil {
		known = &reading{done: make(chan struct{})}
		r.read[which] = known
		r.mu.Unlock()
		known.buckets, known.err = r.sum(ctx, segment, which.upTo)
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

// sum reads a segment and sums up its rows below upTo.
func (r *Rederiver) sum(ctx context.Context, segment Segment, upTo Position) (sums, error) {
	path, release, err := r.files.Get(ctx, r.stream.SegmentKey(segment.ID))
	if err != nil {
		return nil, err
	}
	defer release()
	all, err := segment.sum(ctx, path, upTo)
	return all, r.files.Gone(err, path)
}
