package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"strandline/internal/digest"
	"strandline/internal/log"
	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// StreamOptions are the settings of the stream driver.
type StreamOptions struct {
	Parallel int
	// Gate, if not nil, is where its partitions go before those of backfills.
	Gate *Gate
	// Poll is how long a landing by another process may go unseen. At least 1 ms.
	Poll time.Duration
	// Once ends the stream when all that was stale or missing at its start is
	// settled, instead of waiting. What lands meanwhile may be left.
	Once bool
	// InHand, if not nil, tells whether a worker of a request computes a partition of a job from
	// just this input, or will soon. It is asked of what the stream is behind with, and not
	// with Once. Calls may overlap.
	InHand func(ctx context.Context, job string, s window.Status) bool
	// Wake, if not nil, is a landing in this process: look at once.
	Wake <-chan struct{}
	// Done is told each partition's outcome, as in Options.
	Done func(job string, o Outcome)
	// Planned, if not nil, is told each plan of a job, before it is executed.
	Planned func(plan window.Plan)
	// Registered, if not nil, is told of each job whose code the table has by this stream, before
	// anything is computed by that.
	Registered func(ctx context.Context, t *Task)
	// Trouble is told what went wrong and will be tried again.
	Trouble func(job string, err error)
	// Over, if not nil, is told when a job that Trouble was told of goes on.
	Over func(job string)
	Now  func() time.Time
}

