package runner

import (
	"context"
	"errors"
	"time"

	"strandline/internal/log"
	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// StreamOptions are the settings of the stream driver.
type StreamOptions struct {
	Parallel int
	// Poll is how long a landing by another process may go unseen. At least 1 ms.
	Poll time.Duration
	// Once ends the stream when everything is settled, instead of waiting.
	Once bool
	// Wake, if not nil, is a landing in this process: look at once.
	Wake <-chan struct{}
	// Done is told each partition's outcome, as in Options.
	Done func(job string, o Outcome)
	// Trouble is told what went wrong and will be tried again.
	Trouble func(job string, err error)
	Now     func() time.Time
}

// Stream keeps the tables of tasks up to date: each landing makes partitions
// stale, and they are recomputed and published together, newest first, no more
// often than the job's Every. It needs nothing but the lake to go on after it
// was killed. It ends without error when ctx ends, and with ErrReplaced when
// another process registered a job of its own. A job whose table needs a rebuild
// is left out, and its error returned when the stream ends by itself. Trouble with the store or one
// partition does not end it.
func Stream(ctx context.Context, tasks []*Task, o StreamOptions) error {
	s := &stream{options: o}
	left, err := s.startAll(ctx, tasks)
	if err != nil || len(s.followers) == 0 {
		return errors.Join(err, left)
	}
	for {
		settled, err := s.round(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil || o.Once && settled {
			return errors.Join(err, left)
		}
		if !o.Once && !s.wait(ctx) {
			return nil
		}
	}
}

type stream struct {
	options   StreamOptions
	followers []*follower
}

// follower is one job of the stream with what this process remembers of it.
// Nothing that it remembers is needed for correctness.
type follower struct {
	task       *Task
	generation uint64
	last       time.Time // when it last ran
	retryAfter time.Time // after trouble
	pause      time.Duration
	settled    bool                     // nothing was to be done at seen
	waiting    map[string]window.Status // failed for want of resources, by partition
}

// startAll registers the jobs. One that needs a rebuild first is left, with the
// error that says so, and does not stop the others.
func (s *stream) startAll(ctx context.Context, tasks []*Task) (left, err error) {
	for _, t := range tasks {
		follower, err := s.start(ctx, t)
		if errors.Is(err, manifests.ErrNeedsRebuild) {
			left = errors.Join(left, err)
			s.options.Trouble(t.Job().Name, err)
			continue
		}
		if err != nil {
			return left, err
		}
		s.followers = append(s.followers, follower)
	}
	return left, nil
}

func (s *stream) start(ctx context.Context, t *Task) (*follower, error) {
	generation, err := t.Register(ctx, manifests.DriverStream)
	return &follower{task: t, generation: generation, waiting: map[string]window.Status{}}, err
}

// round lets each job do what is due. settled tells that none has anything to
// do. The error is one that ends the stream.
func (s *stream) round(ctx context.Context) (settled bool, err error) {
	settled = true
	for _, f := range s.followers {
		if !s.options.Once && s.options.Now().Before(f.due()) {
			settled = settled && f.settled
			continue
		}
		done, err := f.run(ctx, s.options)
		if ctx.Err() != nil {
			return false, nil
		}
		if fatal(err) {
			return false, err
		}
		if err != nil && s.options.Once {
			return false, err
		}
		if err != nil {
			f.backOff(s.options.Now())
			s.options.Trouble(f.task.Job().Name, err)
		}
		settled = settled && done && err == nil
	}
	return settled, nil
}

func fatal(err error) bool {
	return errors.Is(err, manifests.ErrReplaced) ||
		errors.Is(err, landing.ErrEventTimeChanged) || errors.Is(err, log.ErrCorrupt)
}

func (f *follower) due() time.Time {
	due := f.last.Add(f.task.Job().Every)
	if f.retryAfter.After(due) {
		return f.retryAfter
	}
	return due
}

const maxBackOff = 30 * time.Second

func (f *follower) backOff(now time.Time) {
	f.pause = min(max(2*f.pause, time.Second), maxBackOff)
	f.retryAfter = now.Add(f.pause)
}

// run does one trigger of a job: all that is stale now, published together.
func (f *follower) run(ctx context.Context, o StreamOptions) (settled bool, err error) {
	plan, err := f.task.Plan(ctx, Request{Driver: manifests.DriverStream})
	if err == nil { // a replaced process stops, also one that has nothing to do
		err = f.task.table.Current(f.generation)
	}
	if err != nil {
		return false, err
	}
	plan.Tasks = f.leaveOut(plan.Tasks)
	f.settled = len(plan.Tasks) == 0
	if f.settled {
		f.pause = 0
		return true, nil
	}
	f.last = o.Now()
	report, err := f.task.Execute(ctx, plan, Options{
		Driver: manifests.DriverStream, Generation: f.generation, Parallel: o.Parallel, Together: true,
		Done: func(out Outcome) { o.Done(plan.Job.Name, out) },
	})
	if err != nil {
		return false, err
	}
	f.remember(plan, report)
	return false, nil
}

// leaveOut drops the partitions that failed for want of resources on the very
// same input: they would fail again. A backfill may try them, and so does the
// next process.
func (f *follower) leaveOut(tasks []window.Status) []window.Status {
	var out []window.Status
	for _, s := range tasks {
		old, failed := f.waiting[s.String()]
		if !failed || old.Input.Digest != s.Input.Digest {
			out = append(out, s)
		}
	}
	return out
}

func (f *follower) remember(plan window.Plan, report Report) {
	inputs := map[string]window.Status{}
	for _, s := range plan.Tasks {
		inputs[s.String()] = s
	}
	for _, o := range report.Outcomes {
		name := o.Partition.String()
		delete(f.waiting, name)
		if errors.Is(o.Err, window.ErrResources) {
			f.waiting[name] = inputs[name]
		}
	}
}

// wait returns when it is time for another round; false when ctx has ended.
func (s *stream) wait(ctx context.Context) bool {
	timer := time.NewTimer(s.pause())
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-s.options.Wake:
	case <-timer.C:
	}
	return true
}

// pause is how long to wait for the next round: until the first job with
// something to do is due, or until others may have landed something.
func (s *stream) pause() time.Duration {
	now, wait := s.options.Now(), s.options.Poll
	for _, f := range s.followers {
		if !f.settled {
			wait = min(wait, max(f.due().Sub(now), time.Millisecond))
		}
	}
	return wait
}
