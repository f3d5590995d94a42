package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/landing"
	"strandline/publish"
	"strandline/window"
)

// execution is one running plan: workers seal results, one goroutine commits.
type execution struct {
	task      *Task
	plan      window.Plan
	publisher *publish.Publisher
	options   Options
	report    *Report
	budget    *budget
	look      look

	gone   chan struct{} // closed when the committer has ended
	told   sync.Mutex    // held while somebody is told
	memory sync.RWMutex  // held for writing by an attempt that wants the engine's memory alone

	swept   error           // why some are to be computed again
	again   []window.Status // those
	untried atomic.Int64    // tasks that were not begun since too many failed
	cut     atomic.Bool     // some were not begun since there was enough
	vain    atomic.Bool     // one is not fit to be published, and so none is
}

func newExecution(t *Task, plan window.Plan, o Options, report *Report) *execution {
	had := report.failures(o)
	if o.Others != nil {
		had += o.Others.Failed
	}
	return &execution{
		task: t, plan: plan, publisher: t.publisher(o.Driver, o.Generation), options: o, report: report,
		budget: newBudget(o.MaxFailures, had), gone: make(chan struct{}),
	}
}

// stands tells whether there is nothing to do for a partition.
func (x *execution) stands(ctx context.Context, s *window.Status) (bool, error) {
	if x.look == nil {
		return false, nil
	}
	stands, failed, err := x.look(ctx, s)
	x.budget.atLeast(failed)
	return stands, err
}

// attempt is what a worker made of one task.
type attempt struct {
	status window.Status
	sealed publish.Sealed
	err    error // why the partition failed
	// stands says that nothing was computed: the table has what was wanted.
	stands bool
	// vain says that nothing was computed, since another is not fit to be published.
	vain bool
	// repeated counts the rows that dedup left out.
	repeated int64
	// lasting says that trying again changes nothing until data or code do.
	lasting bool
	// over, if not nil, is closed once it is recorded that it failed.
	over chan struct{}
}

// failed tells whether it is known already that the result will not be published.
func (a attempt) failed() bool {
	return a.err != nil && !errors.Is(a.err, landing.ErrExpired) || len(a.sealed.Violations) > 0
}

// all runs the plan. An attempt that is ready goes to the committer even if ctx has ended,
// unless the committer has.
func (x *execution) all(parent context.Context) error {
	late, end := outliving(parent, x.grace())
	defer end()
	group, ctx := errgroup.WithContext(parent)
	tasks := make(chan window.Status)
	attempts := make(chan attempt)
	group.Go(func() error {
		defer close(tasks)
		return x.feed(ctx, tasks)
	})
	workers, workCtx := errgroup.WithContext(ctx)
	for range max(1, min(x.options.Parallel, len(x.plan.Tasks))) {
		workers.Go(func() error { return x.work(workCtx, tasks, attempts) })
	}
	group.Go(func() error {
		defer close(attempts)
		return workers.Wait()
	})
	group.Go(func() error { return x.commits(ctx, late, attempts) })
	err := group.Wait()
	switch {
	case err == nil && x.untried.Load() > 0:
		return fmt.Errorf("%w: %d of job %s, and %d were not tried", ErrTooManyFailed, x.budget.count(), x.plan.Job.Name, x.untried.Load())
	case err == nil && x.cut.Load():
		return ErrEnough
	case err == nil && x.options.Rebuild && len(x.plan.Tasks) == 0:
		return x.rebuild(parent, nil) // to an empty table
	}
	return err
}

// grace is how long results that were ready when the run was told to end may take to be
// published. The stream's belong together, and its next run computes them anyway.
func (x *execution) grace() time.Duration {
	if x.options.Together {
		return 0
	}
	return graceToCommit
}

