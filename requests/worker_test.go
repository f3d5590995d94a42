package requests

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"strandline/internal/log"
	"strandline/internal/objstore"
)

// crew is some workers over one lake, in a bubble whose time goes on by itself.
type crew struct {
	t     *testing.T
	store *objstore.Fault
	queue *Queue

	mu    sync.Mutex
	told  []string
	begun map[string][]int // by worker
}

func inBubble(t *testing.T, test func(t *testing.T, c *crew)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := objstore.NewFault(objstore.NewMemory(), nil)
		test(t, &crew{t: t, store: store, queue: Open(store, log.Options{}), begun: map[string][]int{}})
	})
}

// start has a worker work until what it returns is called, which waits for it.
func (c *crew) start(o WorkerOptions, run func(ctx context.Context, slice int) Result) (stop func()) {
	ctx, cancel := context.WithCancel(c.t.Context())
	if o.Judge == nil {
		o.Judge = func(context.Context, *Request) (Verdict, error) { return Verdict{Accepts: true}, nil }
	}
	if o.Slots == 0 {
		o.Slots = 1
	}
	o.Tell = func(format string, args ...any) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.told = append(c.told, fmt.Sprintf(format, args...))
	}
	o.Run = func(ctx context.Context, _ *Request, slice int, enough <-chan struct{}) Result {
		c.mu.Lock()
		c.begun[o.Name] = append(c.begun[o.Name], slice)
		c.mu.Unlock()
		ended := make(chan Result, 1)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() { ended <- run(ctx, slice) }()
		select {
		case result := <-ended:
			return result
		case <-enough:
			return Result{Err: errors.New("the rest was left")}
		}
	}
	var done sync.WaitGroup
	done.Go(func() {
		if err := NewWorker(Open(c.store, log.Options{}), o).Work(ctx); err != nil {
			c.t.Errorf("%s: %v", o.Name, err)
		}
	})
	return func() { cancel(); done.Wait() }
}

// by returns the slices that a worker has begun, in order.
func (c *crew) by(worker string) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.begun[worker])
}

// said is what workers have told, in order.
func (c *crew) said() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.told)
}

// takes returns a run that lasts, or ends with ctx.
func takes(d time.Duration) func(context.Context, int) Result {
	return func(ctx context.Context, _ int) Result {
		select {
		case <-time.After(d):
			return Result{}
		case <-ctx.Done():
			return Result{Err: ctx.Err()}
		}
	}
}

func (c *crew) submit(s Submission) *Request {
	c.t.Helper()
	before, _, err := c.queue.Submit(c.t.Context(), s, nil, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return before
}

func (c *crew) request() *Request {
	c.t.Helper()
	r, err := c.queue.Find(c.t.Context(), simPlan(0).String()[:8])
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

func (c *crew) is(want RequestState) *Request {
	c.t.Helper()
	r := c.request()
	if r.State() != want {
		c.t.Errorf("the request is %s: %+v, want %s", r.State(), r, want)
	}
	return r
}

func (c *crew) do(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func TestASliceIsRunOnceForAsLongAsItTakes(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 1, 4))
		first := c.start(WorkerOptions{Name: "first", Lease: 10 * time.Second}, takes(time.Hour))
		time.Sleep(5 * time.Second)
		second := c.start(WorkerOptions{Name: "second", Lease: 10 * time.Second}, takes(time.Hour))
		time.Sleep(2 * time.Hour)
		c.is(Done)
		first()
		second()
		if len(c.by("first")) != 1 || len(c.by("second")) != 0 {
			t.Errorf("slices were begun by the two: %v and %v, want one, by the first alone", c.by("first"), c.by("second"))
		}
	})
}

