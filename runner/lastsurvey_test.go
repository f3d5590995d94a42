package runner_test

import (
	"slices"
	"testing"
	"time"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// overview plans a task, whose statuses are those of the returned names.
func (l *lake) overview(task *runner.Task) (plan window.Plan, stand []string) {
	l.t.Helper()
	plan, err := task.Overview(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	for _, s := range plan.Tasks {
		stand = append(stand, s.String()+" "+s.Reason())
	}
	return plan, stand
}

func TestAJobIsSurveyedAgainOnlyWhenALogWentOn(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1})
	l.run(l.task(salesJob()), stream)
	changed := salesJob()
	changed.SQL += " HAVING count(*) > 0"
	compiled, err := window.Compile(t.Context(), l.engine, changed, window.StreamShape(salesSpec))
	if err != nil {
		t.Fatal(err)
	}
	task := l.taskOf(compiled)
	want := []string{"2026-03-01 code changed", "2026-03-02 code changed"}
	if _, stand := l.overview(task); !slices.Equal(stand, want) {
		t.Fatalf("got %q, want %q", stand, want)
	}
	code := compiled.Fingerprint
	compiled.Fingerprint = l.task(salesJob()).Fingerprint() // by which another survey would find all fresh
	if _, stand := l.overview(task); !slices.Equal(stand, want) {
		t.Errorf("it is surveyed again though no log went on, to find %q", stand)
	}
	compiled.Fingerprint = code

	l.land("b", sale{day(2).Add(time.Hour), "3", "x", 1})
	if _, stand := l.overview(task); !slices.Equal(stand, []string{"2026-03-01 code changed", "2026-03-02 data and code changed"}) {
		t.Errorf("after rows came: %q", stand)
	}
	l.table = manifests.Open(l.store, changed.Name, manifests.Options{}) // as another process has it
	l.run(l.task(changed), backfill(day(1), day(2)))
	plan, stand := l.overview(task)
	if !slices.Equal(stand, []string{"2026-03-02 data and code changed"}) || plan.Fresh != 1 {
		t.Errorf("after another process published: %q and %d fresh", stand, plan.Fresh)
	}
}

// How far partitions are closed hangs on the clock too, which goes on when no log does.
func TestPartitionsAreClosedByTheClockAlone(t *testing.T) {
	l := newClockedLake(t)
	l.landBy("a", 5)
	task := l.clockedTask(hourly(window.EmitOnClose, ""))
	for _, want := range []window.State{window.Open, window.Missing} {
		if plan, _ := l.overview(task); len(plan.Tasks) != 1 || plan.Tasks[0].State != want {
			t.Errorf("at %s it is %v, want %s", l.now, plan.Tasks, want)
		}
		l.now = l.now.AddDate(0, 0, 1)
	}
}
