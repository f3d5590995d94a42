package main

import (
	"testing"

	"strandline/engines"
	"strandline/plans"
	"strandline/requests"
)

// A Job that failed without a partition that did: what did not succeed was not run to its end, so
// the request has failed, and not in part. With one that failed, the other slices were run.
func TestAJobWhosePodsNeverRan(t *testing.T) {
	left, failed := map[plans.State]int{plans.Left: 6}, map[plans.State]int{plans.Left: 5, plans.Failed: 1}
	for _, c := range []struct {
		count                  map[plans.State]int
		slicesDone, slicesLost int
		want                   requests.Outcome
	}{
		{left, 0, 3, requests.Outcome{Reason: "why"}},
		{left, 1, 2, requests.Outcome{Succeeded: 1, Reason: "why"}},
		{failed, 0, 3, requests.Outcome{Failed: 3, Reason: "why"}},
		{failed, 2, 1, requests.Outcome{Succeeded: 2, Failed: 1, Reason: "why"}},
	} {
		n := plans.Progress{States: make([]plans.State, 6), Count: c.count}
		seen := observed{Observation: engines.Observation{State: engines.Failed, Succeeded: c.slicesDone, Failed: c.slicesLost, Message: "why"}}
		if got := outcomeOf(n, 3, &seen); got == nil || *got != c.want {
			t.Errorf("%d done, %d lost: got %+v, want %+v", c.slicesDone, c.slicesLost, got, c.want)
		}
	}
}