// However seldom it looks, it gives its signs within its lease.
func TestAShortLeaseIsKeptBesideALongPoll(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 200, 2))
		first := c.start(WorkerOptions{Name: "first", Lease: LeastLease, Poll: time.Minute}, takes(time.Hour))
		time.Sleep(time.Second)
		second := c.start(WorkerOptions{Name: "second"}, takes(30*time.Millisecond)) // so that it looks often
		time.Sleep(5 * time.Second)
		if r := c.is(Running); r.Claims[0].Worker != "first" || len(c.said()) > 0 {
			t.Errorf("%s has the slice, and told is %q", r.Claims[0].Worker, c.said())
		}
		first()
		second()
	})
}

// What a worker that was killed had is begun by another, and not before its lease is over.
func TestAnotherWorkerTakesWhatAKilledOneHad(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 1, 4))
		killed := newDesk("killed", 10*time.Second, 1, time.Now)
		killed.verdicts[simPlan(0)] = verdict{Verdict: Verdict{Accepts: true}, at: time.Now()}
		c.do(killed.enter(t.Context(), c.queue))
		c.is(Running)
		stop := c.start(WorkerOptions{Name: "other"}, takes(time.Second))
		time.Sleep(9 * time.Second)
		if r := c.is(Running); r.Claims[0].Worker != "killed" {
			t.Errorf("after 9 s of 10 its claim is lost: %v", r.Claims)
		}
		time.Sleep(10 * time.Second)
		c.is(Done)
		stop()
		if want := []string{"worker killed gave no sign for its lease: others take the slices that it had"}; !slices.Equal(c.told, want) {
			t.Errorf("told is %q, want %q", c.told, want)
		}
	})
}

// A worker that stood still past its lease finds its slice given to another when it wakes: it
// stops, and hands nothing in.
func TestAWorkerThatStoodStillIsFenced(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 1, 1))
		still := newDesk("still", 10*time.Second, 1, time.Now)
		still.verdicts[simPlan(0)] = verdict{Verdict: Verdict{Accepts: true}, at: time.Now()}
		own := Open(c.store, log.Options{})
		c.do(still.enter(t.Context(), own))
		own.View(func(s *State) {
			begin, _ := still.begins(s)
			for _, h := range begin {
				still.runs[h] = &run{cancel: func() {}, result: &Result{Failed: 7}}
			}
		})
		if len(still.runs) != 1 {
			t.Fatalf("it runs %d slices, want 1", len(still.runs))
		}
		stop := c.start(WorkerOptions{Name: "other"}, takes(time.Minute))
		time.Sleep(30 * time.Second)
		c.do(still.enter(t.Context(), own))
		var lost []held
		own.View(func(s *State) { _, lost = still.begins(s) })
		if len(still.runs) != 0 || len(lost) != 1 {
			t.Errorf("it goes on with %d slices that another has, and knows of %d that it lost", len(still.runs), len(lost))
		}
		time.Sleep(time.Minute)
		if r := c.is(Done); r.Failed != 0 {
			t.Errorf("%d partitions failed, by a worker that had lost its claim", r.Failed)
		}
		stop()
	})
}

func TestAWorkerThatStopsGivesBackWhatItHasAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 3, 3))
		stop := c.start(WorkerOptions{Name: "one", Slots: 2}, takes(time.Hour))
		time.Sleep(5 * time.Second)
		if r := c.is(Running); len(r.Claims) != 2 {
			t.Fatalf("%d slices are claimed by a worker with 2 slots", len(r.Claims))
		}
		stop()
		if r := c.is(Waiting); len(r.Claims)+len(r.Tries) != 0 {
			t.Errorf("it left %v, tried %v", r.Claims, r.Tries)
		}
	})
}

