package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"strandline/internal/log"
	"strandline/manifests"
	"strandline/plans"
	"strandline/requests"
)

// requestFact is a request as list and show tell of it.
type requestFact struct {
	Request     string                `json:"request"`
	Job         string                `json:"job"`
	Driver      manifests.Driver      `json:"driver"`
	Asked       string                `json:"asked"`
	State       requests.RequestState `json:"state"`
	By          string                `json:"by"`
	On          string                `json:"on,omitempty"` // the engine that runs it, if not the workers of the lake
	Submitted   time.Time             `json:"submitted"`
	Ended       time.Time             `json:"ended,omitzero"`
	Reason      string                `json:"reason,omitempty"` // why it ended before all was run
	EndedBy     string                `json:"ended_by,omitempty"`
	Partitions  int                   `json:"partitions"`
	Progress    *progressFact         `json:"progress,omitempty"`      // none where its plan is in the lake no more, or its code not the table's
	Replaced    bool                  `json:"code_replaced,omitempty"` // of one that is not done: the table has other code, and tells no progress
	Slices      int                   `json:"slices"`
	Claimed     int                   `json:"slices_claimed"`
	Run         int                   `json:"slices_run"`
	Failed      int                   `json:"slices_failed"`
	Parallel    int                   `json:"parallel"`
	Priority    int                   `json:"priority"`
	MaxFailures int                   `json:"max_failures,omitempty"`
	Differs     string                `json:"differs,omitempty"` // what its engine has otherwise than the lake, and what to say to bring both together
	Error       string                `json:"error,omitempty"`   // why it can't be told how far it is
}

// progressFact counts the partitions of a plan by where they stand in the table.
type progressFact struct {
	Done   int `json:"done"`
	Failed int `json:"failed"`
	Held   int `json:"held"`
	Left   int `json:"left"`
	Untold int `json:"recomputed_or_left,omitempty"` // fresh ones that are computed again, of slices that are not known to have been run: no receipt tells whether they were
	Before int `json:"failed_before,omitempty"`      // of one under way: of those that failed or are held, how many did before it was submitted or resumed
}

// progressOf counts the partitions of a request. Of what is computed again the log tells: of slices that were run to
// their end it is done.
func progressOf(r *requests.Request, p plans.Progress) *progressFact {
	n := p.Count
	f := progressFact{Done: n[plans.Done], Failed: n[plans.Failed], Held: n[plans.Held], Left: n[plans.Left], Untold: n[plans.Untold]}
	for slice := range r.Slices {
		if r.SlicesRun() == r.Slices || r.RanWell(slice) {
			again := p.CountIn(plans.Untold, slice, r.Slices)
			f.Done, f.Untold = f.Done+again, f.Untold-again
		}
	}
	if !r.Ended() && r.Tried != nil {
		f.Before = min(*r.Tried, f.Failed+f.Held)
	}
	return &f
}

// keptOf is how far a request had come by its end, where the table does not tell any more; nil if that was not written down.
func keptOf(r *requests.Request) *progressFact {
	far := r.Far
	if far == nil && r.On == "" && r.State() == requests.InPart { // all was tried, and the rest published
		far = &requests.Far{Done: r.Partitions - r.Failed, Failed: r.Failed}
	}
	if far == nil {
		return nil
	}
	return &progressFact{Done: far.Done, Failed: far.Failed, Held: far.Held, Left: far.Left, Untold: r.Partitions - far.Done - far.Failed - far.Held - far.Left}
}

// farOf is what is written down of a progress with the end of a request.
func farOf(r *requests.Request, p plans.Progress) *requests.Far {
	f := progressOf(r, p)
	return &requests.Far{Done: f.Done, Failed: f.Failed, Held: f.Held, Left: f.Left}
}

