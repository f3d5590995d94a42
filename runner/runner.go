// Package runner holds the three drivers over one loop: plan, recompute,
// publish. The drivers differ only in which partitions they ask for; what
// happens to a partition is the same code for all of them.
package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

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
	// Mend, if not nil, makes Scratch again, and where Files has its copies, where something has
	// removed them.
	Mend func() error
	// Now is the clock by which watermarks go on. Default time.Now.
	Now func() time.Time
}

// mend is window.ErrResources where the scratch folder is gone and can't be made again.
func (l Lake) mend() error {
	if l.Mend == nil {
		return nil
	}
	if err := l.Mend(); err != nil {
		return fmt.Errorf("%w: %w", window.ErrResources, err)
	}
	return nil
}

func (l Lake) now() time.Time {
	if l.Now == nil {
		return time.Now()
	}
	return l.Now()
}

// Task is a job with all it works on. It belongs to one process and is safe
// for concurrent use.
type Task struct {
	lake     Lake
	compiled *window.Compiled
	inputs   []Input // in the order of the job's
	table    *manifests.Table
	last     lastSurvey
}

// NewTask binds a compiled job to its inputs, in the order of Job.Inputs, and its table.
func NewTask(lake Lake, compiled *window.Compiled, inputs []Input, table *manifests.Table) *Task {
	return &Task{lake: lake, compiled: compiled, inputs: inputs, table: table}
}

// Job returns the job.
func (t *Task) Job() window.Job { return t.compiled.Job }

// Fingerprint returns the digest of the job's code.
func (t *Task) Fingerprint() digest.Hash { return t.compiled.Fingerprint }

// Request says which partitions a driver asks for. Exactly one of its kinds is
// used: a backfill has a Range or States, a replay positions or Hours; the stream has neither.
type Request struct {
	Driver manifests.Driver
	Range  window.Interval   // of a backfill, half-open; zero: all of time
	Ranges []window.Interval // of a backfill, beside Range
	Named  bool              // of a backfill: Ranges are partitions, each of which must be there
	States []window.State    // of a backfill: only what is in one of these
	From   landing.Position  // of a replay: the first position whose partitions are wanted
	To     landing.Position  // of a replay: where the positions end, exclusive; 0: where the stream does
	Hours  []int64           // of a replay: instead, the bucket-hours of rows that HoursOf found, if not nil
	Rows   string            // of a replay by Hours: which rows these are, in words
	Stream string            // of a replay: whose rows they are; "" where the job reads one stream
	Again  bool              // of a backfill: also what is fresh
	// Shard leaves out what belongs to the others, which processes of their own do.
	Shard window.Shard
	// Rebuild asks for every partition that has rows, whatever is published, to
	// replace the whole table.
	Rebuild bool
	// Order is that of the plan's tasks. The stream's are always the newest first.
	Order window.Order
}

// Plan reads the logs and decides what a driver would do now. It reads no data
// file, but is landing.IsMisdeclared where none could be read, unlike Survey. Running it is Execute; printing it is the dry run. A rebuild that would
// leave partitions out is ErrIncomplete.
func (t *Task) Plan(ctx context.Context, r Request) (window.Plan, error) {
	list, touched, err := t.listing(ctx, r)
	if err != nil {
		return window.Plan{Job: t.Job(), Fingerprint: t.Fingerprint()}, err
	}
	plan, err := t.survey(ctx, list)
	if err == nil {
		err = t.agree()
	}
	if err != nil {
		return plan, err
	}
	survey := plan.Tasks
	plan.Tasks, plan.Fresh = nil, 0
	if err := r.found(t.Job(), survey); err != nil {
		return plan, err
	}
	switch {
	case r.Rebuild:
		plan.Tasks = window.ForRebuild(survey)
	case r.Driver == manifests.DriverStream:
		plan.Tasks, plan.Held = window.ForStream(survey), window.LateHeld(survey)
		plan.Open = window.Tally(survey)[window.Open]
	case r.Driver == manifests.DriverBackfill:
		plan.Tasks = window.ForBackfill(survey, window.Wanted{Within: r.within(), States: r.States, Again: r.Again})
	case r.Driver == manifests.DriverReplay:
		plan.Tasks = window.ForReplay(survey, touched)
	default:
		return plan, fmt.Errorf("no driver is called %q", r.Driver)
	}
	if r.Driver != manifests.DriverStream {
		plan.Arrange(r.Order)
	}
	plan.Tasks = r.Shard.Choose(plan.Tasks)
	plan.LeaveOut()
	if r.Rebuild {
		return plan, complete(plan)
	}
	return plan, nil
}