// What would only wait for room in this process is left to another, which is idle.
func TestAWorkerClaimsNoMoreThanItHasRoomFor(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 4, 4))
		var room atomic.Int64
		crowded := c.start(WorkerOptions{Name: "crowded", Slots: 3, Room: func() int { return int(room.Load()) }}, takes(time.Hour))
		time.Sleep(10 * time.Second)
		if r := c.is(Waiting); len(r.Claims) > 0 {
			t.Errorf("it claimed %v, and has room for none", r.Claims)
		}
		room.Store(2)
		time.Sleep(10 * time.Second)
		if r := c.is(Running); len(r.Claims) != 2 {
			t.Errorf("it claimed %v, and has room for two", r.Claims)
		}
		idle := c.start(WorkerOptions{Name: "idle", Slots: 4}, takes(time.Minute))
		time.Sleep(10 * time.Second)
		if r := c.is(Running); len(r.Claims) != 4 || len(c.by("idle")) != 2 {
			t.Errorf("they claimed %v, of four, two of them the one with room", r.Claims)
		}
		room.Store(9)
		time.Sleep(2 * time.Hour)
		c.is(Done)
		crowded()
		idle()
		if n := len(c.by("crowded")); n != 2 {
			t.Errorf("it began %d", n)
		}
	})
}

// Slices that a process claimed while it had room are given back when it has had none for a while, but
// for one. Nothing has gone wrong with them.
func TestAWorkerGivesBackWhatItHasNoRoomForAnyMore(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 4, 4))
		var room atomic.Int64
		room.Store(3)
		crowded := c.start(WorkerOptions{Name: "crowded", Slots: 3, Room: func() int { return int(room.Load()) }}, takes(time.Hour))
		time.Sleep(10 * time.Second)
		idle := c.start(WorkerOptions{Name: "idle", Slots: 4}, takes(time.Hour))
		time.Sleep(10 * time.Second)
		room.Store(0)
		time.Sleep(4 * time.Second)
		room.Store(3)
		time.Sleep(10 * time.Second)
		if n := len(c.by("idle")); n != 1 {
			t.Errorf("the idle one has begun %d, though there was no room for a moment only", n)
		}
		room.Store(0)
		time.Sleep(10 * time.Second)
		if r := c.is(Running); len(r.Claims) != 4 || len(r.Tries) > 0 || r.Claims[0].Worker != "crowded" || len(c.by("idle")) != 3 {
			t.Errorf("claimed are %v, tried %v, and the idle one has begun %v; want the last two of the crowded one", r.Claims, r.Tries, c.by("idle"))
		}
		time.Sleep(2 * time.Hour)
		c.is(Done)
		crowded()
		idle()
		if by := c.by("crowded"); !slices.Equal(slices.Sorted(slices.Values(by)), []int{0, 1, 2}) {
			t.Errorf("the crowded one has begun %v", by)
		}
	})
}

func TestCancelStopsTheWorkWithinSecondsAndResumeGoesOn(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 4, 2))
		stop := c.start(WorkerOptions{Name: "one", Slots: 4}, takes(time.Minute))
		time.Sleep(90 * time.Second)
		c.do(c.queue.Cancel(t.Context(), simPlan(0), "ann@desk", Outcome{}))
		time.Sleep(3 * time.Second)
		r := c.is(Cancelled)
		if len(r.Claims) > 0 || r.SlicesRun() != 2 || r.Stop.By != "ann@desk" {
			t.Errorf("3 s after it was cancelled %d slices were run, and %v are claimed: %+v", r.SlicesRun(), r.Claims, r.Stop)
		}
		c.do(c.queue.Cancel(t.Context(), simPlan(0), "bob@desk", Outcome{})) // once more is nothing
		if err := c.queue.Pause(t.Context(), simPlan(0), ""); !errors.Is(err, ErrEnded) {
			t.Errorf("what was cancelled is paused: %v", err)
		}
		c.do(c.queue.Resume(t.Context(), simPlan(0), nil, nil, "ann@desk"))
		time.Sleep(2 * time.Minute)
		c.is(Done)
		stop()
		if n := len(c.by("one")); n != 6 {
			t.Errorf("slices were begun %d times: %v, want 2 of 4 twice", n, c.by("one"))
		}
	})
}

