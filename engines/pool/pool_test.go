package pool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"strandline/engines"
	"strandline/engines/pool"
	"strandline/internal/digest"
	"strandline/plans"
)

func ref(slices int) engines.Ref {
	return engines.Ref{Plan: plans.ID{Hash: digest.OfBytes([]byte("a plan"))}, Slices: slices}
}

// gated is work that each slice of waits to be let end, in a way of its own.
type gated struct {
	begun chan int
	end   map[int]chan engines.Ending

	mu           sync.Mutex
	active, most int
}

func newGated(slices int) *gated {
	g := &gated{begun: make(chan int, 1000), end: map[int]chan engines.Ending{}}
	for i := range slices {
		g.end[i] = make(chan engines.Ending, 1000)
	}
	return g
}

func (g *gated) count(by int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active += by
	g.most = max(g.most, g.active)
}

func (g *gated) work(ctx context.Context, _ engines.Ref, slice int) (engines.Ending, error) {
	g.count(1)
	defer g.count(-1)
	g.begun <- slice
	select {
	case ending := <-g.end[slice]:
		return ending, fmt.Errorf("slice %d ended with %d", slice, ending)
	case <-ctx.Done():
		return engines.TryAgain, ctx.Err()
	}
}

func newPool(t *testing.T, g *gated) *pool.Pool {
	p := pool.New(t.Context(), pool.Options{Work: g.work, Tries: 3})
	t.Cleanup(p.Close)
	return p
}

