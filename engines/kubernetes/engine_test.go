package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/engines"
	"strandline/internal/digest"
	"strandline/internal/kubeapi"
	"strandline/plans"
)

var plan = plans.ID{Hash: digest.OfBytes([]byte("a plan"))}

// cluster is an API that keeps one Job and answers as the script says: what an
// answer is, and whether it arrives. The real API is asked in the tests of package kube.
type cluster struct {
	job     *batchJob
	made    int
	removed int
	patched int
	fails   map[string][]error // by verb, what the next requests meet
	pods    map[string]podList // by phase
	others  map[string]error   // by kind and name, what getting an object other than the Job meets
	warns   eventList
}

func (c *cluster) Do(_ context.Context, r kubeapi.Request, out any) error {
	if next := c.fails[r.Verb]; len(next) > 0 {
		c.fails[r.Verb] = next[1:]
		if next[0] != nil {
			return next[0]
		}
	}
	switch r.Verb {
	case "create":
		return c.create(r, out)
	case "get":
		if r.Kind != "Job" {
			return c.others[r.Kind+" "+r.Name]
		}
		if c.job == nil {
			return kubeapi.ErrNotFound
		}
		return copyInto(c.job, out)
	case "delete":
		return c.remove(r)
	case "patch":
		return c.patch(r)
	case "list":
		return copyInto(c.listed(r), out)
	}
	return nil
}

func (c *cluster) listed(r kubeapi.Request) any {
	if r.Kind == "Event" {
		return c.warns
	}
	return c.pods[strings.TrimPrefix(r.Query.Get("fieldSelector"), "status.phase=")]
}

func (c *cluster) create(r kubeapi.Request, out any) error {
	if c.job != nil {
		return kubeapi.ErrExists
	}
	if r.Query.Get("dryRun") != "" {
		return nil
	}
	c.made++
	c.job = &batchJob{}
	err := copyInto(r.Body, c.job)
	c.job.Metadata.UID = fmt.Sprint("uid-", c.made)
	return errors.Join(err, copyInto(c.job, out))
}

func (c *cluster) remove(r kubeapi.Request) error {
	if c.job == nil {
		return kubeapi.ErrNotFound
	}
	if uid := r.Body.(object)["preconditions"].(object)["uid"]; uid != c.job.Metadata.UID {
		return kubeapi.ErrConflict
	}
	c.job, c.removed = nil, c.removed+1
	return nil
}

func (c *cluster) patch(r kubeapi.Request) error {
	if c.job == nil {
		return kubeapi.ErrNotFound
	}
	if uid := r.Body.(object)["metadata"].(object)["uid"]; uid != c.job.Metadata.UID {
		return kubeapi.ErrInvalid
	}
	c.patched++
	return copyInto(r.Body, c.job)
}

func copyInto(from, to any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}

func engineOn(c *cluster) *Engine {
	e := New(Options{API: c, Config: Config{Image: "x", ConfigMap: "strandline"}, Namespace: "here", Lake: "s3://tide"})
	e.pause = func(context.Context, time.Duration) error { return nil }
	return e
}

// jobOfThePlan is one that engineOn knows for its own.
func jobOfThePlan() *batchJob {
	job := &batchJob{}
	job.Spec.Completions = 6
	job.Metadata.Annotations = map[string]string{annotationPlan: plan.String(), annotationLake: "s3://tide"}
	return job
}

var two = engines.Ref{Plan: plan, Slices: 2}

// submitted is the error of a submit alone.
func submitted(t *testing.T, e *Engine, ref engines.Ref, o engines.Options) error {
	_, err := e.Submit(t.Context(), ref, o)
	return err
}

