package runner_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"strandline/plans"
	"strandline/runner"
	"strandline/window"
)

// A slice that is wanted back ends the partition that it is at, which is published, and begins no other.
func TestASliceThatIsWantedBackEndsWhatItIsAt(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1}, sale{day(3), "3", "x", 1})
	task := l.task(salesJob())
	f := planned(t, task, backfill(day(1), day(4)))
	enough := make(chan struct{})
	report, err := task.RunSlice(t.Context(), f, 0, 1, runner.Options{
		Parallel: 1, Enough: enough, Began: func(window.Partition) { close(enough) },
	})
	if !errors.Is(err, runner.ErrEnough) || len(report.Outcomes) != 1 || report.Outcomes[0].Version == 0 {
		t.Fatalf("got %v and %+v; want one that was published", err, report.Outcomes)
	}
	if n := sliced(t, task, f); n != 2 {
		t.Errorf("another computed %d; want the rest, which are 2", n)
	}
}

// sliced is how many partitions a run of all of a plan publishes.
func sliced(t *testing.T, task *runner.Task, f plans.File) (n int) {
	for _, o := range slice(t, task, f, 0, 1).Outcomes {
		if o.Version > 0 {
			n++
		}
	}
	return n
}

// One that waits for a slot when it is wanted back waits no longer.
func TestASliceThatIsWantedBackDoesNotWaitForASlot(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1})
	task := l.task(salesJob())
	f := planned(t, task, backfill(day(1), day(4)))
	enough, asked := make(chan struct{}), false
	gate := runner.NewGate(2, 1, func() time.Time { // the gate looks at its clock when a backfill waits
		if asked {
			asked = false
			close(enough)
		}
		return time.Now()
	})
	done, err := gate.Backfill().Take(t.Context())
	must(t, err)
	asked = true
	report, err := task.RunSlice(context.WithoutCancel(t.Context()), f, 0, 1, runner.Options{Parallel: 1, Enough: enough, Slots: gate.Backfill()})
	if !errors.Is(err, runner.ErrEnough) || len(report.Outcomes) > 0 {
		t.Fatalf("got %v and %+v, though the only slot of backfills was taken", err, report.Outcomes)
	}
	done()
	if n := sliced(t, task, f); n != 2 {
		t.Errorf("another computed %d; want 2", n)
	}
}
