package requests

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Verdict is whether a worker can run slices of a request.
type Verdict struct {
	Accepts bool
	// Never says why nobody can, any more: the request is ended for it.
	Never string
	// Why says to people why it can't, where others may.
	Why string
	// Damage is of what lies in the lake, and keeps everybody from it until a person mends it.
	Damage error
}

// Result is what came of running a slice.
type Result struct {
	Failed   int       // partitions that could not be published
	Before   int       // of them, those that had failed before and do not count in MaxFailures
	Failures []Failure // of some of them
	Err      error     // why the slice was not run to its end
	Never    bool      // Err would come again, whoever runs it: the request is ended
	// Damage says that Err is of what lies in the lake, and comes until a person mends it: the
	// slice waits for that, however often it is tried.
	Damage bool
	// Machine says that Err is of this machine, such as a disk that is full: it is no try of the slice, and
	// this worker takes no others until Probe finds nothing wrong.
	Machine bool
}

func (r Result) toll() toll {
	return toll{r.Failed, r.Before, r.Failures[:min(len(r.Failures), maxFailures)]}
}

// WorkerOptions are what a worker needs.
type WorkerOptions struct {
	// Name is of this worker alone, ever: one that starts again is another.
	Name string
	// Slots is how many slices it runs at a time; at least 1.
	Slots int
	// Room, if not nil, tells a worker how many slices it may have now, those that it has among
	// them: so that it leaves to others what would only wait here, and gives it back.
	Room func() int
	// Lease is how long the others wait for a sign of it before they take what it
	// holds. Default 30 s.
	Lease time.Duration
	// Poll is how often it looks for what others entered, as long as it has nothing to do, and
	// at most a second otherwise, and a third of the lease. Default 2 s.
	Poll time.Duration
	// Once ends the worker when there is nothing for it to do.
	Once bool
	// Judge tells whether it can run slices of a request. The error is trouble with the
	// store: it is asked again, and no other request waits for that.
	Judge func(ctx context.Context, r *Request) (Verdict, error)
	// Run runs a slice. It returns soon after ctx ends. Once enough is closed it ends what it is
	// at, and returns with an error if that was not all.
	Run func(ctx context.Context, r *Request, slice int, enough <-chan struct{}) Result
	// Probe, if not nil, tells why this machine can do no slices, after one of which Result.Machine was said.
	Probe func() error
	// Tell is told what people should know.
	Tell func(format string, args ...any)
}

// Leases and polls, if nobody says, and the least lease.
const (
	LeastLease   = 100 * time.Millisecond
	DefaultLease = 30 * time.Second
	DefaultPoll  = 2 * time.Second
)

// Worker works on the requests of a lake. It goes on after any trouble with the store.
type Worker struct {
	queue    *Queue
	options  WorkerOptions
	desk     *desk
	ended    chan ended
	running  sync.WaitGroup
	looked   time.Time // when it last read the log, and did not just look for a next entry
	entered  time.Time // when the log last had what was to be said
	troubled string
}

// ended is the end of a run.
type ended struct {
	held
	Result
}

// NewWorker returns a worker that has not begun.
func NewWorker(q *Queue, o WorkerOptions) *Worker {
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	if o.Poll == 0 {
		o.Poll = DefaultPoll
	}
	w := &Worker{
		queue: q, options: o, ended: make(chan ended, o.Slots),
		desk: newDesk(o.Name, o.Lease, o.Slots, time.Now),
	}
	if o.Room != nil {
		w.desk.room = o.Room
	}
	return w
}

