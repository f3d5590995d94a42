package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"strandline/internal/condemn"
	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/window"
)

// Options say how a plan is run.
type Options struct {
	Driver     manifests.Driver
	Generation uint64
	Parallel   int // partitions recomputed at a time; at least 1
	// Together publishes all results in one edit when the last is done, instead
	// of whatever is ready whenever the log is free.
	Together bool
	// Rebuild publishes the results as the whole table, with this process's
	// definition, in one edit, or nothing if a partition fails. Generation is
	// then the one that was seen, not one that was registered.
	Rebuild bool
	// Atomic publishes all results in one edit when the last is done, or nothing if a
	// partition failed, was held or superseded, or can't be computed any more. What
	// would have been published is Withheld then.
	Atomic bool
	// MaxFailures ends the run once so many partitions have failed or were held, with
	// ErrTooManyFailed: no other is begun, and what is published stands. 0: however many.
	MaxFailures int
	// Began, if not nil, is told of each partition whose computing begins, and Computed
	// when it has ended, whatever came of it; Done is told each outcome as it is known.
	// Calls of the three never overlap.
	Began, Computed func(window.Partition)
	Done            func(Outcome)
	// Slots are where the partitions are computed, one in each at a time; Parallel is
	// the most that are asked for. The zero Slots are without bound.
	Slots Slots
}

// Execute recomputes and publishes the plan's partitions. A partition whose SQL,
// key or windows are wrong is recorded as failed, one that a declared check
// blocks is held, and neither stops the others. The error is of what stops
// everything: the store, the context, ErrReplaced, window.ErrInput; partitions not reached by
// then are as if they had never been tried, and running the command again does
// them. Results whose files a sweep removed before they were published are
// computed again, a few times. A partition whose raw rows expired, before the plan
// or since, is left as it is, with the error landing.ErrExpired.
func (t *Task) Execute(ctx context.Context, plan window.Plan, o Options) (Report, error) {
	report := Report{Plan: plan}
	return report, t.execute(ctx, plan, o, &report, nil)
}

