package runner_test

import (
	"strings"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/sweep"
	"strandline/window"
)

// sweep keeps the newest version of each table alone.
func (c *chain) sweep() {
	c.t.Helper()
	newest := func(string) manifests.Retention { return manifests.Retention{Versions: 1} }
	if _, err := sweep.Run(c.t.Context(), c.store, sweep.Options{Retention: newest}); err != nil {
		c.t.Fatal(err)
	}
}

// A receipt of a version that has expired is proved by the newest one, where that has the
// same input for its partition, and only there.
func TestAReceiptOutlivesTheVersionThatItReadWhereItsInputStays(t *testing.T) {
	c := newChain(t, objstore.NewMemory(), "new")
	daily, hourly := c.tasks[1], c.tasks[2]
	for n := range 3 {
		c.landIn("orders", []sale{{day(1 + n), "1", "shop0", 5}})
		if _, err := c.settle(); err != nil {
			t.Fatal(err)
		}
	}
	c.sweep()
	c.prove(daily)

	c.landIn("payments", []sale{{day(2), "2", "shop0", 3}})
	c.run(hourly, backfill(day(1), day(4)))
	c.sweep()
	published, err := daily.Published(t.Context(), nil, (*manifests.Snapshot).Receipts)
	if err != nil {
		t.Fatal(err)
	}
	found, err := daily.Verify(t.Context(), published, runner.VerifyOptions{Parallel: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []runner.Finding{runner.Reproduced, runner.NotRecomputable, runner.Reproduced} {
		if found[i].Finding != want {
			t.Errorf("partition %s is %s, want %s: %v %s", found[i].Partition, found[i].Finding, want, found[i].Differences, found[i].Unproved)
		}
	}
}

// Rows that land between the survey of a job of several inputs and the expiry stay until the
// job has read them, with what else their partitions are made of.
func TestRowsThatLandWhileTheirJobIsSurveyedStay(t *testing.T) {
	memory := objstore.NewMemory()
	var other *chain
	var meanwhile []sale
	store := objstore.NewFault(memory, func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpCreate && strings.HasPrefix(key, "landing/orders/log/") && meanwhile != nil {
			rows := meanwhile
			meanwhile = nil
			for _, row := range rows {
				other.landIn("orders", []sale{row})
			}
		}
		return objstore.Pass
	})
	c := newChain(t, store, "new")
	other = newChain(t, memory, "new")
	for n := range 3 {
		c.landIn("orders", []sale{{day(1 + n), "1", "shop0", 5}})
	}
	c.landIn("payments", []sale{{day(1), "2", "shop0", 3}})
	if _, err := c.settle(); err != nil {
		t.Fatal(err)
	}
	meanwhile = []sale{{day(2), "3", "shop0", 7}, {day(4), "4", "shop0", 7}, {day(5), "5", "shop0", 7}}
	e, err := runner.ExpireRaw(t.Context(), c.streams["orders"], landing.Retain{Age: time.Hour}, over(), c.tasks)
	if err != nil {
		t.Fatal(err)
	}
	if meanwhile != nil || e.To != 1 || e.Needed.From != 1 || e.Job != "hourly" || e.Needed.For.String() != "2026-03-02T00" || e.Needed.Reason() != "is stale" {
		t.Fatalf("rows below %d expired, what is needed is %+v; the first row of what landed meanwhile joins that at 1", e.To, e.Needed)
	}
	if _, err := c.settle(); err != nil {
		t.Fatal(err)
	}
	plan, err := c.tasks[2].Survey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range plan.Tasks {
		if s.State != window.Fresh {
			t.Errorf("partition %s is %s", s, s.State)
		}
	}
}
