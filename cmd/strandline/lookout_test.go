package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
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
		if got := outcomeOf(n, 3, &seen); got == nil || !reflect.DeepEqual(*got, c.want) {
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
	for err, gone := range map[error]bool{engines.ErrOther: true, engines.ErrUnknown: true, engines.ErrUnclear: false, errors.New("away"): false} {
		seen, got := observe(t.Context(), withError{err: fmt.Errorf("job x: %w", err)}, &requests.Request{})
		if seen.gone != gone || got == nil != gone || gone && seen.Message == "" {
			t.Errorf("%v: got %+v, %v", err, seen, got)
		}
	}
}

// answering is an engine that gives its answers one after another, and the last one for ever.
type answering struct {
	engines.Engine
	answers []any // an error, or the name of its work
}

func (e *answering) Observe(context.Context, plans.ID) (engines.Observation, error) {
	answer := e.answers[0]
	if len(e.answers) > 1 {
		e.answers = e.answers[1:]
	}
	if err, is := answer.(error); is {
		return engines.Observation{}, err
	}
	return engines.Observation{State: engines.Failed, Message: "why", Work: answer.(string)}, nil
}

// Where the work of a request is written down, an answer that is not of it ends nothing, however often it is given, and
// that there is none counts once it was said twice. Where it is not, as by an older program, any answer counts.
func TestWhatIsNotOfTheWorkThatIsWrittenDownEndsNothing(t *testing.T) {
	gone, other := engines.ErrUnknown, engines.ErrOther
	for _, c := range []struct {
		name    string
		work    string
		answers []any
		want    string // "goes on", "is told", or that it ends by "why" or "gone"
	}{
		{"its end", "a", []any{"a"}, "why"},
		{"the end of another", "a", []any{"b"}, "is told"},
		{"the end of another, and then its own", "a", []any{"b", "a"}, "why"},
		{"one that is of another plan", "a", []any{other}, "is told"},
		{"one that is of another plan, and then its own", "a", []any{other, "a"}, "why"},
		{"none", "a", []any{gone}, "gone"},
		{"none, and then its own", "a", []any{gone, "a"}, "why"},
		{"none, and then another", "a", []any{gone, "b"}, "is told"},
		{"another, and then none", "a", []any{"b", gone}, "is told"},
		{"none, and then no answer", "a", []any{gone, errors.New("away")}, "goes on"},
		{"not written down, and one of another plan", "", []any{other}, "gone"},
		{"not written down, and none", "", []any{gone}, "gone"},
		{"not written down, and the end of any", "", []any{"b"}, "why"},
	} {
		r := &requests.Request{Submission: requests.Submission{On: onKubernetes, Slices: 1, Work: c.work}, Run: []byte(".")}
		seen, err := observe(t.Context(), &answering{answers: c.answers}, r)
		got := "goes on"
		if err == nil {
			f := requestFact{Request: "0123456789abcdef", State: requests.Running}
			end := outcomeOf(plans.Progress{States: []plans.State{plans.Left}}, 1, &seen)
			switch {
			case end != nil && seen.gone:
				got = "gone"
			case end != nil:
				got = end.Reason
			case f.differs(&seen) != "":
				got = "is told"
			}
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s: %+v, %v", c.name, got, c.want, seen, err)
		}
	}
	ended := &requests.Request{Submission: requests.Submission{Work: "a"}, Stop: &requests.Stop{State: requests.Broken}}
	if seen, err := observe(t.Context(), &answering{answers: []any{"b"}}, ended); err != nil || seen.odd != nil {
		t.Errorf("of one that has ended what is there is told as it is: %+v, %v", seen, err)
	}
}

// Lakes that are copies of each other, at two endpoints, have Jobs of two names, wherever it
// is said where they are.
func TestACopyOfALakeHasJobsOfItsOwn(t *testing.T) {
	asked := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	_, file := clusterAt(t, server.URL)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// path is that of the Job, where configuration and environment name endpoints.
	path := func(endpoint, env string) string {
		t.Helper()
		t.Setenv("AWS_ENDPOINT_URL", env)
		lake := "lake: s3://tide/lake\ns3: {endpoint: '" + endpoint + "'}"
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), "lake: ./lake", lake, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := (&app{configPath: file, env: os.LookupEnv}).readLake(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		engine, err := l.engineOn(onKubernetes)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = engine.Observe(t.Context(), plans.ID{}) // of which nothing is known
		return <-asked
	}
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"} {
		t.Setenv(name, "x")
	}
	t.Setenv("AWS_ENDPOINT_URL_S3", "")
	a, b, amazons := path("http://a:9000", ""), path("http://b:9000", ""), path("", "")
	if a == b || a == amazons || b == amazons || !strings.Contains(a, "/jobs/strandline-") {
		t.Errorf("the Jobs are %s, %s and %s", a, b, amazons)
	}
	for _, same := range []string{path("http://a:9000/", ""), path("", "http://a:9000"), path("http://a:9000", "http://b:9000")} {
		if same != a {
			t.Errorf("of one endpoint the Jobs are %s and %s", a, same)
		}
	}
}
