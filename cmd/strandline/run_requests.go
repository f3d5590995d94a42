package main

import (
	"context"

	"golang.org/x/sync/errgroup"

	"strandline/manifests"
	"strandline/requests"
	"strandline/runner"
)

// requests has group run slices of what was submitted to the lake, in the slots that the
// stream leaves.
func (s *streaming) requests(ctx context.Context, group *errgroup.Group, tasks []*runner.Task, o runner.StreamOptions) error {
	w := newWorking(s.lake, tasks, o.Parallel, o.Gate.Backfill())
	w.done, w.tell = s.backfilled, s.note
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

// backfilled tells of a partition of a request.
func (s *streaming) backfilled(r *requests.Request, o runner.Outcome) {
	if o.Verdict != manifests.Already || o.Err != nil { // else nothing was computed
		s.metrics.Recomputed(r.Job, outcomeFact(r.Job, r.Driver, o).State)
		s.metrics.Repeated(r.Job, o.Repeated)
	}
	s.tell(func() error { return s.app.done(r.Job, r.Driver, o) })
}

func (s *streaming) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app.note("strandline: "+format, args...)
}