func TestSubmittingTwiceIsOneJob(t *testing.T) {
	c := &cluster{}
	for range 2 {
		if _, err := engineOn(c).Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if c.made != 1 || c.removed != 0 {
		t.Errorf("made %d, removed %d", c.made, c.removed)
	}
}

// The work of a plan is called by the uid of its Job, whoever made that: the same again is the same, and what comes in its
// place is another.
func TestWorkIsCalledByTheUIDOfItsJob(t *testing.T) {
	c := &cluster{}
	e := engineOn(c)
	for _, step := range []struct {
		before func()
		want   string
	}{
		{func() {}, "uid-1"},
		{func() {}, "uid-1"},
		{func() { c.job.Status.Conditions = []condition{{Type: "Failed", Status: "True"}} }, "uid-2"},
		{func() { c.job = nil }, "uid-3"},
		{func() { // its answer is lost, and it is asked again
			c.job = nil
			e.api = apiFunc(func(ctx context.Context, r kubeapi.Request, out any) error {
				err := c.Do(ctx, r, out)
				if err == nil && r.Verb == "create" && r.Query.Get("dryRun") == "" {
					err = kubeapi.ErrExists
				}
				return err
			})
		}, "uid-4"},
	} {
		step.before()
		work, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1})
		seen, observed := e.Observe(t.Context(), plan)
		if err := errors.Join(err, observed); err != nil || work != step.want || seen.Work != step.want {
			t.Errorf("it is %q, and observed as %q, want %q: %v", work, seen.Work, step.want, err)
		}
	}
}

// The Job was made, and who asked was never told, or somebody else was first:
// the second try finds it there.
func TestAJobThatIsThereAlreadyIsOurs(t *testing.T) {
	c := &cluster{}
	if _, err := engineOn(c).Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
		t.Fatal(err)
	}
	there := c.job
	c = &cluster{fails: map[string][]error{"create": {nil, kubeapi.ErrExists}}, job: nil}
	e := engineOn(c)
	e.api = apiFunc(func(ctx context.Context, r kubeapi.Request, out any) error {
		err := c.Do(ctx, r, out)
		if errors.Is(err, kubeapi.ErrExists) {
			c.job = there
		}
		return err
	})
	if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
		t.Fatal(err)
	}
}

// With Anew a complete Job makes room, of which the same again is nothing; one that lives stays.
func TestACompleteJobMakesRoomForOneAnew(t *testing.T) {
	c := &cluster{}
	e := engineOn(c)
	for i, o := range []engines.Options{{Parallel: 1}, {Parallel: 1, Anew: true}, {Parallel: 1, Anew: true}} {
		if err := errors.Join(e.Ready(t.Context(), two, o), submitted(t, e, two, o)); err != nil {
			t.Fatal(err)
		}
		if want := []int{1, 2, 3}[i]; c.made != want || c.removed != want-1 {
			t.Errorf("made %d, removed %d, want %d", c.made, c.removed, want)
		}
		if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1, Anew: true}); err != nil || c.removed != i {
			t.Errorf("one that lives: %v, removed %d", err, c.removed)
		}
		c.job.Status.Conditions = []condition{{Type: "Complete", Status: "True"}}
		if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil || c.removed != i {
			t.Errorf("one that is complete: %v, removed %d", err, c.removed)
		}
	}
}

// Another has replaced the Job meanwhile, and this one goes by what stands now.
func TestAJobThatWasReplacedMeanwhileStays(t *testing.T) {
	c := &cluster{}
	e := engineOn(c)
	o := engines.Options{Parallel: 1, Anew: true}
	if _, err := e.Submit(t.Context(), two, o); err != nil {
		t.Fatal(err)
	}
	c.job.Status.Conditions = []condition{{Type: "Complete", Status: "True"}}
	c.fails = map[string][]error{"delete": {kubeapi.ErrConflict}}
	e.pause = func(context.Context, time.Duration) error {
		c.job.Status.Conditions = nil // it is another
		return nil
	}
	if _, err := e.Submit(t.Context(), two, o); err != nil || c.removed != 0 || c.made != 1 {
		t.Errorf("%v, removed %d, made %d", err, c.removed, c.made)
	}
}

