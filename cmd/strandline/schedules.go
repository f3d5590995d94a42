package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strandline/internal/config"
	"strandline/internal/schedule"
	"strandline/plans"
	"strandline/requests"
)

func newSchedules(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schedules [JOB…]",
		Short: "Show what is scheduled, when it is due, and what came of it",
		Long: `Show each schedule of the jobs: when it was dealt with last and what came of that, and when
it is due next. "strandline run" submits what is due; where none ran at the time, it makes up for
the latest time that was missed when it starts. Until one has seen a schedule it has
not begun. What is due while the request of its last time is under way waits, and is made up
once when that has ended.

Times are in UTC.`,
		Example: `  strandline schedules
  strandline schedules events_hourly --json`,
		Args: takes(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.schedules(cmd.Context(), args) },
	}
}

func (a *app) schedules(ctx context.Context, names []string) (err error) {
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	jobs, err := l.jobs(names)
	if err != nil {
		return err
	}
	all, err := l.requests.List(ctx)
	if err != nil {
		return err
	}
	told := false
	for _, job := range jobs {
		for _, s := range job.Schedules {
			told = true
			f, err := l.scheduleFact(ctx, job, s, all, time.Now())
			if err != nil {
				return err
			}
			if err := a.fact(f, "%s\n", f.text()); err != nil {
				return err
			}
		}
	}
	if !told {
		a.note("nothing is scheduled: a job does so with schedule, see docs/schedule.md")
	}
	return nil
}

// scheduleFact is where a schedule stands.
type scheduleFact struct {
	Job      string                `json:"job"`
	Schedule string                `json:"schedule"`
	Begun    bool                  `json:"begun"`             // some process has seen it
	Last     time.Time             `json:"last,omitzero"`     // when it was dealt with last
	Request  string                `json:"request,omitempty"` // what was submitted then, if it is still listed
	State    requests.RequestState `json:"state,omitempty"`   // of that
	Due      time.Time             `json:"due,omitzero"`      // what was due since, and waits until WaitsFor has ended
	WaitsFor string                `json:"waits_for,omitempty"`
	Ahead    bool                  `json:"ahead,omitempty"` // Last is later than this machine's clock
	Next     time.Time             `json:"next"`
	stands   requests.RequestState // of WaitsFor
	due      bool                  // at Last, and not just seen
	dropped  bool                  // requests that ended are listed no more, and one may have been its
}

func (l *lake) scheduleFact(ctx context.Context, job config.Job, s schedule.Schedule, all []*requests.Request, now time.Time) (f scheduleFact, err error) {
	f = scheduleFact{Job: job.Name, Schedule: s.String()}
	if f.Last, err = l.requests.LastDue(ctx, scheduleName(job.Name, s)); err != nil {
		return f, err
	}
	f.Begun, f.Ahead, f.due = !f.Last.IsZero(), f.Last.After(now), s.Latest(f.Last).Equal(f.Last)
	f.Next = s.Next(now)
	if f.Ahead {
		f.Next = s.Next(f.Last)
	}
	if at, due := s.Due(f.Last, now); due && f.Begun {
		if own := ownRequest(all, job.Name, f.Schedule); own != nil {
			f.Due, f.WaitsFor = at, own.Plan.String()
			f.stands = own.State()
		}
	}
	ended := 0
	for _, r := range all {
		if r.Ended() {
			ended++
		}
		if r.Job == job.Name && r.By == dueBy(f.Schedule, f.Last) {
			f.Request, f.State = r.Plan.String(), r.State()
		}
	}
	f.dropped = ended >= requests.KeepEnded
	return f, nil
}

// text is the same for a person.
func (f scheduleFact) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", f.Job, f.Schedule)
	last := f.Last.UTC().Format(time.RFC3339)
	switch {
	case !f.Begun:
		b.WriteString("  it begins when strandline run sees it")
	case f.Request != "":
		fmt.Fprintf(&b, "  last %s: request %s, %s", last, f.Request[:plans.LeastPrefix], f.State)
	case f.due && f.dropped:
		fmt.Fprintf(&b, "  last %s: nothing was to be submitted, or its request is none of the newest %d that ended", last, requests.KeepEnded)
	case f.due:
		fmt.Fprintf(&b, "  last %s: nothing was to be submitted", last)
	default:
		fmt.Fprintf(&b, "  begun %s", last)
	}
	if f.WaitsFor != "" {
		fmt.Fprintf(&b, "\n  due %s: waits until request %s, which is %s, has ended, and is made up once then", f.Due.UTC().Format(time.RFC3339), f.WaitsFor[:plans.LeastPrefix], f.stands)
	}
	fmt.Fprintf(&b, "\n  next %s", f.Next.UTC().Format(time.RFC3339))
	if f.Ahead {
		b.WriteString("\n  the last time is later than the clock of this machine: one of the clocks is wrong")
	}
	return b.String()
}