func TestAPausedRequestWaitsAndAResizedOneGrows(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 8, 1))
		stop := c.start(WorkerOptions{Name: "one", Slots: 4}, takes(time.Minute))
		time.Sleep(10 * time.Second)
		c.do(c.queue.Pause(t.Context(), simPlan(0), ""))
		time.Sleep(time.Hour)
		if r := c.is(Paused); r.SlicesRun()+len(r.Claims)+len(r.Tries) > 0 {
			t.Errorf("while it is paused %d slices were run, %v are claimed and %v tried", r.SlicesRun(), r.Claims, r.Tries)
		}
		c.do(c.queue.Resize(t.Context(), simPlan(0), 3, ""))
		c.do(c.queue.Resume(t.Context(), simPlan(0), nil, nil, ""))
		time.Sleep(10 * time.Second)
		if r := c.is(Running); len(r.Claims) != 3 {
			t.Errorf("%d slices are claimed, want 3", len(r.Claims))
		}
		stop()
	})
}

// Trouble is tried again with pauses, but not for ever.
func TestASliceThatNeverSucceedsIsGivenUp(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 2, 2))
		stop := c.start(WorkerOptions{Name: "one", Slots: 2}, func(_ context.Context, slice int) Result {
			if slice == 1 {
				return Result{Err: errors.New("the disk is full")}
			}
			return Result{}
		})
		time.Sleep(10 * time.Minute)
		r := c.is(InPart)
		if len(r.Troubles) != 1 || r.Troubles[0].Reason != "the disk is full" || r.Troubles[0].Times != maxTries || r.Troubles[0].GivenUp != 1 || !r.Troubles[0].First.Before(r.Troubles[0].Last) {
			t.Errorf("it failed for: %v", r.Troubles)
		}
		stop()
		if n := len(c.by("one")); n != 1+maxTries {
			t.Errorf("%d slices were begun: %v", n, c.by("one"))
		}
	})
}

func TestWhatNobodyCanDoEndsTheRequestAndWhatOthersCanIsLeftToThem(t *testing.T) {
	for name, test := range map[string]struct {
		verdict Verdict
		run     Result
		want    RequestState
	}{
		"judged":       {verdict: Verdict{Never: "its code was replaced"}, want: Broken},
		"run":          {verdict: Verdict{Accepts: true}, run: Result{Err: errors.New("its code was replaced"), Never: true}, want: Broken},
		"left":         {verdict: Verdict{Why: "no such job here"}, want: Waiting},
		"failed often": {verdict: Verdict{Accepts: true}, run: Result{Failed: 2, Failures: []Failure{{"2026-03-01", "of its code"}}}, want: Broken},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *crew) {
				s := simSubmission(simPlan(0), 4, 1)
				s.MaxFailures = 3
				c.submit(s)
				stop := c.start(WorkerOptions{Name: "one", Judge: func(context.Context, *Request) (Verdict, error) { return test.verdict, nil }},
					func(context.Context, int) Result { return test.run })
				time.Sleep(time.Hour)
				r := c.is(test.want)
				if test.want == Broken && r.Stop.Reason == "" || len(r.Claims) > 0 {
					t.Errorf("it ended by %+v, with claims %v", r.Stop, r.Claims)
				}
				stop()
				if told := c.said(); name == "left" && len(told) != 1 {
					t.Errorf("in an hour it told %d times of it: %q", len(told), told)
				}
			})
		})
	}
}

// A request that was ended by its failures, and is resumed, tries those again, and has as many
// more that are new.
func TestWhatHadFailedBeforeDoesNotEndARequestAgain(t *testing.T) {
	for before, want := range map[int]RequestState{0: Broken, 1: Broken, 2: InPart} {
		inBubble(t, func(t *testing.T, c *crew) {
			s := simSubmission(simPlan(0), 3, 1)
			s.MaxFailures = 3
			c.submit(s)
			stop := c.start(WorkerOptions{Name: "one"}, func(context.Context, int) Result { return Result{Failed: 3, Before: before} })
			time.Sleep(time.Hour)
			c.is(want)
			stop()
		})
	}
}