// Ready asks for all that Submit would be refused for, and makes nothing.
func TestReadyMakesNothing(t *testing.T) {
	c := &cluster{}
	e := engineOn(c)
	if err := e.Ready(t.Context(), two, engines.Options{Parallel: 1}); err != nil || c.made != 0 {
		t.Errorf("%v, made %d", err, c.made)
	}
	for _, want := range []error{kubeapi.ErrInvalid, kubeapi.ErrForbidden, kubeapi.ErrUnreachable, kubeapi.ErrAnswer} {
		c.fails = map[string][]error{"create": {want}}
		if err := e.Ready(t.Context(), two, engines.Options{Parallel: 1}); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	if err := e.Ready(t.Context(), engines.Ref{Plan: plan}, engines.Options{Parallel: 1}); err == nil {
		t.Error("no slices were taken")
	}
	if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
		t.Fatal(err)
	}
	if err := e.Ready(t.Context(), engines.Ref{Plan: plan, Slices: 3}, engines.Options{Parallel: 1}); !errors.Is(err, engines.ErrDiffers) {
		t.Errorf("other slices: got %v", err)
	}
	c.job.Metadata.Annotations[annotationPlan] = "other"
	if err := e.Ready(t.Context(), two, engines.Options{Parallel: 1}); !errors.Is(err, engines.ErrOther) {
		t.Errorf("the Job of another: got %v", err)
	}
}

type apiFunc func(context.Context, kubeapi.Request, any) error

func (f apiFunc) Do(ctx context.Context, r kubeapi.Request, out any) error { return f(ctx, r, out) }

func TestTheJobOfAnotherIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*batchJob){
		"plan": func(j *batchJob) { j.Metadata.Annotations[annotationPlan] = "other" },
		"lake": func(j *batchJob) { j.Metadata.Annotations[annotationLake] = "s3://other" },
	} {
		c := &cluster{}
		if _, err := engineOn(c).Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
			t.Fatal(err)
		}
		spoil(c.job)
		if _, err := engineOn(c).Submit(t.Context(), two, engines.Options{Parallel: 1}); !errors.Is(err, engines.ErrOther) {
			t.Errorf("%s: submit: got %v", name, err)
		}
		for verb, err := range steer(t, engineOn(c)) {
			if !errors.Is(err, engines.ErrOther) || c.removed+c.patched > 0 {
				t.Errorf("%s: %s: got %v, removed %d, patched %d", name, verb, err, c.removed, c.patched)
			}
		}
	}
}

// A Job that tells nothing of its plan is not known to be that of another, and is left alone.
func TestAJobThatTellsNoPlanIsUnclear(t *testing.T) {
	c := &cluster{}
	if _, err := engineOn(c).Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
		t.Fatal(err)
	}
	c.job.Metadata.Annotations = nil
	all := steer(t, engineOn(c))
	all["submit"] = submitted(t, engineOn(c), two, engines.Options{Parallel: 1})
	for verb, err := range all {
		if !errors.Is(err, engines.ErrUnclear) || errors.Is(err, engines.ErrOther) || c.removed+c.patched > 0 {
			t.Errorf("%s: got %v, removed %d, patched %d", verb, err, c.removed, c.patched)
		}
	}
}

// steer does all to the Job of the plan that may be done to one that is there.
func steer(t *testing.T, e *Engine) map[string]error {
	t.Helper()
	_, observed := e.Observe(t.Context(), plan)
	return map[string]error{
		"observe": observed,
		"resize":  e.Resize(t.Context(), plan, 7), "pause": e.Pause(t.Context(), plan),
		"resume": e.Resume(t.Context(), plan), "cancel": e.Cancel(t.Context(), plan),
	}
}

// Between the look at a Job and its change another takes its place: one of the plan is changed
// in its turn, and anything else is left alone.
func TestAJobIsChangedAsItWasSeen(t *testing.T) {
	for verb, change := range map[string]func(*Engine) error{
		"resize": func(e *Engine) error { return e.Resize(t.Context(), plan, 7) },
		"pause":  func(e *Engine) error { return e.Pause(t.Context(), plan) },
		"resume": func(e *Engine) error { return e.Resume(t.Context(), plan) },
		"cancel": func(e *Engine) error { return e.Cancel(t.Context(), plan) },
	} {
		for _, foreign := range []bool{true, false} {
			c := &cluster{}
			e := engineOn(c)
			if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
				t.Fatal(err)
			}
			e.api = apiFunc(func(ctx context.Context, r kubeapi.Request, out any) error {
				if r.Verb != "get" && c.job.Metadata.UID != "another" {
					c.job.Metadata.UID = "another"
					if foreign {
						c.job.Metadata.Annotations[annotationPlan] = "other"
					}
				}
				return c.Do(ctx, r, out)
			})
			err := change(e)
			if done := c.removed+c.patched == 1; done == foreign || errors.Is(err, engines.ErrOther) != foreign || err != nil != foreign {
				t.Errorf("%s, of another %v: got %v, removed %d, patched %d", verb, foreign, err, c.removed, c.patched)
			}
		}
	}
}

