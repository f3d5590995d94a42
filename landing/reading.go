package landing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"strandline/internal/localfile"
	"strandline/internal/objstore"
)

// WithSegments calls fn with what SegmentsOf says. A compaction may take segments
// away while fn reads them: where fn errs with objstore.ErrNotFound and the log,
// read on, has others in their place, fn is called again with those. An error of
// fn that stands is returned. ErrExpired where rows in hours have expired, also
// while fn reads them.
func (s *Stream) WithSegments(ctx context.Context, hours Hours, upTo Position, fn func([]Segment) error) error {
	return s.withSegments(ctx, func(state *State) ([]Segment, error) { return state.SegmentsOf(hours, upTo) }, fn)
}

func (s *Stream) withSegments(ctx context.Context, of func(*State) ([]Segment, error), fn func([]Segment) error) error {
	segments, err := s.segmentsOf(of)
	if err != nil {
		return err
	}
	for {
		err := fn(segments)
		if !errors.Is(err, objstore.ErrNotFound) {
			return err
		}
		if refreshErr := s.Refresh(ctx); refreshErr != nil {
			return fmt.Errorf("look whether others took the place of what is gone (%v): %w", err, refreshErr) // it may not be lost
		}
		now, expired := s.segmentsOf(of)
		if expired != nil {
			return expired
		}
		if slices.EqualFunc(now, segments, func(a, b Segment) bool { return a.ID == b.ID }) {
			return err
		}
		segments = now
	}
}

func (s *Stream) segmentsOf(of func(*State) ([]Segment, error)) (segments []Segment, err error) {
	s.View(func(state *State) { segments, err = of(state) })
	if err != nil {
		err = fmt.Errorf("stream %s: %w", s.spec.Stream, err)
	}
	return segments, err
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
