package runner_test

import (
	"slices"
	"testing"
	"time"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// What another process publishes between a trigger's plan and a partition's turn is not computed
// again: by a stream, or by a request. The rest is, and what it publishes of older rows is too.
func TestTheStreamComputesNothingThatStandsByItsTurn(t *testing.T) {
	store := folder(t)
	l, other := newLake(t, store), newLake(t, store)
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1}, sale{day(3), "3", "x", 1})
	task, theirs := l.task(salesJob()), other.task(salesJob())
	older := planned(t, theirs, backfill(day(3), day(4)))
	l.land("b", sale{day(3), "4", "x", 1})
	verdicts := map[string]manifests.Verdict{}
	did := false
	must(t, runner.Stream(t.Context(), []*runner.Task{task}, runner.StreamOptions{
		Parallel: 1, Poll: time.Millisecond, Once: true, Now: time.Now,
		Planned: func(window.Plan) {
			if !did {
				did = true
				slice(t, theirs, older, 0, 1)
				other.run(theirs, backfill(day(1), day(2)))
			}
		},
		Done:    func(_ string, o runner.Outcome) { verdicts[o.Partition.String()] = o.Verdict },
		Trouble: func(job string, err error) { t.Errorf("job %s: %v", job, err) },
	}))
	for partition, want := range map[string]manifests.Verdict{
		"2026-03-01": manifests.Already, "2026-03-02": manifests.Swap, "2026-03-03": manifests.Swap,
	} {
		if got := verdicts[partition]; got != want {
			t.Errorf("partition %s: %s, want %s", partition, got, want)
		}
	}
	if got, want := l.rows(), []string{"03-01T00 x 1 1", "03-02T00 x 1 1", "03-03T00 x 2 2"}; !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
}
