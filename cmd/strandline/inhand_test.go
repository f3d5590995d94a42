package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"strandline/internal/digest"
	"strandline/manifests"
	"strandline/requests"
	"strandline/runner"
	"strandline/window"
)

// A worker has the slice in hand that it has claimed, and takes the next one soon; what is to be
// computed from other rows, or is of a request that goes on no more, nobody has.
func TestWhatWorkersHaveInHandIsToldByTheLogOfRequests(t *testing.T) {
	p := newSales(t)
	p.write("d.ndjson", `{"at":"2026-03-04T10:00:00Z","shop":"x","cents":5}`+"\n")
	p.good("land", "sales", p.path("d.ndjson"))
	p.good("backfill", "submit", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-05", "--slices", "3")
	q := p.process("2026-03-05T00:00:00Z")
	l, ctx := q.lake, t.Context()
	tasks, err := l.allTasks(ctx)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := tasks[0].Plan(ctx, runner.Request{Driver: manifests.DriverStream})
	if err != nil || len(plan.Tasks) != 3 {
		t.Fatalf("%d partitions are to be computed, %v; want 3", len(plan.Tasks), err)
	}
	now := time.Unix(1000, 0)
	h := newInHand(l, tasks, func() time.Time { return now })
	has := func(want ...bool) {
		t.Helper()
		now = now.Add(lookInHand)
		got := make([]bool, len(plan.Tasks))
		for i, s := range plan.Tasks {
			got[i] = h.has(ctx, "sales_hourly", s)
		}
		if !slices.Equal(got, want) {
			t.Errorf("in hand are %v, want %v", got, want)
		}
	}
	has(false, false, false)
	workCtx, stop := context.WithCancel(ctx)
	began, left := make(chan *requests.Request), make(chan error)
	worker := requests.NewWorker(l.requests, requests.WorkerOptions{
		Name: "one", Slots: 1, Tell: t.Logf,
		Judge: func(context.Context, *requests.Request) (requests.Verdict, error) {
			return requests.Verdict{Accepts: true}, nil
		},
		Run: func(ctx context.Context, r *requests.Request, _ int, _ <-chan struct{}) requests.Result {
			began <- r
			<-ctx.Done()
			return requests.Result{Err: ctx.Err()}
		},
	})
	go func() { left <- worker.Work(workCtx) }()
	r := <-began
	has(true, true, false)
	other := window.Status{Partition: plan.Tasks[0].Partition}
	other.Input.Digest = digest.OfBytes([]byte("newer rows"))
	if h.has(ctx, "sales_hourly", other) || h.has(ctx, "another", plan.Tasks[0]) {
		t.Error("in hand is what is computed from other rows, or of another job")
	}
	if err := l.requests.Pause(ctx, r.Plan, "ann"); err != nil {
		t.Fatal(err)
	}
	has(false, false, false)
	stop()
	if err := <-left; err != nil {
		t.Fatal(err)
	}
}
