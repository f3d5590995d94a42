package runner_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/publish"
	"strandline/runner"
	"strandline/window"
)

// following is a running stream whose outcomes can be waited for.
type following struct {
	t        *testing.T
	stop     context.CancelFunc
	ended    chan error
	outcomes chan runner.Outcome
	trouble  chan error
	over     chan string
}

func (l *lake) follow(task *runner.Task, wake <-chan struct{}, poll time.Duration) *following {
	ctx, stop := context.WithCancel(l.t.Context())
	f := &following{t: l.t, stop: stop, ended: make(chan error, 1), outcomes: make(chan runner.Outcome, 100), trouble: make(chan error, 100), over: make(chan string, 100)}
	go func() {
		f.ended <- runner.Stream(ctx, []*runner.Task{task}, runner.StreamOptions{
			Parallel: 2, Poll: poll, Wake: wake, Now: time.Now,
			Done:    func(_ string, o runner.Outcome) { f.outcomes <- o },
			Trouble: func(_ string, err error) { f.trouble <- err },
			Over:    func(job string) { f.over <- job },
		})
	}()
	l.t.Cleanup(stop)
	return f
}

func (f *following) next() runner.Outcome {
	f.t.Helper()
	select {
	case o := <-f.outcomes:
		return o
	case err := <-f.ended:
		f.t.Fatalf("the stream ended: %v", err)
	case <-time.After(time.Minute):
		f.t.Fatal("nothing was published for a minute")
	}
	return runner.Outcome{}
}

func TestTheStreamFollowsLandingsOfOthersAndItsOwn(t *testing.T) {
	store := folder(t)
	l, other := newLake(t, store), newLake(t, store)
	wake := make(chan struct{}, 1)
	polling := l.follow(l.task(salesJob()), nil, time.Millisecond)
	other.land("a", sale{day(1), "1", "x", 1})
	if o := polling.next(); o.Partition.String() != "2026-03-01" || o.Verdict != manifests.Swap {
		t.Fatalf("got %+v", o)
	}
	polling.stop()
	if err := <-polling.ended; err != nil {
		t.Fatalf("stopped with %v", err)
	}
	waking := l.follow(l.task(salesJob()), wake, time.Hour) // it would not look by itself
	l.land("b", sale{day(2), "2", "x", 1})
	wake <- struct{}{}
	if o := waking.next(); o.Partition.String() != "2026-03-02" {
		t.Fatalf("got %+v", o)
	}
}

func TestTheStreamPublishesATriggersPartitionsTogether(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1}, sale{day(3), "3", "x", 1})
	f := l.follow(l.task(salesJob()), nil, time.Millisecond)
	first, second, third := f.next(), f.next(), f.next()
	if first.Version != second.Version || second.Version != third.Version {
		t.Fatalf("published in versions %d, %d and %d", first.Version, second.Version, third.Version)
	}
}

func TestTheStreamGoesOnAfterTroubleWithTheStore(t *testing.T) {
	var mu sync.Mutex
	down := false
	store := objstore.NewFault(objstore.NewMemory(), func(objstore.Op, string) objstore.Action {
		mu.Lock()
		defer mu.Unlock()
		if down {
			return objstore.Fail
		}
		return objstore.Pass
	})
	set := func(b bool) { mu.Lock(); down = b; mu.Unlock() }
	l := newLake(t, store)
	l.land("a", sale{day(1), "1", "x", 1})
	f := l.follow(l.task(salesJob()), nil, time.Millisecond)
	f.next()
	set(true)
	if err := <-f.trouble; !errors.Is(err, objstore.ErrFault) {
		t.Fatalf("told of %v", err)
	}
	set(false)
	l.land("b", sale{day(2), "2", "x", 1})
	if o := f.next(); o.Partition.String() != "2026-03-02" {
		t.Fatalf("got %+v", o)
	}
	if job := <-f.over; job != "sales_hourly" {
		t.Errorf("the end of the trouble is told of %q", job)
	}
}

func TestTheStreamStopsWhenItsJobIsReplaced(t *testing.T) {
	store := folder(t)
	l, other := newLake(t, store), newLake(t, store)
	l.land("a", sale{day(1), "1", "x", 1})
	f := l.follow(l.task(salesJob()), nil, time.Millisecond)
	f.next()
	job := salesJob()
	job.SQL = "SELECT window_start, shop, 2 * count(*) AS n, sum(cents)::BIGINT AS cents FROM sales GROUP BY window_start, shop"
	if _, err := other.task(job).Register(t.Context(), manifests.DriverStream); err != nil {
		t.Fatal(err)
	}
	if err := <-f.ended; !errors.Is(err, manifests.ErrReplaced) {
		t.Fatalf("ended with %v, want ErrReplaced", err)
	}
}

func TestAPersonsRollbackOutlastsTheStream(t *testing.T) {
	l := newLake(t, folder(t))
	task := l.task(salesJob())
	l.land("a", sale{day(1), "1", "x", 1})
	l.run(task, stream)
	l.land("b", sale{day(1), "2", "x", 1})
	l.run(task, stream)
	if _, err := publish.Rollback(t.Context(), l.store, l.table, 2); err != nil {
		t.Fatal(err)
	}
	if report := l.run(task, stream); len(report.Outcomes) != 0 {
		t.Fatalf("the stream undid the rollback: %+v", report.Outcomes)
	}
	if got, want := l.rows(), []string{"03-01T00 x 1 1"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	l.land("c", sale{day(1), "3", "x", 1})
	l.run(task, stream)
	if got, want := l.rows(), []string{"03-01T00 x 3 3"}; !slices.Equal(got, want) {
		t.Fatalf("after new input: got %v, want %v", got, want)
	}
}

func TestAJobThatNeedsARebuildDoesNotStopTheOthers(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1})
	l.run(l.task(salesJob()), stream)
	changed := salesJob()
	changed.Grain = window.GrainMonth
	unfit := l.task(changed)
	l.table = manifests.Open(l.store, "other", manifests.Options{})
	healthy := l.task(salesJob())
	var published []string
	err := runner.Stream(t.Context(), []*runner.Task{unfit, healthy}, runner.StreamOptions{
		Parallel: 1, Poll: time.Millisecond, Once: true, Now: time.Now,
		Done:    func(_ string, o runner.Outcome) { published = append(published, o.Partition.String()) },
		Trouble: func(job string, err error) { t.Errorf("of job %s it is told what is returned too: %v", job, err) },
	})
	if !errors.Is(err, manifests.ErrNeedsRebuild) {
		t.Errorf("ended with %v, want ErrNeedsRebuild", err)
	}
	if !slices.Equal(published, []string{"2026-03-01"}) {
		t.Errorf("published %v", published)
	}
	ctx, stop := context.WithCancel(t.Context())
	told := 0
	if err := runner.Stream(ctx, []*runner.Task{unfit, healthy}, runner.StreamOptions{
		Parallel: 1, Poll: time.Millisecond, Now: time.Now,
		Planned: func(window.Plan) { stop() },
		Trouble: func(_ string, err error) {
			if errors.Is(err, manifests.ErrNeedsRebuild) {
				told++
			}
		},
	}); err != nil || told != 1 {
		t.Errorf("one that goes on told %d times of the job that is left out, and ended with %v", told, err)
	}
}
