package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"strandline/requests"
	"strandline/runner"
)

// requests has group run slices of what was submitted to the lake, in the slots that the
// stream leaves.
func (s *streaming) requests(ctx context.Context, group *errgroup.Group, tasks []*runner.Task, o runner.StreamOptions) error {
	w := newWorking(s.lake, tasks, o.Parallel, o.Gate.Backfill())
	w.done = func(r *requests.Request, o runner.Outcome) { s.told(r.Job, r.Driver, o) }
	w.tell = s.note
	options, err := w.options(requests.WorkerOptions{Poll: min(2*o.Poll, requests.DefaultPoll)})
	if err != nil {
		return err
	}
	group.Go(s.schedules(ctx, tasks))
	group.Go(func() error { s.lake.keepLooking(ctx, s.note); return nil })
	if s.lake.config.Backfill.Share.Of(o.Parallel) > 0 { // else others work them
		group.Go(func() error { return requests.NewWorker(s.lake.requests, options).Work(ctx) })
	}
	return nil
}

func (s *streaming) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app.note("strandline: %s", withAdvice(fmt.Sprintf(format, args...)))
}