// execute is Execute, which looks at each partition when its turn comes.
func (t *Task) execute(ctx context.Context, plan window.Plan, o Options, report *Report, look look) error {
	if err := t.madeBy(plan.Tables); err != nil {
		return err
	}
	report.leave(o.Done)
	for try := 1; ; try++ {
		run := &execution{task: t, plan: plan, publisher: t.publisher(o.Driver, o.Generation), options: o, report: report, look: look}
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

// ErrTooManyFailed says that a run ended since as many partitions have failed as it was
// told to bear. What is published stands.
var ErrTooManyFailed = errors.New("too many partitions failed")

// maxTries is how often results are computed if a sweep removes their files.
const maxTries = 3

// execution is one running plan: workers seal results, one goroutine commits.
type execution struct {
	task      *Task
	plan      window.Plan
	publisher *publish.Publisher
	options   Options
	report    *Report
	look      look

	swept error           // why some are to be computed again
	again []window.Status // those
}

// look tells whether what is wanted of a partition is published already, and completes
// what is known of it; nil: nobody else does what this process does.
type look func(context.Context, *window.Status) (stands bool, err error)

// stands tells whether there is nothing to do for a partition.
func (x *execution) stands(ctx context.Context, s *window.Status) (bool, error) {
	if x.look == nil {
		return false, nil
	}
	return x.look(ctx, s)
}

// attempt is what a worker made of one task.
type attempt struct {
	status window.Status
	sealed publish.Sealed
	err    error // why the partition failed
	// repeated counts the rows that dedup left out.
	repeated int64
	// lasting says that trying again changes nothing until data or code do.
	lasting bool
}

func (x *execution) all(parent context.Context) error {
	group, ctx := errgroup.WithContext(parent)
	tasks := make(chan window.Status)
	attempts := make(chan attempt)
	group.Go(func() error {
		defer close(tasks)
		return feed(ctx, x.plan.Tasks, tasks)
	})
	workers, workCtx := errgroup.WithContext(ctx)
	for range max(1, min(x.options.Parallel, len(x.plan.Tasks))) {
		workers.Go(func() error { return x.work(workCtx, tasks, attempts) })
	}
	group.Go(func() error {
		defer close(attempts)
		return workers.Wait()
	})
	group.Go(func() error { return x.commits(ctx, attempts) })
	if err := group.Wait(); err != nil || !x.options.Rebuild || len(x.plan.Tasks) > 0 {
		return err
	}
	return x.rebuild(parent, nil) // to an empty table
}

func feed(ctx context.Context, statuses []window.Status, tasks chan<- window.Status) error {
	for _, s := range statuses {
		select {
		case tasks <- s:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (x *execution) work(ctx context.Context, tasks <-chan window.Status, attempts chan<- attempt) error {
	slot := worker{Slots: x.options.Slots}
	defer slot.end()
	for s := range tasks {
		if err := slot.next(ctx); err != nil {
			return err
		}
		a, err := x.attempt(ctx, s)
		if err != nil {
			return err
		}
		slot.did()
		select {
		case attempts <- a:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// attempt recomputes one partition and seals the result. The error is of what
// stops everything; what is wrong with the partition is in the attempt.
func (x *execution) attempt(ctx context.Context, s window.Status) (attempt, error) {
	stands, err := x.stands(ctx, &s)
	a := attempt{status: s}
	if stands {
		a.sealed = publish.Sealed{Receipt: *s.Receipt, Unchanged: true, At: x.task.table.Now()}
	}
	if stands || err != nil {
		return a, err
	}
	result, err := x.task.recompute(ctx, x.plan, s)
	if err == nil {
		defer result.Remove()
		a.repeated = result.Repeated
		a.sealed, err = x.publisher.Seal(ctx, result, s.Receipt)
	}
	var check *publish.CheckError
	switch {
	case err == nil:
		return a, nil
	case errors.Is(err, window.ErrJob) || errors.As(err, &check):
		a.err, a.lasting = err, true
		return a, nil
	case errors.Is(err, window.ErrResources) || errors.Is(err, window.ErrCheck) || errors.Is(err, landing.ErrExpired):
		a.err = err
		return a, nil
	}
	return a, fmt.Errorf("recompute partition %s of job %s: %w", s.Partition, x.plan.Job.Name, err)
}

func (t *Task) recompute(ctx context.Context, plan window.Plan, s window.Status) (window.Result, error) {
	return t.compiled.Recompute(ctx, t.source(plan.Read, plan.Tables), s)
}

// commits publishes attempts as they come: each edit takes all that is ready.
func (x *execution) commits(ctx context.Context, attempts <-chan attempt) error {
	for first := range attempts {
		ready, open := gather(first, attempts, x.options.Together || x.options.Rebuild)
		if !open && ctx.Err() != nil {
			return ctx.Err() // broken off: what is ready is not all that belongs together
		}
		commit := x.commit
		if x.options.Rebuild {
			commit = x.rebuild
		}
		err := commit(ctx, ready)
		if errors.Is(err, condemn.Err) {
			x.computeAgain(err, ready)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (x *execution) computeAgain(swept error, attempts []attempt) {
	x.swept = swept
	for _, a := range attempts {
		x.again = append(x.again, a.status)
	}
}

// gather takes what else is ready now, or with all set, everything to come. It
// tells whether the channel is still open.
func gather(first attempt, attempts <-chan attempt, all bool) (ready []attempt, open bool) {
	ready = []attempt{first}
	for {
		if all {
			a, ok := <-attempts
			if !ok {
				return ready, false
			}
			ready = append(ready, a)
			continue
		}
		select {
		case a, ok := <-attempts:
			if !ok {
				return ready, false
			}
			ready = append(ready, a)
		default:
			return ready, true
		}
	}
}

func (x *execution) commit(ctx context.Context, ready []attempt) error {
	var sealed []publish.Sealed
	var failures []manifests.Failure
	for _, a := range ready {
		switch {
		case a.lasting:
			failures = append(failures, x.failure(a))
		case a.err == nil:
			sealed = append(sealed, a.sealed)
		}
	}
	published, err := x.publisher.Commit(ctx, sealed, failures, false)
	if err != nil {
		return err
	}
	slices.SortFunc(ready, func(a, b attempt) int { return a.status.Start.Compare(b.status.Start) })
	for _, a := range ready {
		x.tell(a, published)
	}
	return nil
}

// rebuild publishes all results as the whole table, or none.
func (x *execution) rebuild(ctx context.Context, ready []attempt) error {
	var sealed []publish.Sealed
	published := manifests.Outcome{Verdicts: map[string]manifests.Verdict{}}
	verdict := manifests.Swap
	for _, a := range ready {
		sealed = append(sealed, a.sealed)
		if a.err != nil || len(a.sealed.Violations) > 0 {
			verdict = manifests.Withheld
		}
	}
	if verdict == manifests.Withheld {
		x.publisher.Abandon(ctx, sealed)
	} else {
		var err error
		if published.Version, err = x.publisher.Rebuild(ctx, x.task.compiled.Definition(), x.plan.Read, sealed); err != nil {
			return err
		}
	}
	for _, a := range ready {
		published.Verdicts[a.status.String()] = verdict
		x.tell(a, published)
	}
	return nil
}

func (x *execution) failure(a attempt) manifests.Failure {
	return manifests.Failure{
		Partition: a.status.String(), Start: a.status.Start, End: a.status.End,
		Fingerprint: x.plan.Fingerprint, InputDigest: a.status.Input.Digest, Reason: a.err.Error(),
	}
}

func (x *execution) tell(a attempt, published manifests.Outcome) {
	o := Outcome{Partition: a.status.Partition, Input: a.status.Input, Expired: a.status.Expired, Receipt: a.sealed.Receipt, Repeated: a.repeated, Early: a.status.Early, Err: a.err, Findings: a.sealed.Findings}
	if o.Err == nil {
		o.Verdict = published.Verdicts[a.status.String()]
	}
	if o.Err == nil && (o.Verdict == manifests.Swap || o.Verdict == manifests.Held || o.Verdict == manifests.Repaired) {
		o.Version = published.Version
	}
	if o.Verdict == manifests.NonDeterministic && o.Err == nil {
		o.Err = errNonDeterministic
	}
	x.report.Outcomes = append(x.report.Outcomes, o)
	if x.options.Done != nil {
		x.options.Done(o)
	}
}

var errNonDeterministic = errors.New("non-deterministic: the same input and code gave other rows than those published, which stand; if the code is sound, one of the two was computed from damaged data: strandline verify looks, and backfill --rebuild replaces the table, as long as no raw rows of it have expired")