// Stream keeps the tables of tasks up to date: each landing makes partitions
// stale, and they are recomputed and published together, newest first, no more
// often than the job's Every. Where many are stale or missing it publishes what is ready each
// second, and leaves what workers of requests have in hand to them, for a while. It needs
// nothing but the lake to go on after it was killed. It ends without error when ctx ends, and with ErrReplaced when
// another process registered a job of its own. A job whose table needs a rebuild, whose
// logs are damaged, or one of whose streams is misdeclared, is left out, and its error returned when the stream ends by itself, as it
// does when no job is left. Trouble with the store or one partition does not end it.
func Stream(ctx context.Context, tasks []*Task, o StreamOptions) error {
	s := &stream{options: o}
	if err := s.startAll(ctx, tasks); err != nil {
		return errors.Join(err, s.left)
	}
	s.tellUnfit()
	for len(s.followers) > 0 {
		settled, err := s.round(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil || o.Once && settled {
			return errors.Join(err, s.left)
		}
		s.tellUnfit()
		if !o.Once && !s.wait(ctx) {
			return nil
		}
	}
	return s.left
}

type stream struct {
	options   StreamOptions
	followers []*follower
	unfit     []unfit // to be told of
	left      error   // all that were left out
}

// follower is one job of the stream with what this process remembers of it.
// Nothing that it remembers is needed for correctness.
type follower struct {
	task       *Task
	generation uint64
	last       time.Time // when it last ran
	retryAfter time.Time // after trouble
	pause      time.Duration
	troubled   bool // it was told of, and has not passed
	stuck      int  // triggers in a row that changed nothing
	settled    bool // nothing was to be done here when it was last planned
	more       bool // the last trigger left some for the next, or to others
	behind     backlog
	waiting    map[string]waiting     // by partition
	left       map[string]digest.Hash // of what was told to be left out or held, the inputs
	wanted     map[string]digest.Hash // of one that ends, what is not settled: its input if a try with it changed nothing
}

// startAll registers the jobs. One that can't be followed is left, with the error that says why,
// and does not stop the others.
func (s *stream) startAll(ctx context.Context, tasks []*Task) error {
	for _, t := range inOrder(tasks) {
		follower, err := s.start(ctx, t)
		switch {
		case errors.Is(err, manifests.ErrNeedsRebuild) || errors.Is(err, window.ErrInput) || lamesOne(err):
			s.leave(t, err)
		case err != nil:
			return err
		default:
			s.followers = append(s.followers, follower)
		}
	}
	return nil
}

// lamesOne tells whether an error is of a log or a declaration, and so of no job but those that need it.
func lamesOne(err error) bool { return errors.Is(err, log.ErrCorrupt) || landing.IsMisdeclared(err) }

func (s *stream) start(ctx context.Context, t *Task) (*follower, error) {
	tables, err := t.refresh(ctx)
	if err == nil {
		err = t.agree()
	}
	if err == nil {
		err = t.madeBy(tables)
	}
	if err != nil {
		return nil, err
	}
	generation, err := s.register(ctx, t)
	f := &follower{task: t, generation: generation, waiting: map[string]waiting{}, left: map[string]digest.Hash{}}
	f.behind.now = s.options.Now
	if in := s.options.InHand; in != nil && !s.options.Once {
		f.behind.inHand = func(ctx context.Context, s window.Status) bool { return in(ctx, t.Job().Name, s) }
	}
	return f, err
}

// register makes a job's code the table's, and tells of that if it was not yet.
func (s *stream) register(ctx context.Context, t *Task) (generation uint64, err error) {
	before, err := t.table.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	generation, err = t.Register(ctx, manifests.DriverStream)
	if err == nil && s.options.Registered != nil && before.Definition.Fingerprint != t.Fingerprint() {
		s.options.Registered(ctx, t)
	}
	return generation, err
}

// round lets each job do what is due. settled tells that none has anything to
// do. The error is one that ends the stream.
func (s *stream) round(ctx context.Context) (settled bool, err error) {
	settled = true
	for _, f := range slices.Clone(s.followers) {
		if !s.options.Once && s.options.Now().Before(f.due()) {
			settled = settled && f.settled
			continue
		}
		if s.waitsFor(f) {
			settled = false
			continue
		}
		done, err := f.run(ctx, s.options)
		if ctx.Err() != nil {
			return false, nil
		}
		if lamesOne(err) {
			s.leave(f.task, err)
			continue
		}
		if fatal(err) {
			return false, err
		}
		if err != nil && s.options.Once {
			return false, err
		}
		if err != nil {
			f.backOff(s.options.Now())
			f.troubled = true
			s.options.Trouble(f.task.Job().Name, err)
		}
		if err == nil && f.troubled {
			f.troubled = false
			s.tellOver(f)
		}
		settled = settled && done && err == nil
	}
	return settled, nil
}

func (s *stream) tellOver(f *follower) {
	if s.options.Over != nil {
		s.options.Over(f.task.Job().Name)
	}
}

func fatal(err error) bool {
	return errors.Is(err, manifests.ErrReplaced) || errors.Is(err, window.ErrInput) ||
		errors.Is(err, window.ErrHistory)
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
	f.more = false // nobody waits for what can't be told
	f.pause = min(max(2*f.pause, time.Second), maxBackOff)
	f.retryAfter = now.Add(f.pause)
}

// run does one trigger of a job: all that is stale now, or a step of what it is behind with.
func (f *follower) run(ctx context.Context, o StreamOptions) (settled bool, err error) {
	plan, err := f.task.Plan(ctx, Request{Driver: manifests.DriverStream})
	if err == nil { // a replaced process stops, also one that has nothing to do
		err = f.task.table.Current(f.generation)
	}
	if err != nil {
		return false, err
	}
	if o.Planned != nil {
		o.Planned(plan)
	}
	f.tellLeft(plan, o)
	plan.Left = nil
	f.tellHeld(plan, o)
	plan.Tasks = f.leaveOut(plan.Tasks, o.Now())
	if o.Once {
		plan.Tasks = f.asked(plan.Tasks)
	}
	next := f.behind.next(ctx, plan.Tasks)
	plan.Tasks = next.tasks
	f.settled, f.more = len(next.tasks) == 0, next.more
	if f.settled {
		f.pause = 0
		return true, nil
	}
	f.last = o.Now()
	if f.more {
		f.last = time.Time{} // the rest is due at once
	}
	report, err := f.task.Execute(ctx, plan, Options{
		Driver: manifests.DriverStream, Generation: f.generation, Parallel: o.Parallel, Together: next.together, Slots: o.Gate.Stream(),
		Leave: f.leaves(next), Done: func(out Outcome) { o.Done(plan.Job.Name, out) },
	})
	if err != nil {
		return false, err
	}
	f.remember(plan, report, o.Now())
	return false, f.moved(report)
}

// stuckAfter is how many triggers in a row may change nothing before that is
// trouble. One or two are no wonder where others work on the same partitions.
const stuckAfter = 3

// leaves is what tells of the partitions of a trigger, as their turns come, whether they are left
// to others; nil if none is.
func (f *follower) leaves(next trigger) func(context.Context, window.Status) bool {
	if next.together || f.behind.inHand == nil {
		return nil
	}
	return f.behind.leaves
}

// moved tells of a job that computes and computes and changes nothing.
func (f *follower) moved(report Report) error {
	if len(report.Outcomes) == 0 {
		return nil // all was left to others
	}
	f.stuck++
	for _, o := range report.Outcomes {
		if o.moved() {
			f.stuck = 0
		}
	}
	if f.stuck < stuckAfter {
		return nil
	}
	return fmt.Errorf("job %s: %d partitions were computed %d times in a row, and nothing changed: the last said %s of partition %s",
		report.Plan.Job.Name, len(report.Outcomes), f.stuck, report.Outcomes[0].Verdict, report.Outcomes[0].Partition)
}

// moved tells whether something came of the try.
func (o Outcome) moved() bool {
	return o.Err != nil || o.Version > 0 || o.Verdict == manifests.Unchanged || o.Verdict == manifests.Already
}

// waiting is a partition that failed for want of resources, or by a check: it
// would fail again, but what was wanting may be there after a while.
type waiting struct {
	input digest.Hash
	until time.Time
}

const waitForResources = time.Minute

func (f *follower) leaveOut(tasks []window.Status, now time.Time) []window.Status {
	var out []window.Status
	for _, s := range tasks {
		w, failed := f.waiting[s.String()]
		if !failed || w.input != s.Input.Digest || !now.Before(w.until) {
			out = append(out, s)
		}
	}
	return out
}

func (f *follower) remember(plan window.Plan, report Report, now time.Time) {
	inputs := map[string]digest.Hash{}
	for _, s := range plan.Tasks {
		inputs[s.String()] = s.Input.Digest
	}
	for _, o := range report.Outcomes {
		name := o.Partition.String()
		delete(f.waiting, name)
		if errors.Is(o.Err, window.ErrResources) || errors.Is(o.Err, window.ErrCheck) {
			f.waiting[name] = waiting{inputs[name], now.Add(waitForResources)}
		}
		f.tried(o, inputs[name])
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
