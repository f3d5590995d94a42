package runner_test

import (
	"testing"

	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/runner"
	"strandline/sweep"
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