func observe(t *testing.T, p *pool.Pool) engines.Observation {
	t.Helper()
	o, err := p.Observe(t.Context(), ref(1).Plan)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func submit(t *testing.T, p *pool.Pool, slices int, o engines.Options) {
	t.Helper()
	if _, err := p.Submit(t.Context(), ref(slices), o); err != nil {
		t.Fatal(err)
	}
}

func wait(t *testing.T, p *pool.Pool) engines.Observation {
	t.Helper()
	o, err := p.Wait(t.Context(), ref(1).Plan)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestSlicesAreWorkedInOrderAndNeverMoreThanParallel(t *testing.T) {
	g := newGated(6)
	p := newPool(t, g)
	submit(t, p, 6, engines.Options{Parallel: 2})
	first := []int{<-g.begun, <-g.begun}
	slices.Sort(first)
	if !slices.Equal(first, []int{0, 1}) {
		t.Errorf("begun first are %v", first)
	}
	for i := range 6 {
		g.end[i] <- engines.Succeeded
	}
	if o := wait(t, p); o.State != engines.Done || o.Succeeded != 6 || g.most != 2 {
		t.Errorf("ended as %+v, with at most %d at a time", o, g.most)
	}
}

func TestASliceThatBreaksOffIsTriedAgainAndNotForEver(t *testing.T) {
	g := newGated(2)
	p := newPool(t, g)
	g.end[0] <- engines.TryAgain
	g.end[0] <- engines.Ending(-1) // killed
	g.end[0] <- engines.Succeeded
	for range 3 {
		g.end[1] <- engines.Misused // as Go ends a process that dies of a fault
	}
	submit(t, p, 2, engines.Options{Parallel: 1})
	if o := wait(t, p); o.State != engines.Failed || o.Succeeded != 1 || o.Failed != 1 || o.Message == "" {
		t.Errorf("ended as %+v", o)
	}
	if n := len(g.begun); n != 6 {
		t.Errorf("begun %d times, want 3 of each", n)
	}
}

func TestFailedSlicesStopNoOthersWithinTheBudget(t *testing.T) {
	for budget, want := range map[int]struct{ begun, failed int }{0: {5, 5}, 2: {2, 2}, 9: {5, 5}} {
		g := newGated(5)
		p := newPool(t, g)
		for i := range 5 {
			g.end[i] <- engines.SomeFailed
		}
		submit(t, p, 5, engines.Options{Parallel: 1, MaxFailures: budget})
		if o := wait(t, p); o.State != engines.Failed || o.Failed != want.failed || len(g.begun) != want.begun {
			t.Errorf("with a budget of %d: %+v, begun %d", budget, o, len(g.begun))
		}
	}
}

func TestAPlanThatIsRefusedIsNotTriedSliceBySlice(t *testing.T) {
	g := newGated(5)
	p := newPool(t, g)
	g.end[0] <- engines.Refused
	submit(t, p, 5, engines.Options{Parallel: 1})
	if o := wait(t, p); o.State != engines.Failed || len(g.begun) != 1 {
		t.Errorf("ended as %+v, begun %d", o, len(g.begun))
	}
}

func TestASecondSubmissionIsNothingWhileTheFirstLivesOrIsDone(t *testing.T) {
	g := newGated(2)
	p := newPool(t, g)
	for range 3 {
		submit(t, p, 2, engines.Options{Parallel: 2})
	}
	if _, err := p.Submit(t.Context(), ref(3), engines.Options{Parallel: 1}); !errors.Is(err, engines.ErrDiffers) {
		t.Errorf("submitted in other slices: %v", err)
	}
	for i := range 2 {
		g.end[i] <- engines.Succeeded
	}
	wait(t, p)
	submit(t, p, 2, engines.Options{Parallel: 2})
	if o := observe(t, p); o.State != engines.Done || len(g.begun) != 2 {
		t.Errorf("submitted once it was done: %+v, begun %d", o, len(g.begun))
	}
}

func TestACancelledPlanGivesUpItsSlicesAndCanBeBegunAgain(t *testing.T) {
	g := newGated(4)
	p := newPool(t, g)
	submit(t, p, 4, engines.Options{Parallel: 2})
	<-g.begun
	<-g.begun
	if err := p.Cancel(t.Context(), ref(4).Plan); err != nil {
		t.Fatal(err)
	}
	if o := wait(t, p); o.State != engines.Cancelled || o.Active != 0 || len(g.begun) != 0 {
		t.Errorf("cancelled: %+v, begun %d more", o, len(g.begun))
	}
	for i := range 4 {
		g.end[i] <- engines.Succeeded
	}
	submit(t, p, 4, engines.Options{Parallel: 2})
	if o := wait(t, p); o.State != engines.Done || o.Succeeded != 4 {
		t.Errorf("submitted again: %+v", o)
	}
}

func TestAPausedPlanBeginsNothingUntilItIsResumedOrResized(t *testing.T) {
	g := newGated(4)
	p := newPool(t, g)
	submit(t, p, 4, engines.Options{Parallel: 1})
	<-g.begun
	id := ref(4).Plan
	if err := errors.Join(p.Pause(t.Context(), id), p.Resize(t.Context(), id, 3)); err != nil {
		t.Fatal(err)
	}
	if o := observe(t, p); o.State != engines.Paused || o.Active != 1 || o.Parallel != 3 {
		t.Errorf("paused: %+v", o)
	}
	if err := p.Resume(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	<-g.begun
	<-g.begun
	if o := observe(t, p); o.State != engines.Running || o.Active != 3 {
		t.Errorf("resumed: %+v", o)
	}
	for i := range 4 {
		g.end[i] <- engines.Succeeded
	}
	if o := wait(t, p); o.State != engines.Done || g.most != 3 {
		t.Errorf("ended as %+v, with at most %d at a time", o, g.most)
	}
}

func TestWhatAPoolCantDoIsRefused(t *testing.T) {
	g := newGated(1)
	p := newPool(t, g)
	ctx, id := t.Context(), ref(1).Plan
	submitted := func(ref engines.Ref, o engines.Options) error {
		_, err := p.Submit(ctx, ref, o)
		return err
	}
	for what, err := range map[string]error{
		"no slices":  submitted(ref(0), engines.Options{Parallel: 1}),
		"none":       submitted(ref(1), engines.Options{}),
		"no plan":    submitted(engines.Ref{Slices: 1}, engines.Options{Parallel: 1}),
		"failures":   submitted(ref(1), engines.Options{Parallel: 1, MaxFailures: -1}),
		"resized":    p.Resize(ctx, id, 0),
		"no pause":   p.Pause(ctx, id),
		"no cancel":  p.Cancel(ctx, id),
		"no resume":  p.Resume(ctx, id),
		"no resizes": p.Resize(ctx, id, 1),
		"ready":      p.Ready(ctx, ref(0), engines.Options{Parallel: 1}),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := p.Observe(ctx, id); !errors.Is(err, engines.ErrUnknown) {
		t.Errorf("observed what was never submitted: %v", err)
	}
	p.Close()
	for what, err := range map[string]error{"submit": submitted(ref(1), engines.Options{Parallel: 1}), "ready": p.Ready(ctx, ref(1), engines.Options{Parallel: 1})} {
		if err == nil {
			t.Errorf("%s: a closed pool took a plan", what)
		}
	}
}