// listing are the partitions that are chosen from; of a replay also those that its rows
// touch.
func (t *Task) listing(ctx context.Context, r Request) (list window.Listing, touched []window.Partition, err error) {
	switch {
	case r.Rebuild:
		list.Fresh = true
	case r.Driver == manifests.DriverBackfill:
		list.Within, list.Fresh = r.within(), r.Again || r.Named // else nobody asks for what is fresh
	case r.Driver == manifests.DriverReplay:
		list.Fresh = true
		touched, err = t.replayed(ctx, r)
		for _, p := range touched {
			list.Within = append(list.Within, p.Interval)
		}
	}
	return list, touched, err
}

// within are the ranges of a backfill.
func (r Request) within() []window.Interval {
	if r.Range == (window.Interval{}) {
		return r.Ranges
	}
	return append([]window.Interval{r.Range}, r.Ranges...)
}

// ErrNoPartition says that a partition that was named is not there: it has no rows, and
// nothing is published of it.
var ErrNoPartition = errors.New("no such partition")

// found is ErrNoPartition if one that is named is not in a survey of all.
func (r Request) found(job window.Job, survey []window.Status) error {
	if !r.Named {
		return nil
	}
	there := make(map[window.Interval]bool, len(survey))
	for _, s := range survey {
		there[s.Interval] = true
	}
	var lacking []string
	for _, named := range r.Ranges {
		if !there[named] {
			lacking = append(lacking, job.Grain.Containing(named.Start).String())
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return fmt.Errorf("%s of job %s: %w: %s: nothing that it reads has rows there, and nothing is published of it (strandline plan %s --all lists those that are there)",
		r.Driver, job.Name, ErrNoPartition, strings.Join(lacking, ", "), job.Name)
}

// Survey tells where every partition of the job stands now.
func (t *Task) Survey(ctx context.Context) (window.Plan, error) { return t.SurveyWithin(ctx, nil) }

// SurveyWithin is Survey of the partitions that overlap one of some intervals; none: all of
// time.
func (t *Task) SurveyWithin(ctx context.Context, within []window.Interval) (window.Plan, error) {
	return t.survey(ctx, window.Listing{Within: within, Fresh: true})
}

// Overview is Survey, but what is fresh is counted and not listed.
func (t *Task) Overview(ctx context.Context) (window.Plan, error) {
	return t.survey(ctx, window.Listing{})
}

// Explain has a plan say why of each of its tasks, and what computing them costs; of
// those that are fresh only if that is asked for. It reads no data file.
func (t *Task) Explain(ctx context.Context, plan *window.Plan, fresh bool) error {
	table, err := t.table.Snapshot(ctx)
	if err != nil {
		return err
	}
	return t.view(pinned{tables: plan.Tables}, func(now pinned) error {
		plan.Explain(fresh, now.heads, table, t.compiled.Definition())
		return nil
	})
}

// survey pins the position vector: what lands from here on is not part of it.
func (t *Task) survey(ctx context.Context, list window.Listing) (window.Plan, error) {
	plan := window.Plan{Job: t.Job(), Fingerprint: t.compiled.Fingerprint}
	made, err := t.settled(ctx)
	if err != nil {
		return plan, err
	}
	err = t.beside(ctx, made, func(now pinned) error {
		survey, err := t.surveyed(now, list)
		plan.Read, plan.Tables = t.Job().Ends(now.heads), now.tables
		plan.Tasks, plan.Fresh = survey.Partitions, survey.Fresh
		at := t.lake.now()
		plan.Watermark = window.Following(now.heads, at)
		t.compiled.Close(plan.Tasks, now.heads, at)
		return err
	})
	return plan, err
}

// CheckHistory holds the table's results against the logs of its inputs, as planning
// does: window.ErrHistory if they were computed from another.
func (t *Task) CheckHistory(ctx context.Context) error {
	return t.beside(ctx, nil, func(now pinned) error {
		return t.compiled.CheckHistory(t.compiled.Fingerprint, now.heads, now.own)
	})
}

// Register makes this process's definition of the job the table's current
// generation. A driver does so once, before it executes.
func (t *Task) Register(ctx context.Context, driver manifests.Driver) (generation uint64, err error) {
	if err := t.agree(); err != nil {
		return 0, err
	}
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
// was last read, and landing.IsMisdeclared if it can't with a stream.
func (t *Task) Fits(ctx context.Context) error {
	if err := t.agree(); err != nil {
		return err
	}
	return t.warn(ctx, t.table.Fits(t.compiled.Definition()))
}

func (t *Task) publisher(driver manifests.Driver, generation uint64) *publish.Publisher {
	return &publish.Publisher{
		Store: t.lake.Store, Table: t.table, Driver: driver, Generation: generation,
		Key: t.Job().Key, Time: t.Job().TimeColumn(), Columns: t.compiled.Columns, Outside: t.Job().WhyOutside(),
		Examine: func(ctx context.Context, files []string, rows int64, standing *manifests.Receipt) (window.Findings, error) {
			return t.compiled.Examine(ctx, t.lake.Engine, files, rows, standing)
		},
	}
}
