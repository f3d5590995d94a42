package window

import (
	"fmt"
	"slices"
	"strings"

	"strandline/internal/digest"
	"strandline/landing"
	"strandline/manifests"
)

// State is where a partition stands.
type State string

// The states of a partition.
const (
	Fresh   State = "fresh"   // its receipt matches head input and current code
	Stale   State = "stale"   // because of data, code or both
	Missing State = "missing" // there are rows for it and it was never published
	Failed  State = "failed"  // the last try failed, and nothing has changed since
	Held    State = "held"    // a check withheld the result, for a person to release or drop; or see Status.Outlived and Status.LateHeld
	Open    State = "open"    // there are rows for it, and the job publishes it once it is closed
	Aside   State = "aside"   // a person rolled the result back or dropped it, and nothing has changed since
)

// Status is what planning knows of one partition.
type Status struct {
	Partition
	State State
	// StaleData and StaleCode say why a partition is stale.
	StaleData, StaleCode bool
	// Input is what the partition would be computed from now. Its rows are
	// those of whole bucket-hours.
	Input landing.Input
	// Inputs say what Input is of, as receipts do: nil for a job of one stream.
	Inputs map[string]manifests.Input
	// Expired is how many of the input's rows have expired by the stream's retain.
	Expired int64
	Receipt *manifests.Receipt // nil if it was never published
	Failure *manifests.Failed  // nil if none stands
	// Candidate is the held result, and Aside what a person set aside; nil if
	// there is none.
	Candidate *manifests.Candidate
	Aside     *manifests.Aside
	Why       *Why // of a plan that was explained, else nil
	// Closed says that the watermark has passed all that it is computed from, Late what
	// came for it since then and is not in what is published, and final that nothing else
	// is missing there. See Job.Close.
	Closed bool
	Late   landing.Late
	final  bool
	was    *Job // as the receipt's code is, as far as that is known: see formerly
	// Early says that the job publishes on close, and this is not closed: what a person
	// has computed of it now may lack rows that are still to be expected.
	Early bool
}

// Reason says in words why the partition is not fresh.
func (s Status) Reason() string {
	reason := s.reason()
	switch {
	case s.Recomputable() || s.State == Fresh:
		return reason
	case s.State == Stale:
		return reason + "; raw rows have expired, so it stays as it is"
	case reason == "":
		return "raw expired: " + s.Gone()
	}
	return reason + "; raw expired: " + s.Gone()
}

func (s Status) reason() string {
	switch {
	case s.Outlived():
		return ""
	case s.LateHeld():
		return lateness(s.Late)
	case s.State == Open:
		return "waits to be closed"
	case s.State == Failed:
		return s.Failure.Reason
	case s.State == Held:
		return strings.Join(s.Candidate.Violations, "; ")
	case s.State == Aside:
		return fmt.Sprintf("%s in version %d", s.Aside.Reason, s.Aside.Since)
	case s.StaleData && s.StaleCode:
		return "data and code changed"
	case s.StaleData && s.Late.Rows > 0:
		return "data changed, " + lateness(s.Late)
	case s.StaleData:
		return "data changed"
	case s.StaleCode:
		return "code changed"
	case s.State == Missing:
		return "never published"
	}
	return ""
}

// Tally counts partitions by state. A stale partition whose data is the same
// counts as OldCode.
func Tally(survey []Status) map[State]int {
	n := map[State]int{}
	for _, s := range survey {
		if s.State == Stale && !s.StaleData {
			n[OldCode]++
		} else {
			n[s.State]++
		}
	}
	return n
}

// Early counts the tasks that are computed before they are closed.
func (p Plan) Early() (n int) {
	for _, s := range p.Tasks {
		if s.Early {
			n++
		}
	}
	return n
}

// Tally counts the partitions of a survey.
func (p Plan) Tally() map[State]int {
	n := Tally(p.Tasks)
	if p.Fresh > 0 {
		n[Fresh] += p.Fresh
	}
	return n
}

