package kubernetes

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"strandline/engines"
	"strandline/internal/kubeapi"
)

// What pods are made of is asked for before a Job is made. What the account may not read is
// taken to be there.
func TestWhatPodsAreMadeOfIsAskedFor(t *testing.T) {
	for _, what := range []string{"ConfigMap strandline", "ServiceAccount worker", "Secret keys"} {
		c := &cluster{others: map[string]error{what: kubeapi.ErrNotFound}}
		e := engineOn(c)
		e.config.ServiceAccount, e.config.Secrets = "worker", []string{"keys"}
		for _, err := range []error{e.Ready(t.Context(), two, engines.Options{Parallel: 1}), submitted(t, e, two, engines.Options{Parallel: 1})} {
			if !errors.Is(err, ErrLacking) || !strings.Contains(err.Error(), "namespace here has no "+what) || c.made > 0 {
				t.Errorf("%s: got %v, made %d", what, err, c.made)
			}
		}
		c.others[what] = kubeapi.ErrForbidden
		if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil || c.made != 1 {
			t.Errorf("%s may not be read: got %v, made %d", what, err, c.made)
		}
		c.others[what] = kubeapi.ErrNotFound
		if err := e.Ready(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
			t.Errorf("%s: of a Job that stays: got %v", what, err)
		}
	}
}

// What pods wait for is told: by an event where the pod does not say it, or where there is none.
func TestWhatPodsWaitForIsTold(t *testing.T) {
	creating := podList{}
	if err := json.Unmarshal([]byte(`{"items":[{"metadata":{"name":"p"}}]}`), &creating); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]*cluster{
		"pod p: FailedMount: no such thing":                {job: jobOfThePlan(), pods: map[string]podList{"Pending": creating}},
		"no pod could be made: FailedMount: no such thing": {job: jobOfThePlan()},
	} {
		c.warns = eventList{Items: []reason{{Reason: "Old"}, {Reason: "FailedMount", Message: "no such thing"}}}
		if o, err := engineOn(c).Observe(t.Context(), plan); err != nil || o.Message != want {
			t.Errorf("got %q, %v\nwant %q", o.Message, err, want)
		}
	}
}

// Pods that ended before any slice succeeded are told of while they are tried again.
func TestPodsThatEndAtOnceAreToldOf(t *testing.T) {
	var failed podList
	c := &cluster{job: jobOfThePlan(), pods: map[string]podList{}}
	c.job.Status.Failed = 1
	text := `{"items":[{"metadata":{"name":"p"},"status":{"containerStatuses":[{"state":{"terminated":{"exitCode":128,"message":"no such program"}}}]}}]}`
	if err := json.Unmarshal([]byte(text), &failed); err != nil {
		t.Fatal(err)
	}
	c.pods["Failed"] = failed
	if o, err := engineOn(c).Observe(t.Context(), plan); err != nil || o.Message != "pod p ended with 128: no such program" {
		t.Errorf("got %q, %v", o.Message, err)
	}
	c.job.Status.Succeeded = 1
	if o, err := engineOn(c).Observe(t.Context(), plan); err != nil || strings.Contains(o.Message, "ended with") {
		t.Errorf("with a slice that succeeded: got %q, %v", o.Message, err)
	}
}

// Why a pod ended the Job is told before what the Job says of that, since a list shows the beginning alone.
func TestWhatEndedAJobIsToldFirst(t *testing.T) {
	var failed podList
	text := `{"items":[{"metadata":{"name":"p"},"status":{"containerStatuses":[{"state":{"terminated":{"exitCode":4,"message":"strandline: plan x: too many partitions failed"}}}]}}]}`
	if err := json.Unmarshal([]byte(text), &failed); err != nil {
		t.Fatal(err)
	}
	c := &cluster{job: jobOfThePlan(), pods: map[string]podList{"Failed": failed}}
	c.job.Status.Conditions = []condition{{Type: "Failed", Status: "True", Reason: "PodFailurePolicy", Message: "Container work failed"}}
	want := "plan x: too many partitions failed (pod p ended with 4); PodFailurePolicy: Container work failed"
	if o, err := engineOn(c).Observe(t.Context(), plan); err != nil || o.Message != want {
		t.Errorf("got %q, %v\nwant %q", o.Message, err, want)
	}
}
