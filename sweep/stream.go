package sweep

import (
	"context"
	"time"

	"strandline/landing"
)

// stream is a stream of the lake under sweep.
type stream struct {
	*landing.Files
	stream *landing.Stream
	now    time.Time
	grace  time.Duration
	dryRun bool
}

// openStream opens a stream by its name alone: nothing of how it is declared matters
// to a sweep, and it may be declared nowhere any more.
func (s *sweeper) openStream(ctx context.Context, name string) (owner, error) {
	opened := landing.Open(s.store, landing.Spec{Stream: name}, landing.Options{Now: s.options.Now, Log: s.options.Log})
	files, err := opened.Files(ctx)
	if err != nil || files == nil {
		return nil, err
	}
	return &stream{files, opened, s.now, s.options.Grace, s.options.DryRun}, nil
}

func (s *stream) condemn(ctx context.Context, ids []string) ([]string, error) {
	return s.stream.Condemn(ctx, ids, s.now)
}

func (s *stream) finish(ctx context.Context, part *Part) error {
	if s.dryRun {
		return part.trim(s.stream.PlanTrim(ctx, s.grace))
	}
	return part.trim(s.stream.Trim(ctx, s.grace))
}
