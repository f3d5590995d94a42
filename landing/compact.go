package landing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"strandline/internal/condemn"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
)

// ErrOutrun says that segments which were to be compacted are not named any more:
// somebody else replaced them first. Nothing was done.
var ErrOutrun = errors.New("another process replaced the segments first")

// Compact puts one segment in the place of run, which are segments of the stream
// that follow one another in position and that were declared alike. Rows,
// positions and input digests stay as they are, and so do the replaced files. It
// returns the new segment. Errors: ErrOutrun; ErrSegment or localfile.ErrDamaged
// where a file does not hold what the log says; condemn.Err where a sweep took the
// new file for one that nobody will name; and what the store says. None of these
// changes anything. With log.ErrUnknown it may have been done; planning anew
// tells.
func (s *Stream) Compact(ctx context.Context, files *localfile.Cache, run []Segment) (Segment, error) {
	merged, err := s.compact(ctx, files, run)
	if err != nil && len(run) > 0 {
		err = fmt.Errorf("compact positions [%d, %d) of stream %s: %w", run[0].Base, run[len(run)-1].End(), s.spec.Stream, err)
	}
	return merged, err
}

func (s *Stream) compact(ctx context.Context, files *localfile.Cache, run []Segment) (Segment, error) {
	id, err := objstore.FreshID()
	if err != nil {
		return Segment{}, err
	}
	dir, err := s.opts.scratch()
	if err != nil {
		return Segment{}, err
	}
	path := filepath.Join(dir, id+".parquet")
	defer os.Remove(path)
	merged, err := s.merge(ctx, files, run, path)
	if err != nil {
		return Segment{}, err
	}
	merged.ID, merged.LandedAt = id, lastLanded(run)
	since := s.opts.Now()
	if err := objstore.Take(ctx, s.store, s.SegmentKey(id), path); err != nil {
		return Segment{}, err
	}
	err = s.appendCompaction(ctx, run, merged, since)
	if errors.Is(err, ErrOutrun) || errors.Is(err, condemn.Err) {
		_ = s.store.Delete(ctx, s.SegmentKey(id)) // no entry names it and none will
	}
	return merged, err
}

// merge writes the run's rows to path. Files that are gone, also while they are read, are
// somebody else's doing if the log, read on, names others.
func (s *Stream) merge(ctx context.Context, files *localfile.Cache, run []Segment, path string) (Segment, error) {
	merged, err := s.mergeFetched(ctx, files, run, path)
	if !errors.Is(err, objstore.ErrNotFound) {
		return merged, err
	}
	if refreshErr := s.Refresh(ctx); refreshErr != nil {
		return Segment{}, fmt.Errorf("look whether others took the place of what is gone (%v): %w", err, refreshErr)
	}
	s.View(func(state *State) {
		if !state.names(run) {
			err = ErrOutrun
		}
	})
	return Segment{}, err
}

func (s *Stream) mergeFetched(ctx context.Context, files *localfile.Cache, run []Segment, path string) (Segment, error) {
	paths, release, err := s.Fetch(ctx, files, run)
	if err != nil {
		return Segment{}, err
	}
	defer release()
	merged, err := merge(ctx, run, paths, s.opts.SegmentBytes, path)
	return merged, files.Gone(err, paths...)
}

// appendCompaction is the commit point. Whether the run still stands is decided
// here, from the newest state, as often as it takes to win a slot.
func (s *Stream) appendCompaction(ctx context.Context, run []Segment, merged Segment, since time.Time) error {
	c := &Compaction{Segment: merged}
	for _, segment := range run {
		c.Replaced = append(c.Replaced, segment.ID)
	}
	return s.commit(ctx, since, func(state *State) (*record, error) {
		if !state.names(run) {
			return nil, ErrOutrun
		}
		return &record{Compaction: c}, c.follows(state)
	})
}

// names tells whether the log still names all these segments.
func (s *State) names(segments []Segment) bool {
	for _, segment := range segments {
		if !s.ids[segment.ID] {
			return false
		}
	}
	return true
}
