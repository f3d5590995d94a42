package runner

import (
	"context"
	"errors"
	"fmt"

	"strandline/manifests"
	"strandline/window"
)

// Options say how a plan is run.
type Options struct {
	Driver     manifests.Driver
	Generation uint64
	Parallel   int // partitions recomputed at a time; at least 1
	// Together publishes all results in one edit when the last is done, instead
	// of whatever is ready, at most once a second.
	Together bool
	// Leave, if not nil, is asked when a partition's turn comes whether it is left to others: then
	// nothing is computed of it, nor told. Not with what is published together. Calls may overlap.
	Leave func(context.Context, window.Status) bool
	// Rebuild publishes the results as the whole table, with this process's
	// definition, in one edit, or nothing if a partition fails. Generation is
	// then the one that was seen, not one that was registered.
	Rebuild bool
	// Atomic publishes all results in one edit when the last is done, or nothing if a
	// partition failed, was held or superseded, or can't be computed any more. What
	// would have been published is Withheld then, and so is what had not begun: unless MaxFailures
	// says how many are to be found, no other is begun, here and with Rebuild.
	Atomic bool
	// MaxFailures ends the run once so many partitions have failed or were held that had not
	// before, of the same data and code, with ErrTooManyFailed: no other is begun, and what
	// is published stands. 0: however many.
	MaxFailures int
	// Enough, if not nil, is closed when no other partition is to begin: the run ends with ErrEnough
	// unless all have, and what is computed by then is published. Not with what is published together.
	Enough <-chan struct{}
	// Others, if not nil, are the other slices of what RunSlice does one of, which count in
	// MaxFailures too.
	Others *Others
	// Elsewhere says that what fails for want of memory or disk is tried again on another
	// machine, and so does not count in MaxFailures.
	Elsewhere bool
	// Began, if not nil, is told of each partition whose computing begins, and Computed
	// when it has been computed or has failed, which it is told; Done is told each outcome as it is known.
	// Calls of the three never overlap.
	Began    func(window.Partition)
	Computed func(p window.Partition, failed bool)
	Done     func(Outcome)
	// Slots are where the partitions are computed, one in each at a time; Parallel is
	// the most that are asked for. The zero Slots are without bound.
	Slots Slots
}

// counts tells whether a failure with the error counts in MaxFailures.
func (o Options) counts(err error) bool { return !o.Elsewhere || !errors.Is(err, window.ErrResources) }

// Execute recomputes and publishes the plan's partitions, in its order. A partition whose SQL,
// key or windows are wrong is recorded as failed, one that a declared check
// blocks is held, and neither stops the others but as Options say. The error is of what stops
// everything: the store, the context, ErrReplaced, window.ErrInput, ErrTooManyFailed, ErrEnough, ErrNotWhole;
// partitions not reached by
// then are as if they had never been tried, and running the command again does
// them. Results whose files a sweep removed before they were published are
// computed again, a few times. A partition whose raw rows expired, before the plan
// or since, is left as it is, with the error landing.ErrExpired.
//
// When ctx ends, what is being computed is abandoned, and what was ready by then is still
// published, within graceToCommit.
//
// Backfills and replays are done by the code that does slices of them elsewhere: see
// RunSlice. Their generation is that of the plan's code. What others have done of them, or of what
// the stream does, by the time that a partition's turn comes, is not computed.
func (t *Task) Execute(ctx context.Context, plan window.Plan, o Options) (Report, error) {
	if (o.Driver == manifests.DriverBackfill || o.Driver == manifests.DriverReplay) && !o.Rebuild {
		return t.runHere(ctx, plan, o)
	}
	report := Report{Plan: plan}
	var look look
	if o.Driver == manifests.DriverStream {
		look = t.lookAgain(plan)
	}
	return report, t.execute(ctx, plan, o, &report, look)
}

// execute is Execute, which looks at each partition when its turn comes.
func (t *Task) execute(ctx context.Context, plan window.Plan, o Options, report *Report, look look) error {
	if err := errors.Join(t.agree(), t.madeBy(plan.Tables)); err != nil {
		return err
	}
	if o.Atomic {
		if err := Whole(plan); err != nil {
			return err
		}
	}
	report.leave(o.Done)
	for try := 1; ; try++ {
		run := newExecution(t, plan, o, report)
		run.look = look
		err := run.all(ctx)
		if err != nil || run.swept == nil {
			return err
		}
		if try == maxTries {
			return fmt.Errorf("publish %d partitions of job %s, %d times: %w", len(run.again), plan.Job.Name, try, run.swept)
		}
		plan.Tasks = run.again
	}
}

// maxTries is how often results are computed if a sweep removes their files.
const maxTries = 3

// ErrTooManyFailed says that a run ended since as many partitions have failed as it was
// told to bear. What is published stands.
var ErrTooManyFailed = errors.New("too many partitions failed")

// ErrEnough says that a run ended before all its partitions were begun, since it was told to. What
// is published stands.
var ErrEnough = errors.New("the rest was left, as was asked for")

// ErrNotWhole says that of partitions that are to be published together some can't be
// computed any more. Nothing was computed.
var ErrNotWhole = errors.New("not all that is to be published together can be computed")

// Whole is ErrNotWhole if a plan leaves partitions out.
func Whole(plan window.Plan) error {
	if len(plan.Left) == 0 {
		return nil
	}
	return fmt.Errorf("publish %d partitions of job %s together: %w: raw rows of %d of them have expired, the first is %s; ask for a range without them",
		len(plan.Left)+len(plan.Tasks), plan.Job.Name, ErrNotWhole, len(plan.Left), plan.Left[0].Partition)
}
