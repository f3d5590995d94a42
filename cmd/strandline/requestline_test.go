package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"strandline/internal/schedule"
	"strandline/requests"
)

func aFact() requestFact {
	at := time.Date(2026, 3, 4, 2, 0, 1, 0, time.UTC)
	return requestFact{
		Request: strings.Repeat("3f2a9c41", 8), Job: "hourly", State: requests.Broken, Asked: "2026-03-01T00:00:00Z to 2026-03-04T00:00:00Z",
		By: "ann@desk", Submitted: at, Ended: at, Partitions: 4, Slices: 1, Progress: &progressFact{Done: 2, Left: 2},
	}
}

// Of a schedule list tells what was asked once, and when it was due once; show tells all its words.
func TestWhatAScheduleAskedIsToldOnce(t *testing.T) {
	f := aFact()
	s := schedule.Schedule{Rule: schedule.Rule{Span: time.Hour, Anchor: time.Unix(0, 0)}, Last: 72 * time.Hour}
	f.By = dueBy(s.String(), f.Submitted.Truncate(time.Minute))
	when, what, _ := strings.Cut(s.String(), ": ")
	if line := f.line(); strings.Contains(line, what) || !strings.Contains(line, "by schedule "+when+", due 2026-03-04T02:00:00Z") || strings.Count(line, "2026-03-04T02") != 1 {
		t.Errorf("list says %s", line)
	}
	if whole := f.asker(true); whole != f.By {
		t.Errorf("show says %s", whole)
	}
	f.By = "schedule: a person of that name"
	if line := f.line(); !strings.Contains(line, f.By+" at 2026-03-04T02:00:01Z") {
		t.Errorf("list says %s", line)
	}
}

// A long reason is cut in a list, and told whole, and once, by show.
func TestALongReasonIsToldOnce(t *testing.T) {
	f := aFact()
	f.Reason = strings.Repeat("ä reason ", 30) + "END"
	if line := f.line(); strings.Contains(line, "END") || !strings.Contains(line, ": ä reason") || !strings.HasSuffix(line, "…") {
		t.Errorf("list says %s", line)
	}
	var out bytes.Buffer
	a := &app{out: &out}
	held := strings.Repeat("blocked ", 20)
	a.shown(shownFact{
		requestFact: f, Failures: []requests.Failure{
			{Partition: "2026-03-01", Reason: held}, {Partition: "2026-03-02", Reason: "other"}, {Partition: "2026-03-03", Reason: held}, {Reason: "its engine failed"},
		},
		Troubles: []requests.Trouble{
			{Reason: "no room", Times: 7, First: f.Submitted, Last: f.Submitted.Add(time.Hour), By: "vm pid 1", GivenUp: 1},
			{Reason: "one", Times: 1, First: f.Submitted, Last: f.Submitted, By: "vm pid 2"},
		},
	})
	for _, want := range []string{
		"END\n", "\n2026-03-01, 2026-03-03: " + held + "\n", "\n2026-03-02: other\n", "\nits engine failed\n",
		"\nslices were given back 7 times from 2026-03-04T02:00:01Z on, the last at 2026-03-04T03:00:01Z by vm pid 1, 1 given up: no room\n",
		"\nslices were given back 1 time, the last at 2026-03-04T02:00:01Z by vm pid 2: one\n",
	} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("show does not say once %q:\n%s", want, out.String())
		}
	}
	if strings.Count(out.String(), f.Request[:8]) != 8 { // which the id is made of
		t.Errorf("show says the id twice:\n%s", out.String())
	}
}

// One that has begun and that all workers have left is running still, and does not look as if somebody ran it.
func TestARequestThatNobodyIsAtWorkOnIsToldAsThat(t *testing.T) {
	p := newSales(t)
	id := p.asked("--slices", "2")
	const idle = ", nobody at work"
	if out := p.good("backfill", "list"); strings.Contains(out, idle) {
		t.Errorf("of one that waits:\n%s", out)
	}
	queue, plan := p.queueOf(id)
	judged := func(context.Context, *requests.Request) (requests.Verdict, error) {
		return requests.Verdict{Accepts: true}, nil
	}
	seen := ""
	ctx, stop := context.WithCancel(t.Context())
	work := func(_ context.Context, _ *requests.Request, slice int, _ <-chan struct{}) requests.Result {
		if slice == 1 {
			seen = p.good("backfill", "list")
			stop()
		}
		return requests.Result{Err: ctx.Err()}
	}
	w := requests.NewWorker(queue, requests.WorkerOptions{Name: "a", Slots: 1, Judge: judged, Run: work, Tell: func(string, ...any) {}})
	if err := w.Work(ctx); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(seen, "running") || strings.Contains(seen, idle) {
		t.Errorf("while it is worked:\n%s", seen)
	}
	for _, args := range [][]string{{"backfill", "list"}, {"backfill", "show", plan.String()}} {
		if out := p.good(args...); !strings.Contains(out, "running, ") || !strings.Contains(out, idle) {
			t.Errorf("%s says\n%s", args[1], out)
		}
	}
}