func TestTheHighestPriorityGoesFirst(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		for n, priority := range []int{PriorityLow, PriorityNormal, PriorityHigh, PriorityNormal} {
			s := simSubmission(simPlan(n), 1, 1)
			s.Priority = priority
			c.submit(s)
		}
		stop := c.start(WorkerOptions{Name: "one"}, takes(10*time.Second))
		time.Sleep(time.Minute)
		stop()
		ends := map[int]uint64{}
		all, err := c.queue.List(t.Context())
		c.do(err)
		for _, r := range all {
			ends[int(r.Plan.Hash[3])-1] = uint64(r.EndedAt.Unix())
		}
		if !(ends[2] < ends[1] && ends[1] < ends[3] && ends[3] < ends[0]) {
			t.Errorf("they ended at %v, want the high one first, then the normal ones as they came, then the low one", ends)
		}
	})
}

// With Once a worker ends when nothing is left that it could do.
func TestOnceEndsWhenNothingIsLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 5, 1))
		c.do(NewWorker(c.queue, WorkerOptions{
			Name: "one", Slots: 2, Once: true,
			Judge: func(context.Context, *Request) (Verdict, error) { return Verdict{Accepts: true}, nil },
			Run: func(ctx context.Context, _ *Request, slice int, _ <-chan struct{}) Result {
				return takes(time.Second)(ctx, slice)
			},
		}).Work(t.Context()))
		c.is(Done)
	})
}