// Work claims slices and runs them until ctx ends; then it gives back what it holds.
// With Once it ends by itself, with the error that it met last, if any.
func (w *Worker) Work(ctx context.Context) error {
	defer w.leave(ctx)
	w.entered = w.desk.now()
	for {
		idle, err := w.round(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if w.options.Once && idle {
			return errors.Join(err, w.desk.damage(), w.desk.machine.err())
		}
		w.trouble(err)
		w.wait(ctx, idle)
	}
}

// round says in the log what is to be said, and begins and stops runs as the log has it
// then. It tells whether there is nothing to do, or nothing that can be done while the log does
// not answer. Trouble with one request holds up no other.
func (w *Worker) round(ctx context.Context) (idle bool, err error) {
	w.probe()
	defer w.tellLoss()
	if quiet, err := w.quiet(ctx); quiet || err != nil {
		return w.stalled(), err
	}
	w.looked = w.desk.now()
	if err := w.turn(ctx); err != nil {
		return w.stalled(), err
	}
	w.desk.ease()
	judged, trouble := w.judge(ctx)
	if judged {
		if err := w.turn(ctx); err != nil {
			return w.stalled(), errors.Join(trouble, err)
		}
	}
	w.queue.View(func(s *State) { idle = w.desk.idle(s) })
	return idle, trouble
}

// tellLoss tells that the log has lost what this worker had read of it.
func (w *Worker) tellLoss() {
	if why := w.queue.loss(); why != nil {
		w.options.Tell("the log of requests has lost entries that were read, and is taken as it is by now: what was submitted or changed last may be forgotten, so look at strandline backfill list (%v)", why)
	}
}

// stalled tells, while the log does not answer, whether nothing is to be waited for: no slice is being run, and
// what came of those that were could not be entered for long enough.
func (w *Worker) stalled() bool {
	for _, run := range w.desk.runs {
		if run.result == nil {
			return false
		}
	}
	return len(w.desk.runs) == 0 || w.desk.now().Sub(w.entered) >= enterFor
}

// enterFor is for how long a worker that ends by itself tries to enter what came of its slices.
const enterFor = 30 * time.Second

// quiet tells whether there is nothing to do still, since nobody has entered anything. It
// costs one call to the store, as long as nobody works.
func (w *Worker) quiet(ctx context.Context) (quiet bool, err error) {
	w.queue.View(func(s *State) { quiet = len(s.signs) == 0 && w.desk.idle(s) && len(w.desk.unjudged(s)) == 0 })
	if !quiet || w.desk.now().Sub(w.looked) >= lookAgain {
		return false, nil
	}
	more, err := w.queue.follow.Peek(ctx)
	return !more, err
}

// lookAgain is after what time it reads the log though there seems to be nothing new.
const lookAgain = time.Minute

// turn enters what the desk decides, and does what follows.
func (w *Worker) turn(ctx context.Context) error {
	err := w.desk.enter(ctx, w.queue)
	if err != nil {
		return err
	}
	w.entered = w.desk.now()
	type beginning struct {
		held
		of *Request
	}
	var begin []beginning
	var lost []held
	w.queue.View(func(s *State) {
		var held []held
		held, lost = w.desk.begins(s)
		for _, h := range held {
			begin = append(begin, beginning{h, s.requests[h.Plan].clone()})
		}
	})
	for _, worker := range w.desk.missed {
		w.options.Tell("worker %s gave no sign for its lease: others take the slices that it had", worker)
	}
	w.desk.missed = nil
	for _, h := range lost {
		w.options.Tell("slice %d of request %s went to another worker, since this one gave no sign for %s: what it still publishes of it is held against what the table has by then", h.Slice, h.Plan.Short(), w.options.Lease)
	}
	for _, b := range begin {
		w.begin(ctx, b.held, b.of)
	}
	return nil
}

// begin runs a slice.
func (w *Worker) begin(ctx context.Context, h held, r *Request) {
	ctx, cancel := context.WithCancel(ctx)
	enough := make(chan struct{})
	w.desk.runs[h] = &run{cancel: cancel, enough: enough, of: r.Changed}
	w.running.Go(func() {
		defer cancel()
		w.ended <- ended{h, w.options.Run(ctx, r, h.Slice, enough)}
	})
}

// judge asks of new requests whether this worker can do anything for them. It tells
// whether of some it knows now, and the error is of the others.
func (w *Worker) judge(ctx context.Context) (judged bool, err error) {
	var unjudged []*Request
	w.queue.View(func(s *State) { unjudged = w.desk.unjudged(s) })
	for _, r := range unjudged {
		v, trouble := w.options.Judge(ctx, r)
		if trouble != nil {
			err = errors.Join(err, fmt.Errorf("look at request %s of job %s: %w", r.Plan.Short(), r.Job, trouble))
			continue
		}
		w.tellOf(r, v)
		w.desk.verdicts[r.Plan] = verdict{v, w.desk.now(), r.Changed}
		judged = true
	}
	return judged, err
}

// tellOf tells why a request is not worked on, when it is another reason than before. With Once damage is
// what Work ends with.
func (w *Worker) tellOf(r *Request, v Verdict) {
	before := w.desk.verdicts[r.Plan]
	if v.Why != "" && before.Why != v.Why {
		w.options.Tell("request %s is left to others: %s", r.Plan.Short(), v.Why)
	}
	if v.Damage != nil && !w.options.Once && (before.Damage == nil || before.Damage.Error() != v.Damage.Error()) {
		w.options.Tell("request %s of job %s waits until this is mended, and is looked at again every %s: %v", r.Plan.Short(), r.Job, judgeAgain, v.Damage)
	}
}

// wait returns when a run has ended, or it is time to look at the log again.
func (w *Worker) wait(ctx context.Context, idle bool) {
	poll := w.options.Poll
	if !idle {
		poll = min(poll, time.Second, w.options.Lease/renewals)
	}
	timer := time.NewTimer(poll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case e := <-w.ended:
		w.note(e)
	}
}

// note keeps what came of a run until it is handed in.
func (w *Worker) note(e ended) {
	run := w.desk.runs[e.held]
	if run == nil {
		return
	}
	run.result = &e.Result
	if !run.stopped {
		w.stepBack(e)
	}
	if e.Damage && !run.stopped && !w.options.Once && !w.desk.knows(e.Plan, e.Err) {
		w.options.Tell("slice %d of request %s waits until this is mended, and is tried again every %s: %v", e.Slice, e.Plan.Short(), judgeAgain, e.Err)
	}
}

// leave stops all runs, and hands in what came of them. It is tried once: if the store does
// not answer, the others wait for the lease.
func (w *Worker) leave(ctx context.Context) {
	for _, run := range w.desk.runs {
		run.stopped = true
		run.cancel()
	}
	w.running.Wait()
	for len(w.ended) > 0 {
		w.note(<-w.ended)
	}
	w.desk.slots = 0
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveFor)
	defer cancel()
	err := w.desk.enter(ctx, w.queue)
	holds := false
	w.queue.View(func(s *State) { holds = len(w.desk.holds(s)) > 0 })
	if err != nil && holds {
		w.options.Tell("the slices that this worker has are free in %s: giving them back did not work: %v", w.options.Lease, err)
	}
}

// leaveFor is how long giving back what a worker holds may take.
const leaveFor = 5 * time.Second

// trouble is told once for as long as it stays the same.
func (w *Worker) trouble(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && w.troubled == "" {
		w.options.Tell("requests: %v (going on)", err)
	}
	if text == "" && w.troubled != "" {
		w.options.Tell("requests: the lake answers again")
	}
	w.troubled = text
}