// What the cluster does not take of a Job that is what it was is told, and not asked again.
func TestAChangeThatIsNotTakenIsToldOf(t *testing.T) {
	c := &cluster{}
	e := engineOn(c)
	if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
		t.Fatal(err)
	}
	e.api = apiFunc(func(ctx context.Context, r kubeapi.Request, out any) error {
		if r.Verb == "patch" {
			return kubeapi.ErrInvalid
		}
		return c.Do(ctx, r, out)
	})
	if err := e.Resize(t.Context(), plan, 7); !errors.Is(err, kubeapi.ErrInvalid) || c.patched > 0 {
		t.Errorf("got %v, patched %d", err, c.patched)
	}
}

// A Job that failed can do no more, so asking again makes a new one; so does
// asking while an earlier one is being cancelled, once that is gone.
func TestAFailedJobMakesRoom(t *testing.T) {
	for name, spoil := range map[string]func(*batchJob){
		"failed":   func(j *batchJob) { j.Status.Conditions = []condition{{Type: "Failed", Status: "True"}} },
		"deleting": func(j *batchJob) { j.Metadata.Deletion = new("2026-01-01T00:00:00Z") },
	} {
		c := &cluster{}
		e := engineOn(c)
		if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
			t.Fatal(err)
		}
		spoil(c.job)
		e.pause = func(context.Context, time.Duration) error {
			c.job = nil
			return nil
		}
		if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil || c.made != 2 {
			t.Errorf("%s: %v, made %d", name, err, c.made)
		}
	}
}

func TestTheSamePlanInOtherSlicesIsRefused(t *testing.T) {
	c := &cluster{}
	e := engineOn(c)
	if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Submit(t.Context(), engines.Ref{Plan: plan, Slices: 3}, engines.Options{Parallel: 1}); !errors.Is(err, engines.ErrDiffers) {
		t.Errorf("got %v", err)
	}
}

func TestAPlanThatTheClusterDoesNotKnow(t *testing.T) {
	e := engineOn(&cluster{})
	for act, err := range steer(t, e) {
		if !errors.Is(err, engines.ErrUnknown) {
			t.Errorf("%s: got %v", act, err)
		}
	}
}

func TestAJobWhosePodsDoNotEndIsToldOf(t *testing.T) {
	c := &cluster{}
	e := engineOn(c)
	if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
		t.Fatal(err)
	}
	c.job.Metadata.Deletion = new("2026-01-01T00:00:00Z")
	if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err == nil || !strings.Contains(err.Error(), "still has pods") {
		t.Errorf("got %v", err)
	}
}

func TestNamesFitWhatAClusterAllows(t *testing.T) {
	name := jobName(plan, "s3://tide")
	if pod := name + "-99999-abcde"; len(pod) > 63 {
		t.Errorf("a pod's name would have %d characters", len(pod))
	}
	if name == jobName(plan, "s3://other") {
		t.Error("two lakes share a name")
	}
}

func TestIndexesAreRead(t *testing.T) {
	for list, want := range map[string][]int{"": nil, "7": {7}, "1,3-5,7": {1, 3, 4, 5, 7}, "5-3": nil, "x,1-y,2": {2}, "8-9,100": {8, 9}} {
		if got := indexes(list, 100); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", list, got, want)
		}
	}
}

