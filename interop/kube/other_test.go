package kube

import (
	"context"
	"errors"
	"strings"
	"testing"

	"strandline/engines"
	"strandline/engines/kubernetes"
	"strandline/internal/digest"
	"strandline/internal/kubeapi"
	"strandline/plans"
)

// foreignJob makes one of the name of the plan's that is another plan's, and that runs nothing.
func (w *world) foreignJob() (made seenJob) {
	w.t.Helper()
	container := map[string]any{"name": "c", "image": "strandline"}
	err := w.ofJob("create", map[string]any{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": w.jobName(), "annotations": map[string]any{"strandline/plan-id": "another"}},
		"spec": map[string]any{"suspend": true, "parallelism": 1, "template": map[string]any{
			"spec": map[string]any{"restartPolicy": "Never", "containers": []any{container}},
		}},
	}, &made)
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// seenJob is what tells whether a Job was changed.
type seenJob struct {
	Metadata struct {
		Name       string  `json:"name"`
		UID        string  `json:"uid"`
		Generation int     `json:"generation"` // grows with each change of the spec
		Deletion   *string `json:"deletionTimestamp"`
	} `json:"metadata"`
}

func (w *world) seenJob() (seen seenJob) {
	w.t.Helper()
	if err := w.ofJob("get", nil, &seen); err != nil {
		w.t.Fatal(err)
	}
	return seen
}

// A Job that somebody made in the place of the plan's is never steered nor taken for it nor for the end of it, and
// the request can be brought back once it is gone.
func TestAJobInThePlaceOfThePlansIsLeftAlone(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 6})
	id := w.submitted("--slices", "6", "--parallel", "1")
	w.must(0, "backfill", "pause", id)
	w.await("no running pod", func(events []event) bool { return len(events) > 0 && len(running(events)) == 0 })
	w.deleted("Foreground")
	before := w.foreignJob()
	for _, args := range [][]string{{"resize", id, "--parallel", "7"}, {"pause", id}} {
		if said := w.must(1, append([]string{"backfill"}, args...)...); !strings.Contains(said, "is left as it is in the lake, since kubernetes did not do this") {
			t.Errorf("%v says\n%s", args, said)
		}
	}
	w.shown("in its place", id, "hourly  paused, ", "it is that of another", "that ends nothing")
	w.must(0, "backfill", "cancel", id)
	if said := w.must(1, "backfill", "resume", id); !strings.Contains(said, "delete it if nobody needs it") {
		t.Errorf("resume says\n%s", said)
	}
	if after := w.seenJob(); after != before {
		t.Errorf("the Job was %+v, and is %+v", before, after)
	}
	w.deleted("Background")
	w.must(0, "backfill", "resume", id)
	w.shows(id, "hourly  done, 6 of 6 partitions done")
	w.publishedOnce(0)
}

// What was rolled back before anybody looked is not done, though every pod ended well.
func TestWhatWasRolledBackUnseenIsNotDone(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 6})
	w.must(0, "backfill", "hourly", "--from", "2026-03-01T00", "--to", "2026-03-01T01")
	id := w.submitted("--slices", "5")
	w.await("all pods", allEnded(5))
	w.must(0, "rollback", "hourly", "--to", "1")
	w.shows(id, "hourly  failed, now 0 of 5 partitions done", "its engine says that it is done, and 5 of 5 partitions are not published", "kubernetes says: done")
	w.must(0, "backfill", "resume", id)
	w.shows(id, "hourly  done, 5 of 5 partitions done")
}

// What was done, and a rollback took back, is published again by resume: a new Job comes in place of the complete one.
func TestADoneRequestIsResumedAfterARollback(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 4})
	w.must(0, "backfill", "hourly", "--from", "2026-03-01T00", "--to", "2026-03-01T01")
	id := w.submitted("--slices", "3")
	w.shows(id, "hourly  done, 3 of 3 partitions done", "kubernetes says: done")
	if said := w.must(2, "backfill", "resume", id); !strings.Contains(said, "it is done") {
		t.Errorf("of what nothing is left resume says\n%s", said)
	}
	w.must(0, "rollback", "hourly", "--to", "1")
	w.must(0, "backfill", "resume", id)
	w.await("all pods again", allEnded(6))
	w.shows(id, "hourly  done, 3 of 3 partitions done")
	if said := w.must(0, "backfill", "hourly", "--missing", "--dry-run"); !strings.Contains(said, "would recompute 0 partitions") {
		t.Errorf("what is missing then:\n%s", said)
	}
}

// Who asks another namespace ends nothing of a request, and is told where it is.
func TestARequestOfAnotherNamespaceGoesOn(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 6})
	id := w.submitted("--slices", "6", "--parallel", "1")
	here, elsewhere := "namespace: "+w.namespace, "namespace: default"
	w.edit(here, elsewhere)
	for _, args := range [][]string{{"list"}, {"show", id}, {"cancel", id}, {"resume", id}} {
		said, code := w.run(append([]string{"backfill"}, args...)...)
		if isRead := len(args) == 1 || args[0] == "show"; isRead != (code == 0) || !strings.Contains(said, "is in namespace "+w.namespace+" of the cluster at ") {
			t.Errorf("%v: exit code %d:\n%s", args, code, said)
		}
	}
	w.edit(elsewhere, here)
	w.shows(id, "hourly  done, 6 of 6 partitions done")
	w.publishedOnce(0)
}

// replacing is a cluster in which, between a look at a Job and its change, another takes its name.
type replacing struct {
	*kubeapi.Client
	replace func()
}

func (r *replacing) Do(ctx context.Context, request kubeapi.Request, out any) error {
	if replace := r.replace; replace != nil && request.Verb != "get" {
		r.replace = nil
		replace()
	}
	return r.Client.Do(ctx, request, out)
}

// The API server refuses to change another Job than the one that was seen.
func TestAJobThatTakesThePlaceBeforeAChangeIsLeftAlone(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 1})
	ref := engines.Ref{Plan: plans.ID{Hash: digest.OfBytes([]byte("a plan"))}, Slices: 2}
	api := &replacing{Client: w.api()}
	e := kubernetes.New(kubernetes.Options{API: api, Lake: "s3://tide", Config: kubernetes.Config{
		Namespace: w.namespace, Image: "strandline", RunAsUser: kubernetes.DefaultRunAsUser, ConfigMap: kubernetes.DefaultConfigMap, TTL: kubernetes.DefaultTTL,
	}})
	for verb, change := range map[string]func() error{
		"resize": func() error { return e.Resize(t.Context(), ref.Plan, 7) },
		"pause":  func() error { return e.Pause(t.Context(), ref.Plan) },
		"resume": func() error { return e.Resume(t.Context(), ref.Plan) },
		"cancel": func() error { return e.Cancel(t.Context(), ref.Plan) },
	} {
		if _, err := e.Submit(t.Context(), ref, engines.Options{Parallel: 1}); err != nil {
			t.Fatal(err)
		}
		w.await("a pod", func(events []event) bool { return len(events) > 0 }) // which has the Job's name
		var before seenJob
		api.replace = func() {
			w.deleted("Background")
			before = w.foreignJob()
		}
		if err := change(); !errors.Is(err, engines.ErrOther) {
			t.Errorf("%s: got %v", verb, err)
		}
		if after := w.seenJob(); after != before {
			t.Errorf("%s: the Job was %+v, and is %+v", verb, before, after)
		}
		w.deleted("Background")
	}
}
