package runner_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"strandline/runner"
	"strandline/window"
)

// Whenever something is published, more lands, up to a bound that only a stream
// that goes on for ever reaches.
func TestOnceEndsThoughOthersGoOnLanding(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1})
	task := l.task(salesJob())
	var published []string
	more := func(_ string, o runner.Outcome) {
		published = append(published, fmt.Sprint(o.Partition, " ", o.Verdict))
		if n := len(published); n <= 20 {
			l.land(fmt.Sprint("more", n), sale{day(1), fmt.Sprint("late", n), "x", 1}, sale{day(2 + n), "1", "x", 1})
		}
	}
	err := runner.Stream(t.Context(), []*runner.Task{task}, runner.StreamOptions{
		Parallel: 1, Poll: time.Millisecond, Once: true, Now: time.Now, Done: more, Trouble: func(string, error) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(published)
	if want := []string{"2026-03-01 published", "2026-03-02 published"}; !slices.Equal(published, want) {
		t.Errorf("it did %q, want %q", published, want)
	}
	plan, err := task.Survey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := window.Tally(plan.Tasks); n[window.Fresh] != 1 || n[window.Stale] != 1 || n[window.Missing] != 2 {
		t.Errorf("it left %v, want what landed meanwhile", n)
	}
}
