package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"strandline/engines"
	"strandline/internal/objstore"
	"strandline/plans"
	"strandline/requests"
)

// lookout finds out what became of requests that another engine runs, whether or not
// somebody follows them, and enters the end of those that have ended. Of what is done the
// table tells; the engine is asked for the rest.
type lookout struct {
	lake    *lake
	engines map[string]consulted // by name
	tell    func(format string, args ...any)
	ended   int           // of how many requests that have ended an engine was asked
	first   time.Duration // how long an engine may take to answer
	later   time.Duration // and once it has not answered of one request, of each other
	most    time.Duration // it is not asked any more once it has taken so long in vain
}

// consulted is an engine that is asked of requests.
type consulted struct {
	engine  engines.Engine // nil where none can be asked
	trouble error          // why; nil where none is to be
	vain    time.Duration  // how long it was waited for without an answer
}

// lookFor is how long an engine may take to answer where one request is looked at.
const lookFor = 5 * time.Second

func (l *lake) lookout(tell func(format string, args ...any)) *lookout {
	return &lookout{lake: l, engines: map[string]consulted{}, tell: tell, first: lookFor, later: time.Second, most: 3 * lookFor}
}

// byTable goes by the table alone, and asks no engine.
func (l *lake) byTable() *lookout {
	o := l.lookout(l.note)
	o.engines[onKubernetes] = consulted{}
	return o
}

// all looks at the requests of a job that another engine runs; "" is of all jobs.
func (o *lookout) all(ctx context.Context, job string) error {
	all, err := o.lake.requests.List(ctx)
	for _, r := range all {
		if job != "" && r.Job != job || r.Ended() {
			continue
		}
		_, _, one := o.look(ctx, r)
		if err = errors.Join(err, one); one != nil && !isDamage(one) {
			return err
		}
	}
	return err
}

// look returns a request as it is now, and what its engine says, or nil where that has
// nothing to say or can't be asked.
func (o *lookout) look(ctx context.Context, r *requests.Request) (*requests.Request, *observed, error) {
	if r.On == "" {
		return r, nil, nil
	}
	seen := o.ask(ctx, r)
	if r.Ended() {
		switch {
		case seen != nil && seen.gone:
			seen = nil // as is to be expected
		case seen.goesOn() && r.State() == requests.Done:
			file, err := o.lake.plans.read(ctx, r.Plan)
			seen.anew = err == nil && file.Again()
		}
		return r, seen, nil
	}
	var end *requests.Outcome
	file, table, err := o.lake.planAndTable(ctx, r)
	switch {
	case isAny(err, plans.ErrNoPlan, plans.ErrPlan):
		end = &requests.Outcome{Reason: err.Error()}
	case err != nil:
		return r, seen, err
	default:
		if end = outcomeOf(file.Progress(table), r.Slices, seen); end != nil {
			end.Far = farOf(r.As(*end), file.Progress(table))
		}
	}
	if end == nil {
		return r, seen, nil
	}
	r, err = o.enter(ctx, r, *end)
	return r, seen, err
}

// fact tells of a request as it is now. What is damaged of it is told with what the log of
// requests says.
func (o *lookout) fact(ctx context.Context, r *requests.Request) (f requestFact, damage, err error) {
	var seen *observed
	if !r.Ended() || o.asksOfEnded(r) {
		if r, seen, err = o.look(ctx, r); err != nil && !isDamage(err) {
			return f, nil, err
		}
	}
	f, err = o.lake.requestFact(ctx, r)
	if isDamage(err) {
		damage, err = err, nil
	}
	f.see(seen)
	return f, damage, err
}

// asksOfEnded tells whether the engine is asked of a request that has ended too: whether it goes on with it all the same.
func (o *lookout) asksOfEnded(r *requests.Request) bool {
	if r.On == "" || o.ended >= mostEnded {
		return false
	}
	o.ended++
	return true
}

// mostEnded is of how many requests that have ended the engine is asked, of those that are looked at first.
const mostEnded = 20

