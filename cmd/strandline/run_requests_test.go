package main

import (
	"testing"
	"time"

	"strandline/requests"
	"strandline/runner"
)

// A process whose stream has all slots leaves slices to others.
func TestRunClaimsWhatItsStreamLeavesItSlotsFor(t *testing.T) {
	gate := runner.NewGate(2, 1, time.Now)
	o, err := newWorking(&lake{}, nil, 2, gate.Backfill()).options(requests.WorkerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := o.Room(); n != 1 {
		t.Errorf("there is room for %d slices, and its share is 1", n)
	}
	for range 2 {
		if _, err := gate.Stream().Take(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := o.Room(); n != 0 {
		t.Errorf("there is room for %d slices, and the stream has all slots", n)
	}
}
