package main

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/compaction"
	"strandline/landing"
	"strandline/runner"
	"strandline/sweep"
)

// upkeep has group do what the configuration's maintenance asks for, beside the
// stream. Whatever goes wrong with it is told, and tried again the next time.
func (s *streaming) upkeep(ctx context.Context, group *errgroup.Group, tasks []*runner.Task) {
	s.every(ctx, group, s.lake.config.Maintenance.Compact, func() { s.compact(ctx, tasks) })
	s.every(ctx, group, s.lake.config.Maintenance.Sweep, func() { s.sweep(ctx, tasks) })
}

// every has group call do each period, until ctx ends; never for 0. One that takes
// longer is not called twice at a time.
func (s *streaming) every(ctx context.Context, group *errgroup.Group, period time.Duration, do func()) {
	if period == 0 {
		return
	}
	group.Go(func() error {
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
				do()
			}
		}
	})
}

// compact merges what there is to merge, one file at a time, so that it takes
// little from those who land and publish.
func (s *streaming) compact(ctx context.Context, tasks []*runner.Task) {
	for _, stream := range s.lake.config.Streams {
		c := s.lake.compactor(stream.Name, tasks)
		c.Done = func(task compaction.Task, merged landing.Segment) {
			s.tell(func() error { return s.app.merged(stream.Name, task, merged) })
		}
		if err := c.Run(ctx); err != nil && ctx.Err() == nil {
			s.trouble("compact", err)
		}
	}
}

// sweep lets raw rows expire, and removes what nothing names any more.
func (s *streaming) sweep(ctx context.Context, tasks []*runner.Task) {
	report, err := s.lake.sweep(ctx, tasks, sweep.Options{Grace: s.lake.config.Maintenance.Grace}, func(f expiryFact) {
		if f.From < f.To {
			s.tell(func() error { return s.app.fact(f, "%s\n", f.describe()) })
		}
	})
	for _, part := range report.Parts {
		if !part.Idle() && part.Trouble == "" { // trouble is told below
			s.tell(func() error { return s.app.swept(part, false) })
		}
	}
	if err != nil && ctx.Err() == nil {
		s.trouble("sweep", withoutRoom(err))
	}
}
