package main

import (
	"context"

	"strandline/manifests"
	"strandline/runner"
)

// execute plans a request for good, and carries it out.
func (a *app) execute(ctx context.Context, l *lake, task *runner.Task, r runner.Request, d drive) error {
	// A request that can't be planned changes nothing, so it is planned first.
	if _, err := task.Plan(ctx, r); err != nil {
		return err
	}
	generation, err := l.generation(ctx, task, r)
	if err != nil {
		return err
	}
	// And once more, for good: what older code published until it was replaced
	// is stale now, also where its input is the newest.
	plan, err := task.Plan(ctx, r)
	if err != nil {
		return err
	}
	w := a.watch(plan, r, d)
	if err := w.planned(ctx, task); err != nil {
		return err
	}
	report, err := task.Execute(ctx, plan, runner.Options{
		Driver: r.Driver, Generation: generation, Parallel: d.parallel,
		Rebuild: r.Rebuild, Atomic: d.atomic, MaxFailures: d.maxFailures,
		Began: w.began, Computed: w.computed, Done: w.done,
	})
	if r.Rebuild && err == nil {
		l.tellOfOtherCode(ctx, task, l.note)
	}
	return w.finish(ctx, report, err)
}

// generation is the one that a driver writes for: a rebuild brings its own.
func (l *lake) generation(ctx context.Context, task *runner.Task, r runner.Request) (uint64, error) {
	if r.Rebuild {
		return task.Generation(ctx)
	}
	return l.register(ctx, task, r.Driver)
}

func (a *app) done(table string, driver manifests.Driver, o runner.Outcome) error {
	return a.fact(outcomeFact(table, driver, o), "%s\n", describeOutcome(driver, table, o))
}
