package landing

import (
	"context"
	"errors"
	"slices"

	"strandline/internal/localfile"
	"strandline/internal/objstore"
)

// WithSegments calls fn with what SegmentsOf says. A compaction may take segments
// away while fn reads them: where fn errs with objstore.ErrNotFound and the log,
// read on, has others in their place, fn is called again with those. An error of
// fn that stands is returned.
func (s *Stream) WithSegments(ctx context.Context, hours Hours, upTo Position, fn func([]Segment) error) error {
	segments := s.segmentsOf(hours, upTo)
	for {
		err := fn(segments)
		if !errors.Is(err, objstore.ErrNotFound) {
			return err
		}
		if refreshErr := s.Refresh(ctx); refreshErr != nil {
			return errors.Join(err, refreshErr)
		}
		now := s.segmentsOf(hours, upTo)
		if slices.EqualFunc(now, segments, func(a, b Segment) bool { return a.ID == b.ID }) {
			return err
		}
		segments = now
	}
}

func (s *Stream) segmentsOf(hours Hours, upTo Position) (segments []Segment) {
	s.View(func(state *State) { segments = state.SegmentsOf(hours, upTo) })
	return segments
}

// Fetch brings segments to this machine, each of which is localfile.ErrDamaged if
// its bytes are not those that were written. The paths are in the order of the
// segments and hold until release is called.
func (s *Stream) Fetch(ctx context.Context, files *localfile.Cache, segments []Segment) (paths []string, release func(), err error) {
	wanted := make([]localfile.File, len(segments))
	for i, segment := range segments {
		wanted[i] = localfile.File{Key: s.SegmentKey(segment.ID), Bytes: segment.Bytes, Digest: segment.Digest}
	}
	return files.Fetch(ctx, wanted)
}
