package requests

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"strandline/internal/digest"
	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/plans"
)

// Workers crash, stand still and wake, people change requests, and the store loses answers
// and writes late. Whatever the order: no more slices are claimed than a request allows,
// nobody loses a claim that shows that it lives, and in the end every request has ended,
// and what was run well was run.
func TestWorkersShareRequestsWhateverHappens(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			newSimulation(t, seed).run()
		})
	}
}

const (
	simLease = 10 * time.Second
	often    = 5 // entries between two checkpoints
)

// simulation is one history. All happens in one goroutine, one step after another.
type simulation struct {
	t       *testing.T
	random  *rand.Rand
	now     time.Time
	store   objstore.Store
	healed  bool
	truth   *Queue
	workers []*simWorker
	named   int
	plans   []plans.ID
	raw     *log.Log
	head    log.Head
	signed  map[string]time.Time // when each worker's latest entry came
	claims  map[held]string
	ran     map[part]bool
	trouble map[plans.ID]int // how often the first slice had some
}

// simWorker is a process. What it runs takes some steps.
type simWorker struct {
	desk  *desk
	queue *Queue
	fault *objstore.Fault
	wakes time.Time
	left  map[held]int
}

func newSimulation(t *testing.T, seed uint64) *simulation {
	s := &simulation{
		t: t, random: rand.New(rand.NewPCG(seed, 7)), now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		store: objstore.NewMemory(), signed: map[string]time.Time{}, claims: map[held]string{}, ran: map[part]bool{}, trouble: map[plans.ID]int{},
	}
	s.truth, s.raw = Open(s.store, log.Options{CheckpointEvery: often}), log.New(s.store, prefix, log.Options{})
	for range 3 {
		s.workers = append(s.workers, s.worker())
	}
	return s
}

func (s *simulation) worker() *simWorker {
	s.named++
	name, ahead := fmt.Sprintf("worker %d", s.named), time.Duration(s.random.IntN(1e6))*time.Second
	faults := objstore.SeededFaults(s.random.Uint64(), 0.08)
	w := &simWorker{left: map[held]int{}}
	w.fault = objstore.NewFault(s.store, func(op objstore.Op, key string) objstore.Action {
		if s.healed {
			return objstore.Pass
		}
		return faults(op, key)
	})
	tries := 0
	w.queue = Open(w.fault, log.Options{CheckpointEvery: often, Now: func() time.Time { return s.now }, Pause: func(context.Context, time.Duration) error {
		if tries++; tries%4 == 0 {
			return context.DeadlineExceeded
		}
		return nil
	}})
	// Clocks of machines say whatever they like, as long as they go on.
	w.desk = newDesk(name, simLease, 1+s.random.IntN(3), func() time.Time { return s.now.Add(ahead) })
	return w
}

func (s *simulation) run() {
	for range 3 {
		s.submit()
	}
	for range 400 {
		s.step()
		s.check()
	}
	s.healed = true
	for _, w := range s.workers {
		w.fault.Release()
		w.wakes = s.now
	}
	for range 400 {
		for _, w := range s.workers {
			s.act(w)
		}
		s.check()
		s.now = s.now.Add(time.Second)
		if s.settled() {
			break
		}
	}
	s.ended()
}

func (s *simulation) step() {
	w := s.workers[s.random.IntN(len(s.workers))]
	switch n := s.random.IntN(100); {
	case n < 60:
		s.act(w)
	case n < 85:
		s.now = s.now.Add(time.Duration(s.random.IntN(1500)) * time.Millisecond)
	case n < 88:
		w.wakes = s.now.Add(time.Duration(s.random.IntN(30)) * time.Second)
	case n < 91:
		s.workers[slices.Index(s.workers, w)] = s.worker()
	case n < 94:
		w.fault.Release()
	default:
		s.person()
	}
}

// act is one round of a worker, and one step of what it runs.
func (s *simulation) act(w *simWorker) {
	if s.now.Before(w.wakes) {
		return
	}
	for h, left := range w.left {
		run := w.desk.runs[h]
		switch {
		case run == nil:
			delete(w.left, h)
		case run.result != nil:
		case run.stopped:
			run.result = &Result{Err: context.Canceled}
		case left > 0:
			w.left[h]--
		default:
			run.result = s.result(h)
		}
	}
	err := w.desk.enter(s.t.Context(), w.queue)
	if err != nil {
		if s.healed || !errors.Is(err, objstore.ErrFault) && !errors.Is(err, log.ErrUnknown) {
			s.t.Fatal(err)
		}
		return
	}
	w.queue.View(func(state *State) {
		for _, r := range w.desk.unjudged(state) {
			w.desk.verdicts[r.Plan] = verdict{Verdict{Accepts: true}, w.desk.now(), r.Changed}
		}
		begin, _ := w.desk.begins(state)
		for _, h := range begin {
			w.desk.runs[h] = &run{cancel: func() {}, of: state.requests[h.Plan].Changed}
			w.left[h] = s.random.IntN(4)
		}
	})
}

// result is what came of a slice. The first of a request is often one that has trouble until
// its last try, which tells that there never will be another end.
func (s *simulation) result(h held) *Result {
	if h.Slice == 0 && s.random.IntN(8) > 0 {
		if s.trouble[h.Plan]++; s.trouble[h.Plan]%maxTries == 0 {
			return &Result{Err: errors.New("its code was replaced"), Never: true}
		}
		return &Result{Err: errors.New("the disk is full")}
	}
	switch s.random.IntN(12) {
	case 0:
		return &Result{Err: errors.New("the store did not answer")}
	case 1:
		s.ran[h.part] = true
		return &Result{Failed: 1, Failures: []Failure{{"2026-03-01", "by its key"}}}
	}
	s.ran[h.part] = true
	return &Result{}
}

