package main

import (
	"context"
	"fmt"
	"time"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// The events of backfill and replay with --json, an object each: docs/backfill.md.
const (
	eventPlanned   = "planned"
	eventStarted   = "started"
	eventPartition = "partition"
	eventProgress  = "progress"
	eventFinished  = "finished"
)

// plannedEvent comes first: what will be done. A dry run's partitions follow it.
type plannedEvent struct {
	Event string `json:"event"`
	planFact
	Driver      manifests.Driver `json:"driver"`
	Tasks       int              `json:"tasks"`    // partitions to be computed
	LeftOut     int              `json:"left_out"` // asked for too, and can't be computed any more
	Order       window.Order     `json:"order"`
	Parallel    int              `json:"parallel"`
	Atomic      bool             `json:"atomic"`
	MaxFailures int              `json:"max_failures"`      // 0: however many
	Seconds     *float64         `json:"estimated_seconds"` // null where nothing tells

	forecast runner.Forecast
}

// plannedOf explains a plan and says how it will be run.
func plannedOf(ctx context.Context, task *runner.Task, plan *window.Plan, driver manifests.Driver, d drive) (plannedEvent, error) {
	if err := task.Explain(ctx, plan, true); err != nil {
		return plannedEvent{}, err
	}
	forecast, err := task.Forecast(ctx, *plan, d.parallel)
	f := plannedEvent{
		Event: eventPlanned, planFact: factOf(*plan), Driver: driver, Tasks: len(plan.Tasks), LeftOut: len(plan.Left),
		Order: window.Order(d.order), Parallel: d.parallel, Atomic: d.atomic, MaxFailures: d.maxFailures, forecast: forecast,
	}
	if forecast.By > 0 {
		seconds := rounded(forecast.Lasts)
		f.Seconds = &seconds
	}
	return f, err
}

// lasting is a line that tells how long the plan is likely to take.
func (f plannedEvent) lasting() string {
	switch {
	case f.Tasks == 0:
		return ""
	case f.Seconds == nil:
		return "  how long that takes is unknown: of no result of this table it is recorded what it took\n"
	}
	return fmt.Sprintf("  that takes some %v where nothing else runs, %d at a time, by what the last %s of this table took\n",
		roughly(f.forecast.Lasts), f.Parallel, count(f.forecast.By, "result"))
}

// roughly is a duration as far as an estimate of it means something.
func roughly(d time.Duration) time.Duration {
	switch {
	case d < time.Second:
		return max(d.Round(10*time.Millisecond), 10*time.Millisecond)
	case d < time.Minute:
		return d.Round(time.Second)
	}
	return d.Round(10 * time.Second)
}

// rounded is a duration in seconds, to milliseconds.
func rounded(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }

// startedEvent says that computing a partition begins.
type startedEvent struct {
	Event     string    `json:"event"`
	Table     string    `json:"table"`
	Partition string    `json:"partition"`
	Start     time.Time `json:"start"` // inclusive
	End       time.Time `json:"end"`   // exclusive
}

// partitionEvent is what became of a partition.
type partitionEvent struct {
	Event string `json:"event"`
	partitionFact
}

// progressEvent comes every few seconds, while partitions are computed.
type progressEvent struct {
	Event  string  `json:"event"`
	Table  string  `json:"table"`
	Done   int     `json:"done"` // computed or failed
	Total  int     `json:"total"`
	Failed int     `json:"failed"`
	Spent  float64 `json:"seconds"`
	Left   float64 `json:"left_seconds"` // as it went until now
}

// finishedEvent comes last, also after an interrupt.
type finishedEvent struct {
	Event      string           `json:"event"`
	Table      string           `json:"table"`
	Driver     manifests.Driver `json:"driver"`
	Partitions int              `json:"partitions"` // that were asked for
	Published  int              `json:"published"`
	Unchanged  int              `json:"unchanged"`
	Superseded int              `json:"superseded"`
	Already    int              `json:"done_already"` // skipped: the table had just what was wanted
	Repaired   int              `json:"repaired"`
	Failed     int              `json:"failed"` // for whatever other reason they are not published
	Held       int              `json:"held"`
	Withheld   int              `json:"withheld"` // with others that were not fit to be published
	LeftOut    int              `json:"left_out"`
	NotDone    int              `json:"not_done"` // that were not reached
	Seconds    float64          `json:"seconds"`
	Error      string           `json:"error,omitempty"` // why it ended before all were tried
}

func finishedOf(driver manifests.Driver, report runner.Report, spent time.Duration, err error) finishedEvent {
	f := finishedEvent{
		Event: eventFinished, Table: report.Plan.Job.Name, Driver: driver, Partitions: max(len(report.Plan.Tasks)+len(report.Plan.Left), len(report.Outcomes)),
		Published: report.Count(manifests.Swap), Unchanged: report.Count(manifests.Unchanged), Superseded: report.Count(manifests.Behind), Already: report.Count(manifests.Already),
		Repaired: report.Count(manifests.Repaired), Held: report.Held(), Withheld: report.Count(manifests.Withheld), LeftOut: report.Left(),
		Seconds: rounded(spent),
	}
	f.Failed = len(report.Failed()) - f.Held - f.Withheld - f.LeftOut
	f.NotDone = max(0, f.Partitions-len(report.Outcomes))
	if err != nil {
		f.Error = err.Error()
	}
	return f
}
