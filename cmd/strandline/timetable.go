package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"strandline/internal/config"
	"strandline/internal/schedule"
	"strandline/manifests"
	"strandline/plans"
	"strandline/requests"
	"strandline/runner"
	"strandline/window"
)

// timetable is the schedules of a process's jobs. What was dealt with is in the log of
// requests, so of several processes one submits what is due, whatever their clocks say.
type timetable struct {
	lake    *lake
	entries []*scheduled // each after those of the jobs that its job reads
	now     func() time.Time
	done    func(submittedDue) // is told what came of each due time
}

// scheduled is one schedule of a job.
type scheduled struct {
	schedule.Schedule
	task     *runner.Task
	upstream map[string]bool // the jobs whose tables its job reads, and so on up
	last     time.Time       // up to when it was dealt with, as the log was last read
	idle     bool            // the time before there was nothing to be computed, which was told
	waited   plans.ID        // the request of its own that it waits for, or waited for last, which was told
}

// submittedDue is what came of a due time of a schedule.
type submittedDue struct {
	Job        string    `json:"job"`
	Schedule   string    `json:"schedule"`
	Due        time.Time `json:"due"`
	Request    string    `json:"request,omitempty"` // none where nothing was to be computed
	Partitions int       `json:"partitions"`
	Already    bool      `json:"already,omitempty"` // the request was under way, and does it
	Waits      bool      `json:"waits,omitempty"`   // until the request, which the schedule submitted before, has ended
}

func newTimetable(l *lake, tasks []*runner.Task, now func() time.Time, done func(submittedDue)) *timetable {
	t := &timetable{lake: l, now: now, done: done}
	for _, task := range tasks {
		job, err := l.config.Job(task.Job().Name)
		if err != nil {
			continue // a task is of a job of the configuration
		}
		up := upstream(l.config, job)
		for _, s := range job.Schedules {
			t.entries = append(t.entries, &scheduled{Schedule: s, task: task, upstream: up})
		}
	}
	// Who reads another has all of that one's upstream jobs, and itself one more.
	slices.SortStableFunc(t.entries, func(a, b *scheduled) int { return cmp.Compare(len(a.upstream), len(b.upstream)) })
	return t
}

// upstream are the jobs of the configuration whose tables a job reads, and those that they read.
func upstream(c *config.Config, job config.Job) map[string]bool {
	up := map[string]bool{}
	for _, table := range job.Tables() {
		up[table] = true
		if other, err := c.Job(table); err == nil { // else another process makes it
			for name := range upstream(c, other) {
				up[name] = true
			}
		}
	}
	return up
}

// name is what the log of requests calls it. A schedule that was changed has another, and so
// is a new one.
func (s *scheduled) name() string { return scheduleName(s.task.Job().Name, s.Schedule) }

func scheduleName(job string, s schedule.Schedule) string { return job + ": " + s.String() }