func simPlan(n int) (id plans.ID) {
	binary.BigEndian.PutUint32(id.Hash[:], uint32(n+1))
	return id
}

func simSubmission(id plans.ID, slices, parallel int) Submission {
	return Submission{Plan: id, Job: "sales_hourly", Fingerprint: digest.OfBytes(nil), Slices: slices, Parallel: parallel, By: "ann@desk"}
}

func (s *simulation) submit() {
	id := simPlan(len(s.plans))
	if s.random.IntN(4) == 0 && len(s.plans) > 0 {
		id = s.plans[s.random.IntN(len(s.plans))]
	} else {
		s.plans = append(s.plans, id)
	}
	sub := simSubmission(id, 1+s.random.IntN(12), 1+s.random.IntN(4))
	sub.MaxFailures, sub.Priority = s.random.IntN(5), s.random.IntN(3)
	if _, _, err := s.truth.Submit(s.t.Context(), sub, nil, nil); err != nil {
		s.t.Fatal(err)
	}
}

// person does something about a request.
func (s *simulation) person() {
	ctx, id := s.t.Context(), s.plans[s.random.IntN(len(s.plans))]
	var err error
	switch s.random.IntN(6) {
	case 0:
		s.submit()
	case 1:
		err = s.truth.Cancel(ctx, id, "ann@desk", Outcome{})
	case 2:
		err = s.truth.Pause(ctx, id, "ann@desk")
	case 3, 4:
		var left []int
		if s.random.IntN(4) == 0 {
			left = []int{0}
		}
		err = s.truth.Resume(ctx, id, left, nil, "ann@desk")
	case 5:
		err = s.truth.Resize(ctx, id, 1+s.random.IntN(4), "ann@desk")
	}
	if err != nil && !errors.Is(err, ErrEnded) {
		s.t.Fatal(err)
	}
}

// check holds the newest state against the one of the step before.
func (s *simulation) check() {
	if err := s.truth.Refresh(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.truth.View(func(state *State) {
		claims := map[held]string{}
		for _, r := range state.requests {
			before := 0
			for slice, c := range r.Claims {
				h := held{part{r.Plan, slice}, c.Entry}
				claims[h] = c.Worker
				if s.claims[h] != "" {
					before++
				}
			}
			if len(r.Claims) > r.Parallel && before < len(r.Claims) {
				s.t.Errorf("%d slices of request %s are claimed, of which it allows %d", len(r.Claims), r.Plan.Short(), r.Parallel)
			}
		}
		s.claims = claims
	})
	s.signs()
}

// signs holds it against the log when a worker is said to be lost.
func (s *simulation) signs() {
	entries, err := s.raw.ReadAfter(s.t.Context(), s.head)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		s.head = e.Head()
		c, err := decodeChange(e.Body)
		if err != nil {
			s.t.Fatal(err)
		}
		if c.Turn == nil {
			continue
		}
		for _, worker := range c.Turn.Lost {
			if silent := s.now.Sub(s.signed[worker]); silent < simLease {
				s.t.Errorf("%s is said to be lost %s after its last sign", worker, silent)
			}
		}
		s.signed[c.Turn.Worker] = s.now
	}
}

// settled tells whether nothing is to be done, and nothing held.
func (s *simulation) settled() (settled bool) {
	s.truth.View(func(state *State) {
		settled = len(state.signs) == 0 && !slices.ContainsFunc(state.Requests(), (*Request).wants)
	})
	return settled
}

// ended checks that every request has ended, and that all was run that is said to be.
func (s *simulation) ended() {
	s.truth.View(func(state *State) {
		for _, id := range s.plans {
			r := state.requests[id]
			if !r.Ended() && !r.IsPaused {
				s.t.Errorf("request %s is %s in the end: %d of %d slices were run, %d are claimed", id.Short(), r.State(), r.SlicesRun(), r.Slices, len(r.Claims))
			}
			if len(r.Claims) > 0 {
				s.t.Errorf("request %s is %s, and %d slices of it are claimed", id.Short(), r.State(), len(r.Claims))
			}
			for slice, mark := range r.Run {
				if mark == runWell && !s.ran[part{id, slice}] {
					s.t.Errorf("slice %d of request %s was run well, and nobody ran it", slice, id.Short())
				}
			}
		}
	})
	if len(s.ran) == 0 {
		s.t.Error("nothing was run")
	}
	s.sound()
}

// sound holds the log against itself: its checkpoints are what its entries fold to.
func (s *simulation) sound() {
	checkpoints, err := s.store.List(s.t.Context(), prefix+"/checkpoints/", "", 1000)
	if err != nil || len(checkpoints) == 0 {
		s.t.Errorf("there are %d checkpoints: %v", len(checkpoints), err)
	}
	named, err := Examine(s.t.Context(), s.store, func(f log.Finding) { s.t.Errorf("%s of %s: %v", f.Fault, f.Key, f.Err) }, func(string) {})
	if err != nil || len(named) != len(s.plans) {
		s.t.Errorf("%d plans are named, want %d: %v", len(named), len(s.plans), err)
	}
}
