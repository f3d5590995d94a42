package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// What a cluster says of slices does not make done what the table lacks. Of what is computed
// again the table does not tell.
func TestARequestHasEndedAsTheTableSays(t *testing.T) {
	says := func(state engines.State) *observed {
		return &observed{Observation: engines.Observation{State: state, Succeeded: 2, Message: map[bool]string{true: "why"}[state != engines.Done]}}
	}
	gone := says(engines.Cancelled)
	gone.gone = true
	for _, c := range []struct {
		name   string
		states []plans.State
		seen   *observed
		want   string // the start of the reason, "done", or "goes on"
	}{
		{"all is there", []plans.State{plans.Done, plans.Done}, nil, "done"},
		{"all is there, and its Job failed", []plans.State{plans.Done, plans.Done}, says(engines.Failed), "done"},
		{"nobody can be asked", []plans.State{plans.Done, plans.Left}, nil, "goes on"},
		{"it runs", []plans.State{plans.Done, plans.Left}, says(engines.Running), "goes on"},
		{"its pods are ending", []plans.State{plans.Done, plans.Left}, says(engines.Cancelled), "goes on"},
		{"it is gone", []plans.State{plans.Done, plans.Left}, gone, "why"},
		{"it failed", []plans.State{plans.Done, plans.Left}, says(engines.Failed), "why"},
		{"said to be done", []plans.State{plans.Done, plans.Left}, says(engines.Done), "its engine says that it is done, and 1 of 2 partitions are not published"},
		{"said to be done, of which nothing is there", []plans.State{plans.Left, plans.Left}, says(engines.Done), "its engine says that it is done, and 2 of 2"},
		{"said to be done, and it failed since", []plans.State{plans.Done, plans.Failed}, says(engines.Done), "its engine says that it is done, and 1 of 2"},
		{"computed again", []plans.State{plans.Untold, plans.Untold}, says(engines.Done), "done"},
		{"computed again, with what was missing", []plans.State{plans.Untold, plans.Done}, says(engines.Done), "done"},
		{"computed again, without what was missing", []plans.State{plans.Untold, plans.Left}, says(engines.Done), "its engine says that it is done, and 1 of 2"},
	} {
		n := plans.Progress{States: c.states, Count: map[plans.State]int{}}
		for _, s := range c.states {
			n.Count[s]++
		}
		got, state := "goes on", requests.Running
		if end := outcomeOf(n, 2, c.seen); end != nil {
			r := (&requests.Request{Submission: requests.Submission{Slices: 2}}).As(*end)
			if got, state = end.Reason, r.State(); got == "" {
				got = "done"
			}
		}
		want := map[string]requests.RequestState{"goes on": requests.Running, "done": requests.Done}[c.want]
		if want == "" {
			want = requests.Broken
		}
		if !strings.HasPrefix(got, c.want) || state != want {
			t.Errorf("%s: got %s, %q, want %s, %q", c.name, state, got, want, c.want)
		}
	}
}

// withError is an engine that answers so.
type withError struct {
	engines.Engine
	err error
}

func (e withError) Observe(context.Context, plans.ID) (engines.Observation, error) {
	return engines.Observation{}, e.err
}

// Where another has the place of a plan, the Job of the plan is gone. That an engine can't be
// asked says nothing.
func TestAJobIsGoneWhereAnotherHasItsPlace(t *testing.T) {
	for err, gone := range map[error]bool{engines.ErrOther: true, engines.ErrUnknown: true, errors.New("away"): false} {
		seen, got := observe(t.Context(), withError{err: fmt.Errorf("job x: %w", err)}, plans.ID{})
		if seen.gone != gone || got == nil != gone || gone && seen.Message == "" {
			t.Errorf("%v: got %+v, %v", err, seen, got)
		}
	}
}

// Lakes that are copies of each other, at two endpoints, are two in a cluster, wherever it
// is said where they are.
func TestACopyOfALakeIsAnother(t *testing.T) {
	place := func(s3 string) string {
		t.Helper()
		file := filepath.Join(t.TempDir(), "strandline.yaml")
		if err := os.WriteFile(file, []byte("lake: s3://tide/lake\nstreams: {events: {format: ndjson, event_time: {column: at, unit: ms}, columns: {id: BIGINT}}}\n"+s3), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := (&app{configPath: file, env: os.LookupEnv}).readLake(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		return l.place()
	}
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		t.Setenv(name, "x")
	}
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ENDPOINT_URL", "")
	t.Setenv("AWS_ENDPOINT_URL_S3", "")
	if got := place(""); got != "s3://tide/lake" {
		t.Errorf("at AWS: got %s", got)
	}
	if got := place("s3: {endpoint: 'http://a:9000/'}"); got != "s3://tide/lake at http://a:9000" {
		t.Errorf("by the configuration: got %s", got)
	}
	t.Setenv("AWS_ENDPOINT_URL", "http://b:9000/")
	if got := place(""); got != "s3://tide/lake at http://b:9000" {
		t.Errorf("by the environment: got %s", got)
	}
}
