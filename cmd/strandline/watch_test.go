package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// Who waits for a backfill sees what failed, and why, when it is known; and so how many have failed, once each, also of
// what is told of only with all the others.
func TestWhatBecameOfAPartitionIsToldAtOnce(t *testing.T) {
	var out, bar bytes.Buffer
	w := (&app{out: &out, err: io.Discard}).watch(window.Plan{Job: window.Job{Name: "sales"}}, runner.Request{Driver: manifests.DriverBackfill}, drive{})
	w.bar = &lines{w: &bar, now: func() (now time.Time) { return now }}
	w.bar.Start(2, "partitions")
	w.computed(window.Partition{}, true)
	w.done(runner.Outcome{Err: errors.New("no such shop")})
	if !strings.HasSuffix(out.String(), "failed: no such shop\n") || len(w.failed) != 1 {
		t.Errorf("%d failed; before the end it says %q", len(w.failed), out.String())
	}
	if err := w.finish(t.Context(), runner.Report{Outcomes: []runner.Outcome{{Err: errors.New("no such shop")}}}, nil); !errors.Is(err, errSomeFailed) || strings.Count(out.String(), "no such shop") != 1 {
		t.Errorf("in the end %v, and\n%s", err, out.String())
	}
	if !strings.HasPrefix(bar.String(), "partitions: 1 of 2, 1 failed") {
		t.Errorf("the progress is %s", bar.String())
	}
}
