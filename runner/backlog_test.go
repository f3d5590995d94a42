package runner_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// behindBy is a lake and a job that is so many hourly partitions behind.
func behindBy(t *testing.T, hours int) (*lake, *runner.Task) {
	l := newLake(t, folder(t))
	job := salesJob()
	job.Grain = window.GrainHour
	var sales []sale
	for i := range hours {
		sales = append(sales, sale{day(1).Add(time.Duration(i) * time.Hour), "1", "x", 1})
	}
	l.land("a", sales...)
	return l, l.task(job)
}

func TestALongHistoryIsCaughtUpWithInSteps(t *testing.T) {
	_, task := behindBy(t, 450)
	versions := map[manifests.Version]int{}
	err := runner.Stream(t.Context(), []*runner.Task{task}, runner.StreamOptions{
		Parallel: 2, Poll: time.Millisecond, Once: true, Now: time.Now,
		Done: func(_ string, o runner.Outcome) { versions[o.Version]++ }, Trouble: func(string, error) {},
	})
	if err != nil || len(versions) < 3 {
		t.Fatalf("published in %v, %v; want three versions or more", versions, err)
	}
}

// clock goes on when a test says so.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) goOn(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// followOn is a stream that can be waited for, of which others have partitions in hand.
func (l *lake) followOn(task *runner.Task, now func() time.Time, inHand func(s window.Status) bool) *following {
	ctx, stop := context.WithCancel(l.t.Context())
	f := &following{t: l.t, stop: stop, ended: make(chan error, 1), outcomes: make(chan runner.Outcome, 500), trouble: make(chan error, 100)}
	go func() {
		f.ended <- runner.Stream(ctx, []*runner.Task{task}, runner.StreamOptions{
			Parallel: 2, Poll: time.Millisecond, Now: now,
			InHand:  func(_ context.Context, _ string, s window.Status) bool { return inHand(s) },
			Done:    func(_ string, o runner.Outcome) { f.outcomes <- o },
			Trouble: func(_ string, err error) { f.trouble <- err },
		})
	}()
	l.t.Cleanup(stop)
	return f
}

// What a stream is behind with is published before all of a step is computed, so that others learn of it.
func TestABacklogIsPublishedAsItIsReady(t *testing.T) {
	l, task := behindBy(t, 60)
	var turns sync.Map
	published := make(chan struct{})
	f := l.followOn(task, time.Now, func(s window.Status) bool {
		_, planned := turns.LoadOrStore(s.String(), true)
		if planned && s.Start.Equal(day(1)) { // the oldest, when its turn comes
			select {
			case <-published:
			case <-time.After(time.Minute):
				t.Error("nothing was published while the last partition of the step was to be computed")
			}
		}
		return false
	})
	f.next()
	close(published)
	for range 59 {
		f.next()
	}
}

// What others have in hand of a backlog is left to them for the time of a lease, and holds up neither the rest
// nor what lands meanwhile.
func TestWhatOthersHaveInHandIsLeftToThemForAWhile(t *testing.T) {
	l, task := behindBy(t, 60)
	c := clock{at: day(28)}
	theirs := day(1).Add(50 * time.Hour) // the newest ten, and what is to come
	f := l.followOn(task, c.now, func(s window.Status) bool { return !s.Start.Before(theirs) })
	for range 50 {
		if o := f.next(); !o.Partition.Start.Before(theirs) {
			t.Fatalf("%s was computed, which others have in hand", o.Partition)
		}
	}
	l.land("b", sale{theirs, "2", "x", 1}, sale{day(20), "3", "x", 1})
	fresh := []string{f.next().Partition.String(), f.next().Partition.String()}
	if want := []string{"2026-03-03T02", "2026-03-20T00"}; !slices.Equal(fresh, want) {
		t.Fatalf("of rows that landed, computed %v, want %v", fresh, want)
	}
	c.goOn(31 * time.Second)
	for range 9 {
		if o := f.next(); o.Partition.Start.Before(theirs) {
			t.Fatalf("%s was computed once more", o.Partition)
		}
	}
}

// A partition that goes to others after a step was planned is left to them when its turn comes.
func TestWhatOthersTakeInTheMiddleOfAStepIsLeftToThem(t *testing.T) {
	l, task := behindBy(t, 60)
	c := clock{at: day(28)}
	var turns sync.Map
	f := l.followOn(task, c.now, func(s window.Status) bool {
		_, planned := turns.LoadOrStore(s.String(), true)
		return planned && s.Start.Before(day(2))
	})
	for range 36 {
		if o := f.next(); o.Partition.Start.Before(day(2)) {
			t.Fatalf("%s was computed, which others took before its turn", o.Partition)
		}
	}
	c.goOn(31 * time.Second)
	for range 24 {
		f.next()
	}
}

// However much lands meanwhile, what others have in hand is left to them no longer than that.
func TestWhatIsLeftToOthersIsComputedThoughMuchLandsAgainAndAgain(t *testing.T) {
	l, task := behindBy(t, 60)
	c := clock{at: day(28)}
	theirs := day(1).Add(59 * time.Hour)
	f := l.followOn(task, c.now, func(s window.Status) bool { return s.Start.Equal(theirs) })
	for range 59 {
		f.next()
	}
	for round := range 3 { // of more partitions than go together
		var sales []sale
		for i := range 59 {
			sales = append(sales, sale{day(1).Add(time.Duration(i) * time.Hour), strconv.Itoa(round), "y", 1})
		}
		l.land(strconv.Itoa(round), sales...)
		for range 59 {
			if o := f.next(); o.Partition.Start.Equal(theirs) {
				t.Fatalf("%s was computed, which others have had in hand for %d s", o.Partition, 11*round)
			}
		}
		c.goOn(11 * time.Second)
	}
	if o := f.next(); !o.Partition.Start.Equal(theirs) {
		t.Errorf("%s was computed, and not what was left to others for 33 s", o.Partition)
	}
}