// requestFact tells of a request and how far it is: one that is done is, whatever
// became of its partitions since, and of others that have ended it tells how far they are now.
// An error that is damage leaves what the log of requests says.
func (l *lake) requestFact(ctx context.Context, r *requests.Request) (requestFact, error) {
	f := requestFact{
		Request: r.Plan.String(), Job: r.Job, Driver: r.Driver, Asked: r.Asked, State: r.State(), By: r.By, On: r.On,
		Submitted: r.At, Ended: r.EndedAt, Partitions: r.Partitions, Slices: r.Slices, Claimed: len(r.Claims),
		Run: r.SlicesRun(), Failed: r.SlicesFailed(), Parallel: r.Parallel, Priority: r.Priority, MaxFailures: r.MaxFailures,
	}
	if r.Stop != nil {
		f.Reason, f.EndedBy = r.Stop.Reason, r.Stop.By
	}
	if r.State() == requests.Done {
		f.Progress = &progressFact{Done: r.Partitions}
		return f, nil
	}
	file, table, err := l.planAndTable(ctx, r)
	if errors.Is(err, plans.ErrNoPlan) && r.Ended() {
		return f, nil
	}
	if err != nil {
		f.Error = err.Error()
		return f, fmt.Errorf("request %s of job %s: %w", r.Plan.Short(), r.Job, err)
	}
	if f.Replaced = table.Definition.Fingerprint != r.Fingerprint; f.Replaced {
		if !r.Ended() {
			f.Reason = "nobody can go on with it, so it will end as failed: submit it again"
			return f, nil
		}
		f.Progress = keptOf(r)
		return f, nil
	}
	f.Progress = progressOf(r, file.Progress(table))
	return f, nil
}

// isDamage tells whether an error is of what lies in the lake, so that asking again is no help,
// and other requests may be told of.
func isDamage(err error) bool {
	return isAny(err, plans.ErrNoPlan, plans.ErrPlan, log.ErrCorrupt, log.ErrNewer)
}

func (f *requestFact) live() bool {
	return f.State == requests.Waiting || f.State == requests.Running || f.State == requests.Paused
}

// see takes in what the engine says of a request that it runs: the log knows of its slices
// once they have all ended.
func (f *requestFact) see(seen *observed) {
	f.Differs = f.differs(seen)
	if !seen.tells() || seen.gone || !f.live() {
		return
	}
	f.Claimed, f.Run, f.Failed = seen.Active, min(seen.Succeeded+seen.Failed, f.Slices), seen.Failed
	if f.State == requests.Waiting && f.Claimed+f.Run > 0 {
		f.State = requests.Running
	}
}

// triedBy is how many partitions of a plan have failed or are held.
func triedBy(p plans.Progress) *int {
	n := p.Count[plans.Failed] + p.Count[plans.Held]
	return &n
}

// planAndTable are what the progress of a request is told by. The job may be declared
// nowhere any more.
func (l *lake) planAndTable(ctx context.Context, r *requests.Request) (plans.File, *manifests.Snapshot, error) {
	file, err := l.plans.read(ctx, r.Plan)
	if err != nil {
		return file, nil, err
	}
	table := l.tables[r.Job]
	if table == nil {
		table = manifests.Open(l.store, r.Job, manifests.Options{})
	}
	snapshot, err := table.Snapshot(ctx)
	return file, snapshot, err
}

// asOfNow tells whether it has ended and was not done. Then the table tells how far it is now: it may have gone
// on since, and which came first the clocks of two machines can't tell.
func (f requestFact) asOfNow() bool {
	return !f.Ended.IsZero() && f.State != requests.Done && !f.Replaced
}

// far tells how far it is. Of what has ended the parts add up.
func (f requestFact) far() string {
	if f.Progress == nil {
		text := fmt.Sprintf(", %s, %d of %s run", count(f.Partitions, "partition"), f.Run, count(f.Slices, "slice"))
		if f.Replaced {
			text += " (the table has other code since)"
		}
		return text
	}
	text := fmt.Sprintf("%d of %s done", f.Progress.Done, count(f.Partitions, "partition"))
	if f.Progress.Untold > 0 {
		text = fmt.Sprintf("%d of %s run", f.Run, count(f.Slices, "slice"))
	}
	failed := "failed"
	if f.Progress.Untold > 0 && f.Progress.Failed > 0 {
		failed = "of the partitions failed" // and not of the slices, which are counted before it
	}
	text += someOf(f.Progress.Failed, failed) + someOf(f.Progress.Held, "held") + f.Progress.before()
	rest := "left"
	if f.State == requests.InPart { // all was tried
		rest = "not published"
	}
	if !f.Ended.IsZero() {
		text += someOf(f.Progress.Left, rest)
	}
	switch {
	case f.Replaced:
		text += " (the table has other code since)"
	case f.asOfNow() && f.Progress.Untold == 0: // slices are of its end, whatever the table has now
		text = "now " + text
	}
	return ", " + text
}

// before tells of the failures that are none of the request's.
func (f progressFact) before() string {
	switch {
	case f.Before == 0:
		return ""
	case f.Before == f.Failed+f.Held:
		return " before it began"
	}
	return fmt.Sprintf(" (%d of these before it began)", f.Before)
}