// round deals with what is due. It returns when something is due next; zero for never.
func (t *timetable) round(ctx context.Context) (next time.Time, err error) {
	behind := map[string]bool{} // jobs of which something is due that waits, or went wrong
	for _, s := range t.entries {
		waits, wrong := t.deal(ctx, s, behind)
		err = errors.Join(err, wrong)
		if waits || wrong != nil {
			behind[s.task.Job().Name] = true
		}
		if due := s.Next(t.now()); next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next, err
}

// deal submits what a schedule asks for, if it is due. It waits where jobs that its job reads
// are behind, or have requests under way: what these publish is to be in it.
func (t *timetable) deal(ctx context.Context, s *scheduled, behind map[string]bool) (waits bool, err error) {
	at, due := s.Due(s.last, t.now())
	if !due {
		return false, nil
	}
	if s.last, err = t.lake.requests.LastDue(ctx, s.name()); err != nil {
		return false, err
	}
	if s.last.IsZero() { // it is seen for the first time, and begins now
		s.last = t.now()
		_, err = t.lake.requests.NothingDue(ctx, requests.Due{Schedule: s.name(), At: s.last})
		return false, err
	}
	if !at.After(s.last) {
		return false, nil
	}
	if waits, err = t.waits(ctx, s, behind); waits || err != nil {
		return waits, err
	}
	all, err := t.lake.requests.List(ctx)
	if err != nil {
		return false, err
	}
	if own := s.own(all); own != nil {
		return t.waitsFor(s, own, at), nil
	}
	return t.submit(ctx, s, at)
}

// own is the request under way that a schedule has submitted itself; nil if there is none. Requests of other code than
// its job has are not worked on any more.
func (s *scheduled) own(all []*requests.Request) *requests.Request {
	r := ownRequest(all, s.task.Job().Name, s.String())
	if r == nil || r.Fingerprint != s.task.Fingerprint() {
		return nil
	}
	return r
}

// ownRequest is the newest request under way that a schedule of a job has submitted; nil if there is none.
func ownRequest(all []*requests.Request, job, schedule string) *requests.Request {
	for _, r := range all {
		if r.Job == job && !r.Ended() && strings.HasPrefix(r.By, bySchedule+schedule+dueAt) {
			return r
		}
	}
	return nil
}

// waitsFor tells once that what is due waits until what the schedule submitted before has ended: else a schedule that
// takes longer than from one time to the next would put ever more requests into the lake. It tells whether jobs that
// read the table are to wait too, as they do for no request that is paused.
func (t *timetable) waitsFor(s *scheduled, own *requests.Request, at time.Time) (waits bool) {
	if s.waited != own.Plan {
		s.waited = own.Plan
		t.done(submittedDue{Job: own.Job, Schedule: s.String(), Due: at, Request: own.Plan.String(), Partitions: own.Partitions, Waits: true})
	}
	return own.State() != requests.Paused
}

func (t *timetable) waits(ctx context.Context, s *scheduled, behind map[string]bool) (bool, error) {
	for job := range s.upstream {
		if behind[job] {
			return true, nil
		}
	}
	all, err := t.lake.requests.List(ctx)
	for _, r := range all {
		if err != nil || !s.upstream[r.Job] || r.Ended() || r.State() == requests.Paused {
			continue
		}
		if r, _, err = t.lake.byTable().look(ctx, r); err == nil && !r.Ended() {
			return true, nil
		}
	}
	return false, err
}

// submit plans what a schedule asks for now, and enters it in the log of requests. It waits
// until the table has this process's code: a process that was replaced does not take it back.
func (t *timetable) submit(ctx context.Context, s *scheduled, at time.Time) (waits bool, err error) {
	table, err := t.lake.tables[s.task.Job().Name].Snapshot(ctx)
	if err != nil || table.Definition.Fingerprint != s.task.Fingerprint() {
		return true, err
	}
	r, err := s.request(t.now())
	if err != nil {
		return false, err
	}
	p, err := t.lake.planned(ctx, s.task, r, false)
	if err != nil {
		return false, err
	}
	due := requests.Due{Schedule: s.name(), At: at}
	fact := submittedDue{Job: p.Job, Schedule: s.String(), Due: at, Partitions: len(p.Tasks)}
	var entered bool // else another process was first
	if len(p.Tasks) == 0 {
		entered, err = t.lake.requests.NothingDue(ctx, due)
	} else {
		entered, err = t.enter(ctx, s, p, due, &fact)
	}
	var own *ownFirst
	if errors.As(err, &own) {
		return t.waitsFor(s, own.Request, at), nil
	}
	if err != nil {
		return false, err
	}
	s.last = at
	nothing := len(p.Tasks) == 0
	if entered && !(nothing && s.idle) {
		t.done(fact)
	}
	s.idle = nothing
	return false, nil
}

// enter submits a plan, unless a request that is under way does all of it, and says in the fact which request
// does. It tells whether it was the first to deal with that time.
func (t *timetable) enter(ctx context.Context, sched *scheduled, p planned, due requests.Due, fact *submittedDue) (entered bool, err error) {
	entry := p.submission(defaultSubmission, dueBy(fact.Schedule, fact.Due))
	r, err := t.lake.joinOrEnter(ctx, p, entry, func(looked *requests.Look, p planned, entry requests.Submission) (err error) {
		if own := sched.own(*looked); own != nil && own.By != entry.By { // another process has submitted it since
			return &ownFirst{own}
		}
		fact.Request, fact.Partitions = p.id.String(), len(p.Tasks)
		s, err := t.lake.left(ctx, p.File, entry)
		if err == nil {
			_, entered, err = t.lake.submit(ctx, p.File, s, &due, looked)
		}
		return err
	})
	if err != nil || r == nil {
		return entered, err
	}
	fact.Request, fact.Already = r.Plan.String(), true
	return t.lake.requests.NothingDue(ctx, due)
}

// ownFirst says that a request of the schedule is under way.
type ownFirst struct{ *requests.Request }

func (o *ownFirst) Error() string {
	return "request " + o.Plan.Short() + " of the schedule is under way"
}

// bySchedule and dueAt are what stands before the schedule, and the time, in dueBy.
const (
	bySchedule = "schedule "
	dueAt      = ", due "
)

// dueBy says who asked for what a schedule asks for.
func dueBy(schedule string, at time.Time) string {
	return bySchedule + schedule + dueAt + at.UTC().Format(time.RFC3339)
}

// request is what it asks for at a time.
func (s *scheduled) request(now time.Time) (r runner.Request, err error) {
	r = runner.Request{Driver: manifests.DriverBackfill, States: s.Only, Again: s.Again, Order: s.Order}
	r.Ranges, err = window.Asked{Last: s.Last}.Intervals(s.task.Job().Grain, now)
	return r, err
}

// lookAgain is how long a process sleeps at most until it looks at the clock again: that may
// be put forward, and a machine that was asleep has slept past what was due.
const lookAgain = 15 * time.Second

// keep deals with what is due until ctx ends. Trouble is told when it is another than before.
func (t *timetable) keep(ctx context.Context, trouble func(error)) {
	var told toldOnce
	for ctx.Err() == nil {
		next, err := t.round(ctx)
		if err == nil {
			told = toldOnce{}
		} else if ctx.Err() == nil && told.news(err.Error()) {
			trouble(err)
		}
		wait := lookAgain
		if !next.IsZero() {
			wait = max(time.Millisecond, min(wait, next.Sub(t.now())))
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// schedules returns what submits, until ctx ends, what jobs ask for again and again.
func (s *streaming) schedules(ctx context.Context, tasks []*runner.Task) func() error {
	t := newTimetable(s.lake, tasks, time.Now, func(f submittedDue) {
		s.tell(func() error { return s.app.fact(f, "%s\n", f.line()) })
	})
	return func() error {
		if len(t.entries) > 0 {
			t.keep(ctx, func(err error) { s.trouble("submit what is scheduled", err) })
		}
		return nil
	}
}

// line is the same for a person.
func (f submittedDue) line() string {
	by := dueBy(f.Schedule, f.Due)
	if f.Request == "" {
		return f.Job + ": nothing is to be computed, by " + by
	}
	request := "request " + f.Request[:plans.LeastPrefix]
	if f.Waits {
		return f.Job + ": what is due waits until " + request + " has ended, and is made up once then, by " + by
	}
	if f.Already {
		request += " does this already"
	}
	return request + ": " + count(f.Partitions, "partition") + " of " + f.Job + ", by " + by
}