// OldCode is how Tally counts partitions that are stale by code alone.
const OldCode State = "of old code"

// Plan is what a driver will do: these partitions, from these positions, by
// this code. Making one reads metadata only, and printing it is the dry run.
type Plan struct {
	Job         Job
	Fingerprint digest.Hash
	Read        manifests.Positions            // the job's inputs, up to where
	Tables      map[string]*manifests.Snapshot // of Read, the tables, by their names
	Tasks       []Status                       // in the order in which they will run
	Fresh       int                            // of a survey that does not list them: how many are fresh
	Left        []Status                       // asked for too, but their raw rows have expired
	// Changed are the codes that tasks are still the work of, and Cost what all tasks
	// read, a segment once; of a plan that was explained.
	Changed   []*Changed
	Cost      Cost
	Held      []Status  // of the stream driver: what it leaves to a person, since rows came late
	Open      int       // of the stream driver: how many wait to be closed
	Watermark Watermark // of the job, when it was planned
}

// ForStream chooses what the stream driver recomputes, newest first: what is
// missing and what has new data. Partitions of old code are left as they are
// until their data changes or somebody asks, and a partition that failed is
// tried again when its input or code moves on. What was never published and
// can't be computed any more is passed over; what is held since it can't be is
// chosen, to be told of.
func ForStream(survey []Status) []Status {
	tasks := choose(survey, func(s Status) bool {
		return s.State == Missing && s.Recomputable() || s.State == Stale && s.StaleData || s.Outlived()
	})
	if len(tasks) == len(survey) {
		tasks = slices.Clone(tasks) // who asked still has the survey
	}
	slices.Reverse(tasks)
	return tasks
}

// LateHeld are the partitions of a survey that are held since rows came late.
func LateHeld(survey []Status) []Status { return choose(survey, Status.LateHeld) }

// Wanted is what a backfill asks for.
type Wanted struct {
	// Within are half-open. None are all of time.
	Within []Interval
	// States, if there are any, say that only partitions in one of them are wanted. What
	// is open, and so waits for the stream driver, is missing or stale to a person.
	States []State
	// Again asks for what is fresh too, to compute it once more and compare.
	Again bool
}

// ForBackfill chooses what a backfill does: wanted minus published.
func ForBackfill(survey []Status, w Wanted) []Status {
	w.Within = joined(w.Within)
	return choose(survey, w.wants)
}

// wants tells whether a partition is wanted, within intervals that are in order and apart.
func (w Wanted) wants(s Status) bool {
	switch {
	case len(w.Within) > 0 && !overlapsAny(w.Within, s.Interval):
		return false
	case len(w.States) > 0:
		return slices.Contains(w.States, s.unwaiting())
	}
	return w.Again || s.State != Fresh
}

// unwaiting is the state of a partition but for what the stream driver waits for.
func (s Status) unwaiting() State {
	if s.State == Open {
		return s.published()
	}
	return s.State
}

// ForReplay chooses the partitions that some rows touch, fresh or not.
func ForReplay(survey []Status, touched []Partition) []Status {
	starts := make(map[int64]bool, len(touched))
	for _, p := range touched {
		starts[p.Start.UnixMicro()] = true
	}
	return choose(survey, func(s Status) bool { return starts[s.Start.UnixMicro()] })
}

// ForRebuild chooses every partition that has rows.
func ForRebuild(survey []Status) []Status {
	return choose(survey, func(s Status) bool { return s.Input.Rows > 0 })
}

// choose returns those of a survey that are wanted, in a slice of just their number: a
// survey of very many is large. It is the survey itself where all are.
func choose(survey []Status, want func(Status) bool) []Status {
	var wanted []int
	for i, s := range survey {
		if want(s) {
			wanted = append(wanted, i)
		}
	}
	switch len(wanted) {
	case 0:
		return nil
	case len(survey):
		return slices.Clip(survey)
	}
	chosen := make([]Status, len(wanted))
	for i, at := range wanted {
		chosen[i] = survey[at]
	}
	return chosen
}