// feed hands out the tasks in the plan's order, until too many have failed or there is enough.
func (x *execution) feed(ctx context.Context, tasks chan<- window.Status) error {
	for i, s := range x.plan.Tasks {
		if ctx.Err() != nil {
			return ctx.Err() // also where a worker waits for a task
		}
		select {
		case tasks <- s:
		case <-x.budget.spent:
			x.untried.Add(int64(len(x.plan.Tasks) - i))
			return nil // what is being computed is still published
		case <-x.options.Enough:
			x.cut.Store(true)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (x *execution) work(ctx context.Context, tasks <-chan window.Status, attempts chan<- attempt) error {
	slot := worker{Slots: x.options.Slots, enough: x.options.Enough}
	defer slot.end()
	for s := range tasks {
		err := slot.next(ctx)
		if errors.Is(err, ErrEnough) {
			x.cut.Store(true)
			return nil
		}
		if err != nil {
			return err
		}
		if x.options.Leave != nil && x.options.Leave(ctx, s) {
			continue
		}
		a, err := x.attempt(ctx, s)
		if errors.Is(err, ErrTooManyFailed) {
			x.untried.Add(1)
			continue
		}
		if err != nil {
			return err
		}
		slot.did()
		select {
		case attempts <- a:
		case <-x.gone:
			x.takeBack(ctx, []attempt{a})
			return ctx.Err()
		}
		if a.over != nil {
			select {
			case <-a.over:
			case <-x.gone:
			}
		}
	}
	return nil
}

// attempt recomputes one partition and seals the result. The error is of what
// stops everything, or ErrTooManyFailed if it was not begun; what is wrong with the partition
// is in the attempt.
func (x *execution) attempt(ctx context.Context, s window.Status) (attempt, error) {
	stands, err := x.stands(ctx, &s)
	a := attempt{status: s, stands: stands}
	if stands {
		a.sealed = publish.Sealed{Receipt: *s.Receipt, Unchanged: true, At: x.task.table.Now()}
	}
	if stands || err != nil {
		return a, err
	}
	if a.vain = x.vain.Load(); a.vain {
		return a, nil
	}
	if x.budget.over() {
		return a, ErrTooManyFailed
	}
	x.tellOf(x.options.Began, s)
	a, err = x.shared(ctx, s)
	var check *publish.CheckError
	switch {
	case err == nil:
	case errors.Is(err, window.ErrJob) || errors.As(err, &check):
		a.err, a.lasting = err, true
	case errors.Is(err, window.ErrResources) || errors.Is(err, window.ErrCheck) || errors.Is(err, landing.ErrExpired):
		a.err = err
	default:
		return a, fmt.Errorf("recompute partition %s of job %s: %w", s.Partition, x.plan.Job.Name, err)
	}
	if a.failed() && !s.Tried() && x.options.counts(a.err) {
		x.budget.spend()
		if x.options.Others != nil && !x.together() {
			a.over = make(chan struct{})
		}
	}
	if x.allOrNone() && x.options.MaxFailures == 0 && (a.err != nil || a.failed()) {
		x.vain.Store(true)
	}
	if x.options.Computed != nil {
		x.tellOf(func(p window.Partition) { x.options.Computed(p, a.failed()) }, s)
	}
	return a, nil
}

// shared makes an attempt beside the others, with which it shares the engine's memory.
// Where there is not enough for all, it is made once more alone.
func (x *execution) shared(ctx context.Context, s window.Status) (attempt, error) {
	a, err := x.beside(ctx, s)
	if x.options.Parallel < 2 || !errors.Is(err, window.ErrResources) {
		return a, err
	}
	x.memory.Lock()
	defer x.memory.Unlock()
	return x.seal(ctx, s)
}

func (x *execution) beside(ctx context.Context, s window.Status) (attempt, error) {
	x.memory.RLock()
	defer x.memory.RUnlock()
	return x.seal(ctx, s)
}

func (x *execution) seal(ctx context.Context, s window.Status) (attempt, error) {
	a := attempt{status: s}
	began := time.Now()
	result, err := x.task.recompute(ctx, x.plan, s)
	if err == nil {
		defer result.Remove()
		a.repeated = result.Repeated
		a.sealed, err = x.publisher.Seal(ctx, result, s.Receipt)
		a.sealed.Took = effort(time.Since(began), min(x.options.Parallel, len(x.plan.Tasks)))
	}
	return a, err
}

func (t *Task) recompute(ctx context.Context, plan window.Plan, s window.Status) (window.Result, error) {
	if err := t.lake.mend(); err != nil {
		return window.Result{}, err
	}
	return t.compiled.Recompute(ctx, t.source(plan.Read, plan.Tables), s)
}

func (x *execution) tellOf(who func(window.Partition), s window.Status) {
	if who == nil {
		return
	}
	x.told.Lock()
	defer x.told.Unlock()
	who(s.Partition)
}