// enter enters the end of a request, as it was before it was looked at, and returns it as it is. Where that can't be, for want of rights to the lake, it
// is told, and the request is what it would be.
func (o *lookout) enter(ctx context.Context, r *requests.Request, end requests.Outcome) (*requests.Request, error) {
	err := o.lake.proven(ctx)
	if err == nil {
		err = o.lake.settle(ctx, r, end)
	}
	if err != nil {
		o.tell("request %s has ended, which could not be entered in the lake: %v", r.Plan.Short(), err)
		return r.As(end), nil
	}
	return o.lake.requests.Find(ctx, r.Plan.String())
}

// proven has the store prove what commits rest on, unless it has.
func (l *lake) proven(ctx context.Context) error {
	if l.writes {
		return nil
	}
	_, err := objstore.Prove(ctx, l.store)
	return err
}

// ask asks the engine of a request. Of each that it can't be asked of it tells why: what it met with one request says
// nothing of the others.
func (o *lookout) ask(ctx context.Context, r *requests.Request) *observed {
	c, known := o.engines[r.On]
	if !known && o.lake.config.Kubernetes != nil {
		c.engine, c.trouble = o.lake.engineOn(r.On)
	}
	var seen *observed
	err := c.trouble
	switch wait := o.patience(c); {
	case c.engine == nil, r.Ended() && c.vain > 0:
	case wait == 0:
		err = fmt.Errorf("it was not asked, after %v in which it did not answer about others", c.vain)
	default:
		seen, err = o.observe(ctx, &c, r, wait)
	}
	o.engines[r.On] = c
	if err != nil && !r.Ended() {
		o.cantTell(r, err)
	}
	if err != nil {
		return nil
	}
	return seen
}

// patience is how long to wait for the answer of an engine; 0: it is not asked.
func (o *lookout) patience(c consulted) time.Duration {
	switch {
	case c.vain == 0:
		return o.first
	case c.vain < o.most:
		return o.later
	}
	return 0
}

// observe asks an engine of a request once, and counts how long that took in vain.
func (o *lookout) observe(ctx context.Context, c *consulted, r *requests.Request, wait time.Duration) (*observed, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	seen, err := observeHere(ctx, c.engine, r)
	if errors.Is(err, context.DeadlineExceeded) {
		c.vain += wait
	}
	return &seen, err
}

// cantTell tells that the engine of a request can't be asked.
func (o *lookout) cantTell(r *requests.Request, err error) {
	o.tell("%s can't be asked about request %s, so that is as the lake has it: %v", r.On, r.Plan.Short(), err)
}

// outcomeOf is how a request of so many slices has ended, by its plan against the table and by
// what its engine says, if that could be asked: nil for one that goes on. One whose workers
// are still ending goes on too.
func outcomeOf(n plans.Progress, slices int, seen *observed) *requests.Outcome {
	switch {
	case n.Count[plans.Done] == len(n.States):
		return &requests.Outcome{}
	case !seen.tells():
		return nil
	case seen.gone:
		return &requests.Outcome{Reason: seen.Message}
	case seen.State == engines.Done:
		return &requests.Outcome{Succeeded: slices, Well: seen.Well, Reason: notDone(n)}
	case seen.State != engines.Failed:
		return nil
	}
	end := requests.Outcome{Succeeded: min(seen.Succeeded, slices), Well: seen.Well, Reason: cmp.Or(seen.Message, "its engine says that it failed")}
	if n.Count[plans.Failed]+n.Count[plans.Held] == 0 {
		return &end // what did not succeed was given up before its end, as where no pod could start
	}
	end.Failed = min(seen.Failed, slices-end.Succeeded)
	return &end
}

// notDone is why a plan is not done all slices of which were run well, by their engine's word:
// "" where the table has it all. What is computed again it does not tell of.
func notDone(n plans.Progress) string {
	left := len(n.States) - n.Count[plans.Done] - n.Count[plans.Untold]
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("its engine says that it is done, and %d of %s are not published: they were taken back since, or its workers have another lake than this one (look at lake and s3 of their configuration)",
		left, count(len(n.States), "partition"))
}