// Who waits for requests asks the store once a poll.
func TestAnIdleWorkerAsksTheStoreLittle(t *testing.T) {
	store, err := objstore.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	calls := &calls{Store: store}
	q := Open(calls, log.Options{})
	if _, _, err := q.Submit(t.Context(), simSubmission(simPlan(0), 1, 1), nil, nil); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	w := NewWorker(q, WorkerOptions{
		Name: "one", Slots: 1,
		Judge: func(context.Context, *Request) (Verdict, error) { return Verdict{Why: "no such job"}, nil },
		Tell:  func(string, ...any) {},
	})
	w.desk.now = func() time.Time { return now }
	for range 2 {
		if idle, err := w.round(t.Context()); !idle || err != nil {
			t.Fatalf("a worker without work is idle: %t, %v", idle, err)
		}
	}
	calls.n = 0
	for range 60 * time.Second / DefaultPoll {
		now = now.Add(DefaultPoll)
		if _, err := w.round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if calls.n > 36 {
		t.Errorf("it asked the store %d times a minute, want at most 36", calls.n)
	}
	if _, _, err := Open(store, log.Options{}).Submit(t.Context(), simSubmission(simPlan(1), 1, 1), nil, nil); err != nil {
		t.Fatal(err)
	}
	if idle, err := w.round(t.Context()); err != nil || len(w.desk.verdicts) != 2 {
		t.Errorf("what is new is not seen at the next poll: idle %t, %v", idle, err)
	}
}

// calls counts the calls to a store.
type calls struct {
	objstore.Store
	n int
}

func (c *calls) Read(ctx context.Context, key string) ([]byte, error) {
	c.n++
	return c.Store.Read(ctx, key)
}

func (c *calls) List(ctx context.Context, prefix, after string, limit int) ([]objstore.Object, error) {
	c.n++
	return c.Store.List(ctx, prefix, after, limit)
}

func (c *calls) Has(ctx context.Context, key string) (bool, error) {
	c.n++
	return c.Store.(objstore.Looker).Has(ctx, key)
}

// What can't be told of one request holds up no other.
func TestARequestThatCantBeJudgedHoldsUpNoOther(t *testing.T) {
	for name, of := range map[string]struct {
		verdict Verdict
		err     error
	}{
		"trouble": {Verdict{}, errors.New("no answer")},
		"damage":  {Verdict{Damage: errors.New("the log is corrupt")}, nil},
	} {
		inBubble(t, func(t *testing.T, c *crew) {
			c.submit(simSubmission(simPlan(1), 1, 1))
			c.submit(simSubmission(simPlan(0), 8, 2))
			judge := func(_ context.Context, r *Request) (Verdict, error) {
				if r.Plan == simPlan(1) {
					return of.verdict, of.err
				}
				return Verdict{Accepts: true}, nil
			}
			stop := c.start(WorkerOptions{Name: "one", Slots: 2, Judge: judge}, takes(time.Minute))
			time.Sleep(10 * time.Minute)
			c.is(Done)
			stop()
			if told := c.said(); len(told) != 1 || !strings.Contains(told[0], simPlan(1).Short()) {
				t.Errorf("%s: the worker told %q", name, told)
			}
			once := WorkerOptions{Name: "two", Slots: 1, Once: true, Judge: judge, Tell: func(string, ...any) {}}
			if err := NewWorker(Open(c.store, log.Options{}), once).Work(t.Context()); err == nil {
				t.Errorf("%s: one that ends by itself does so without error", name)
			}
		})
	}
}

// With Once a worker does not leave what another had that was killed, and waits for no longer than
// it takes to know.
func TestOnceTakesOverFromTheDead(t *testing.T) {
	for name, of := range map[string]struct {
		killed bool
		rest   time.Duration // of the other's slice
		least  time.Duration // for which the one that ends is there
		most   time.Duration
		state  RequestState
	}{
		"one that was killed": {killed: true, rest: time.Hour, least: DefaultLease, most: 2 * DefaultLease, state: Done},
		"one that lives":      {rest: time.Hour, least: 0, most: DefaultLease, state: Running},
		"one that ends soon":  {rest: 3 * time.Second, least: 0, most: DefaultLease, state: Done},
	} {
		inBubble(t, func(t *testing.T, c *crew) {
			c.submit(simSubmission(simPlan(0), 1, 1))
			if of.killed {
				d := newDesk("dead", DefaultLease, 1, time.Now)
				d.verdicts[simPlan(0)] = verdict{Verdict: Verdict{Accepts: true}}
				c.do(c.queue.Refresh(t.Context()))
				c.do(d.enter(t.Context(), c.queue))
			} else {
				defer c.start(WorkerOptions{Name: "other"}, takes(of.rest))()
				time.Sleep(time.Second)
			}
			begun := time.Now()
			once := WorkerOptions{
				Name: "once", Slots: 1, Once: true, Tell: func(string, ...any) {},
				Judge: func(context.Context, *Request) (Verdict, error) { return Verdict{Accepts: true}, nil },
				Run:   func(context.Context, *Request, int, <-chan struct{}) Result { return Result{} },
			}
			c.do(NewWorker(Open(c.store, log.Options{}), once).Work(t.Context()))
			if took := time.Since(begun); took < of.least || took > of.most {
				t.Errorf("%s: it was there for %v, want %v to %v", name, took, of.least, of.most)
			}
			c.is(of.state)
		})
	}
}

// With Once a worker ends also where what came of its slices can't be entered.
func TestOnceEndsWhereNothingCanBeEntered(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 2, 1))
		full := false
		store := objstore.NewFault(c.store, func(op objstore.Op, _ string) objstore.Action {
			if full && op == objstore.OpCreate {
				return objstore.Fail
			}
			return objstore.Pass
		})
		begun := time.Now()
		err := NewWorker(Open(store, log.Options{}), WorkerOptions{
			Name: "once", Slots: 1, Once: true, Tell: func(string, ...any) {},
			Judge: func(context.Context, *Request) (Verdict, error) { return Verdict{Accepts: true}, nil },
			Run: func(context.Context, *Request, int, <-chan struct{}) Result {
				full = true
				return Result{}
			},
		}).Work(t.Context())
		if took := time.Since(begun); err == nil || took < enterFor || took > 2*time.Minute+leaveFor { // an entry is tried for a minute, here and in leaving
			t.Errorf("after %v it ends with: %v", took, err)
		}
	})
}
