package sweep

import (
	"context"
	"time"

	"strandline/landing"
)

// stream is a stream of the lake under sweep.
type stream struct {
	*landing.Files
	freed  map[string]bool // what an expiry would free, in a dry run
	stream *landing.Stream
	now    time.Time
	grace  time.Duration
	dryRun bool
}

// landing opens a stream by its name alone: nothing of how it is declared matters
// to a sweep, and it may be declared nowhere any more.
func (s *sweeper) landing(name string) *landing.Stream {
	return landing.Open(s.store, landing.Spec{Stream: name}, landing.Options{Now: s.options.Now, Log: s.options.Log})
}

func (s *sweeper) openStream(ctx context.Context, name string) (owner, error) {
	opened := s.landing(name)
	freed, err := s.expire(ctx, name)
	if err != nil {
		return nil, err
	}
	files, err := opened.Files(ctx)
	if err != nil || files == nil {
		return nil, err
	}
	return &stream{files, freed, opened, s.now, s.options.Grace, s.options.DryRun}, nil
}

func (s *sweeper) expire(ctx context.Context, name string) (map[string]bool, error) {
	freed := map[string]bool{}
	if s.options.Expire == nil {
		return freed, nil
	}
	ids, err := s.options.Expire(ctx, name, s.now)
	for _, id := range ids {
		freed[id] = true
	}
	return freed, err
}

// Names tells whether the log names a file, and would after the expiry.
func (s *stream) Names(id string) bool { return s.Files.Names(id) && !s.freed[id] }

func (s *stream) condemn(ctx context.Context, ids []string) ([]string, error) {
	return s.stream.Condemn(ctx, ids, s.now)
}

func (s *stream) finish(ctx context.Context, part *Part) error {
	if s.dryRun {
		return part.trim(s.stream.PlanTrim(ctx, s.grace))
	}
	return part.trim(s.stream.Trim(ctx, s.grace))
}
