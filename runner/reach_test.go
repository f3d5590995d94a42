package runner_test

import (
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/window"
)

// reaching are jobs that read different event times for the same partitions.
func reaching() (jobs []window.Job) {
	for _, w := range []window.Window{
		{Kind: window.Tumbling, Size: time.Hour},
		{Kind: window.Hopping, Size: 3 * time.Hour, Every: time.Hour},
		{Kind: window.Session, Gap: 30 * time.Minute, Max: 2 * time.Hour},
		{Kind: window.Session, Gap: 30 * time.Minute, Max: 12 * time.Hour},
	} {
		job := salesJob()
		job.Window, job.Dedup = w, &window.Dedup{Key: []string{"id"}, Keep: window.KeepFirst, Within: time.Hour}
		jobs = append(jobs, job)
	}
	longer := jobs[0]
	longer.Dedup = &window.Dedup{Key: []string{"id"}, Keep: window.KeepFirst, Within: 20 * time.Hour}
	return append(jobs, longer)
}

// fourDays is a lake of twelve rows, of four days, that the job was run over.
func fourDays(t *testing.T, job window.Job) *lake {
	l := newLake(t, objstore.NewMemory())
	l.fourDays(job)
	return l
}

func (l *lake) fourDays(job window.Job) {
	l.t.Helper()
	var sales []sale
	for n := 1; n <= 4; n++ {
		for _, hours := range []float64{3.5, 12, 22.5} {
			sales = append(sales, sale{day(n).Add(time.Duration(hours * float64(time.Hour))), string(rune('a' + len(sales))), "x", 1})
		}
	}
	l.land("a", sales...)
	l.run(l.task(job), stream)
}

// Other windows read other rows beside, but those that are there are not new.
func TestAJobThatReadsOtherRowsBesideIsOtherCodeAlone(t *testing.T) {
	for i, before := range reaching() {
		l := fourDays(t, before)
		for k, after := range reaching() {
			if i == k {
				continue
			}
			plan := explained(l, after)
			for _, s := range plan.Tasks {
				if s.State != window.Stale || s.StaleData || !s.StaleCode || len(s.Why.News) > 0 {
					t.Errorf("from %d to %d: %s is %s, %s, by %+v", i, k, s, s.State, s.Reason(), s.Why.News)
				}
			}
			if len(plan.Tasks) != 4 {
				t.Errorf("from %d to %d: %d partitions are of old code", i, k, len(plan.Tasks))
			}
			if again, err := l.task(after).Plan(t.Context(), stream); err != nil || len(again.Tasks) > 0 {
				t.Errorf("from %d to %d: run computes %d: %v", i, k, len(again.Tasks), err)
			}
		}
	}
}

func explained(l *lake, job window.Job) window.Plan {
	l.t.Helper()
	task := l.task(job)
	plan, err := task.Overview(l.t.Context())
	must(l.t, err)
	must(l.t, task.Explain(l.t.Context(), &plan, false))
	return plan
}

// What came is of what the old code read: the new one may read less, or more.
func TestNewRowsAreThoseThatTheOldCodeWouldHaveRead(t *testing.T) {
	jobs := reaching()
	short, long := jobs[2], jobs[3] // what a day reads ends at 02:30, and at 12:30
	for _, test := range []struct {
		before, after window.Job
		rows          int64 // that came for the first day
	}{{short, long, 0}, {long, short, 1}} {
		l := fourDays(t, test.before)
		l.land("b", sale{day(2).Add(5 * time.Hour), "new", "x", 1})
		first := explained(l, test.after).Tasks[0]
		var came int64
		for _, n := range first.Why.News {
			came += n.Rows
			if n.AtMost || n.From != 12 || n.To != 13 {
				t.Errorf("%+v", n)
			}
		}
		if first.StaleData != (test.rows > 0) || came != test.rows {
			t.Errorf("%s: %d rows came for %s, %s; want %d", test.after.Window.Max, came, first, first.Reason(), test.rows)
		}
	}
}

func TestExpiredRowsThatOtherWindowsReadHoldNothing(t *testing.T) {
	jobs := reaching()
	l := fourDays(t, jobs[2])
	l.land("b", sale{day(9), "later", "x", 1})
	l.run(l.task(jobs[2]), stream)
	l.sweeps(l.expires(1))
	for _, s := range explained(l, jobs[3]).Tasks[:4] {
		if s.State != window.Stale || s.StaleData || s.Recomputable() {
			t.Errorf("%s is %s: %s", s, s.State, s.Reason())
		}
	}
}

// Of codes that an older program registered it is not recorded what they read. Then only
// rows that came since are new.
func TestWhereTheOldCodeIsNotRecordedRowsThatCameSinceAreNew(t *testing.T) {
	jobs := reaching()
	l := newLake(t, objstore.NewMemory())
	l.registerAsBefore(jobs[2])
	l.fourDays(jobs[2])
	for _, s := range explained(l, jobs[3]).Tasks {
		if s.StaleData || len(s.Why.News) > 0 {
			t.Errorf("%s is %s", s, s.Reason())
		}
	}
	l.land("b", sale{day(2).Add(5 * time.Hour), "new", "x", 1})
	for i, s := range explained(l, jobs[3]).Tasks {
		if came := i < 2; s.StaleData != came || came && (len(s.Why.News) != 1 || s.Why.News[0].Rows != 1) {
			t.Errorf("%s is %s, by %+v", s, s.Reason(), s.Why.News)
		}
	}
}

// registerAsBefore registers the job as a program did that kept no parts of codes.
func (l *lake) registerAsBefore(job window.Job) {
	l.t.Helper()
	compiled, err := window.Compile(l.t.Context(), l.engine, job, window.StreamShape(l.stream.Spec()))
	must(l.t, err)
	code := compiled.Definition()
	code.Parts = nil
	_, err = l.table.Register(l.t.Context(), manifests.DriverStream, code)
	must(l.t, err)
}