func TestWhatAJobSaysOfItself(t *testing.T) {
	condition := func(kind, text string) []condition {
		return []condition{{Type: kind, Status: "True", Reason: "R", Message: text}}
	}
	for want, spoil := range map[engines.State]func(*batchJob){
		engines.Running:   func(*batchJob) {},
		engines.Done:      func(j *batchJob) { j.Status.Conditions = condition("Complete", "") },
		engines.Failed:    func(j *batchJob) { j.Status.Conditions = condition("Failed", "why") },
		engines.Paused:    func(j *batchJob) { j.Spec.Suspend = true },
		engines.Cancelled: func(j *batchJob) { j.Metadata.Deletion = new("x") },
	} {
		job := jobOfThePlan()
		job.Status.Active, job.Status.Succeeded, job.Status.FailedIndexes = 1, 2, "0-2"
		spoil(job)
		o, err := engineOn(&cluster{job: job}).Observe(t.Context(), plan)
		if err != nil || o.State != want || o.Active != 1 || o.Succeeded != 2 || o.Failed != 3 {
			t.Errorf("%s: got %+v, %v", want, o, err)
		}
		if said := map[engines.State]string{engines.Failed: "R: why", engines.Cancelled: "being deleted"}[want]; !strings.Contains(o.Message, said) {
			t.Errorf("%s: got message %q", want, o.Message)
		}
	}
}

func TestWhyPodsDoNotStart(t *testing.T) {
	for want, text := range map[string]string{
		"pod p: Unschedulable: no room":      `{"metadata":{"name":"p"},"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"no room"}]}}`,
		"pod p: ErrImagePull: no such image": `{"metadata":{"name":"p"},"status":{"containerStatuses":[{"state":{"waiting":{"reason":"ErrImagePull","message":"no such image"}}}]}}`,
		"":                                   `{"metadata":{"name":"p"},"status":{"containerStatuses":[{"state":{"waiting":{"reason":"ContainerCreating"}}}]}}`,
		"no way (pod p ended with 3)":        `{"metadata":{"name":"p"},"status":{"containerStatuses":[{"state":{"terminated":{"exitCode":3,"message":"a\nstrandline: no way\n"}}}]}}`,
		"job j: no way (pod p ended with 1)": `{"metadata":{"name":"p"},"status":{"containerStatuses":[{"state":{"terminated":{"exitCode":1,"message":"a\nstrandline: job j: no way\nLINE 1: SELECT\n          ^\n"}}}]}}`,
	} {
		var pods podList
		if err := json.Unmarshal([]byte(`{"items":[`+text+`]}`), &pods); err != nil {
			t.Fatal(err)
		}
		if got := pods.complaint(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What a person may add is added, and never lost or put in place of ours.
func TestMapsAreMergedAndListsJoined(t *testing.T) {
	e := engineOn(&cluster{})
	e.config.RunAsUser, e.config.ImagePullPolicy, e.config.Resources = 7, "Never", object{"limits": object{"cpu": 3}}
	e.config.Pod = object{"nodeSelector": object{"disk": "ssd"}, "volumes": []any{object{"name": "data"}}, "securityContext": object{"fsGroup": 1}}
	e.config.Container = object{"volumeMounts": []any{object{"name": "data", "mountPath": "/data"}}}
	data, err := json.Marshal(e.podSpec(two, engines.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"nodeSelector":{"disk":"ssd"}`, `{"name":"data"}`, `{"configMap":{"name":"strandline"},"name":"strandline-config"}`,
		`"fsGroup":1`, `"runAsUser":7`, `"imagePullPolicy":"Never"`, `"--parallel","3"`, `"runAsNonRoot":true`, `{"mountPath":"/data","name":"data"}`, `{"mountPath":"/tmp","name":"strandline-scratch"}`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %s", want, data)
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for want, err := range map[string]error{
		"deploy/kubernetes-job/role.yaml": kubeapi.ErrForbidden, "kubernetes in strandline.yaml": kubeapi.ErrInvalid, "safe to do again": kubeapi.ErrUnreachable, "HTTPS_PROXY": kubeapi.ErrAnswer,
	} {
		c := &cluster{fails: map[string][]error{"create": {err}}}
		if got := submitted(t, engineOn(c), two, engines.Options{Parallel: 1}); !errors.Is(got, err) || !strings.Contains(got.Error(), want) {
			t.Errorf("got %v\nwant %s", got, want)
		}
	}
}
