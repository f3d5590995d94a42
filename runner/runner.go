// Package runner holds the three drivers over one loop: plan, recompute,
// publish. The drivers differ only in which partitions they ask for; what
// happens to a partition is the same code for all of them.
package runner

import (
	"context"
	"errors"
	"fmt"

	"strandline/internal/digest"
	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/window"
)

// Lake is what the drivers work on: one lake, opened by one process.
type Lake struct {
	Store   objstore.Store
	Engine  *duck.Engine
	Files   *localfile.Cache
	Scratch string // an existing folder that the engine may write to
}

// Task is a job with all it works on. It belongs to one process and is safe
// for concurrent use.
type Task struct {
	lake     Lake
	compiled *window.Compiled
	stream   *landing.Stream
	table    *manifests.Table
}

// NewTask binds a compiled job to its stream and its table.
func NewTask(lake Lake, compiled *window.Compiled, stream *landing.Stream, table *manifests.Table) *Task {
	return &Task{lake: lake, compiled: compiled, stream: stream, table: table}
}

// Job returns the job.
func (t *Task) Job() window.Job { return t.compiled.Job }

// Fingerprint returns the digest of the job's code.
func (t *Task) Fingerprint() digest.Hash { return t.compiled.Fingerprint }

// Request says which partitions a driver asks for. Exactly one of its kinds is
// used: a backfill has a Range or States, a replay a From; the stream has neither.
type Request struct {
	Driver manifests.Driver
	Range  window.Interval  // of a backfill, half-open; zero: all of time
	States []window.State   // of a backfill: only what is in one of these
	From   landing.Position // of a replay: the first position whose partitions are wanted
	Again  bool             // of a backfill: also what is fresh
	// Rebuild asks for every partition that has rows, whatever is published, to
	// replace the whole table.
	Rebuild bool
}

// Plan reads the logs and decides what a driver would do now. It reads no data
// file. Running it is Execute; printing it is the dry run. A rebuild that would
// leave partitions out is ErrIncomplete.
func (t *Task) Plan(ctx context.Context, r Request) (window.Plan, error) {
	// Without these nobody asks for what is fresh.
	fresh := r.Rebuild || r.Again || r.Driver == manifests.DriverReplay
	plan, err := t.survey(ctx, fresh)
	if err != nil {
		return plan, err
	}
	survey := plan.Tasks
	plan.Tasks, plan.Fresh = nil, 0
	switch {
	case r.Rebuild:
		plan.Tasks = window.ForRebuild(survey)
	case r.Driver == manifests.DriverStream:
		plan.Tasks = window.ForStream(survey)
	case r.Driver == manifests.DriverBackfill:
		plan.Tasks = window.ForBackfill(survey, window.Wanted{Within: r.Range, States: r.States, Again: r.Again})
	case r.Driver == manifests.DriverReplay:
		if r.From < 0 || r.From >= plan.UpTo {
			return plan, fmt.Errorf("replay job %s from position %d: %w: stream %s has positions [0, %d)", t.Job().Name, r.From, ErrNoPosition, t.Job().From, plan.UpTo)
		}
		t.stream.View(func(s *landing.State) {
			plan.Tasks = t.compiled.ForReplay(survey, s, r.From, plan.UpTo)
		})
	default:
		return plan, fmt.Errorf("no driver is called %q", r.Driver)
	}
	plan.LeaveOut()
	if r.Rebuild {
		return plan, complete(plan)
	}
	return plan, nil
}

// ErrNoPosition says that a stream has no row at a position that was named.
var ErrNoPosition = errors.New("no such position")

// Survey tells where every partition of the job stands now.
func (t *Task) Survey(ctx context.Context) (window.Plan, error) { return t.survey(ctx, true) }

// Overview is Survey, but what is fresh is counted and not listed.
func (t *Task) Overview(ctx context.Context) (window.Plan, error) { return t.survey(ctx, false) }

// Explain has a plan say why of each of its tasks, and what computing them costs; of
// those that are fresh only if that is asked for. It reads no data file.
func (t *Task) Explain(ctx context.Context, plan *window.Plan, fresh bool) error {
	table, err := t.table.Snapshot(ctx)
	if err != nil {
		return err
	}
	t.stream.View(func(s *landing.State) { plan.Explain(fresh, s, table, t.compiled.Definition()) })
	return nil
}

// survey pins the position vector: what lands from here on is not part of it.
func (t *Task) survey(ctx context.Context, fresh bool) (window.Plan, error) {
	plan := window.Plan{Job: t.Job(), Fingerprint: t.compiled.Fingerprint}
	err := t.beside(ctx, func(s *landing.State, table *manifests.Snapshot) error {
		survey, err := t.compiled.Survey(plan.Fingerprint, s, table, fresh)
		plan.UpTo, plan.Tasks, plan.Fresh = s.Next(), survey.Partitions, survey.Fresh
		return err
	})
	return plan, err
}

// CheckHistory holds the table's results against the landing log, as planning
// does: window.ErrHistory if they were computed from another.
func (t *Task) CheckHistory(ctx context.Context) error {
	return t.beside(ctx, func(s *landing.State, table *manifests.Snapshot) error {
		return t.compiled.CheckHistory(t.compiled.Fingerprint, s, table)
	})
}

// beside calls fn with the stream and the table as they are now.
//
// A table's receipts may be of newer input than the head that was read before
// them. That is a contradiction only if the log, read once more, still ends
// before what they were computed from: who published them had read it.
func (t *Task) beside(ctx context.Context, fn func(*landing.State, *manifests.Snapshot) error) error {
	if err := t.stream.Refresh(ctx); err != nil {
		return err
	}
	table, err := t.table.Snapshot(ctx)
	if err != nil {
		return err
	}
	view := func() (err error) {
		t.stream.View(func(s *landing.State) { err = fn(s, table) })
		return err
	}
	if err = view(); !errors.Is(err, window.ErrHistory) {
		return err
	}
	if err := t.stream.Refresh(ctx); err != nil {
		return err
	}
	return view()
}

// Register makes this process's definition of the job the table's current
// generation. A driver does so once, before it executes.
func (t *Task) Register(ctx context.Context, driver manifests.Driver) (generation uint64, err error) {
	generation, err = t.table.Register(ctx, driver, t.compiled.Definition())
	return generation, t.warn(ctx, err)
}

// Generation returns the table's current generation, without registering one.
func (t *Task) Generation(ctx context.Context) (uint64, error) {
	snapshot, err := t.table.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	return snapshot.Definition.Generation, nil
}

// Fits is manifests.ErrNeedsRebuild if the job can't go on with the table as it
// was last read.
func (t *Task) Fits(ctx context.Context) error {
	return t.warn(ctx, t.table.Fits(t.compiled.Definition()))
}

func (t *Task) publisher(driver manifests.Driver, generation uint64) *publish.Publisher {
	return &publish.Publisher{
		Store: t.lake.Store, Table: t.table, Driver: driver, Generation: generation,
		Key: t.Job().Key, Time: t.Job().TimeColumn(), Columns: t.compiled.Columns,
		Examine: func(ctx context.Context, files []string, rows int64, standing *manifests.Receipt) (window.Findings, error) {
			return t.compiled.Examine(ctx, t.lake.Engine, files, rows, standing)
		},
	}
}
