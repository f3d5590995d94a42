package kube

import (
	"bufio"
	"maps"
	"net/http"
	"strings"
	"testing"

	"strandline/internal/kubeapi"
)

// The answers of something on the way to the cluster, or of a cluster that somebody else has changed, of a Job that is well.
var oddities = map[string]oddity{
	"of another plan": func(job map[string]any) int {
		metadata(job)["annotations"] = map[string]any{"strandline/plan-id": "another"}
		return http.StatusOK
	},
	"of another that failed": func(job map[string]any) int {
		metadata(job)["uid"] = "another"
		return ends(job, "Failed")
	},
	"of another that is complete": func(job map[string]any) int {
		metadata(job)["uid"] = "another"
		return ends(job, "Complete")
	},
	"there is none": func(job map[string]any) int {
		clear(job)
		maps.Copy(job, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": http.StatusNotFound, "message": "no such Job"})
		return http.StatusNotFound
	},
}

func metadata(job map[string]any) map[string]any { return job["metadata"].(map[string]any) }

func ends(job map[string]any, as string) (code int) {
	job["status"].(map[string]any)["conditions"] = []any{map[string]any{"type": as, "status": "True", "reason": "Odd"}}
	return http.StatusOK
}

const otherwise = "kubernetes says otherwise than the lake"

// An answer that is not of the Job that was made for a request ends nothing, by whatever command, and however long it is given.
// Once is not even told. That there is no Job counts once it is said twice.
func TestAnOddAnswerEndsNoRequest(t *testing.T) {
	w, g, id := idle(t)
	for name, odd := range oddities {
		for _, args := range [][]string{{"show", id}, {"list"}} {
			g.answers(odd, 1)
			if said := w.must(0, append([]string{"backfill"}, args...)...); strings.Contains(said, "failed, ") || strings.Contains(said, otherwise) {
				t.Errorf("%s, once: %s says\n%s", name, args[0], said)
			}
			if name == "there is none" {
				continue
			}
			g.answers(odd, 100)
			if said := w.must(0, append([]string{"backfill"}, args...)...); strings.Contains(said, "failed, ") || !strings.Contains(said, otherwise) {
				t.Errorf("%s, always: %s says\n%s", name, args[0], said)
			}
		}
		g.answers(nil, 0)
		w.shown(name+", no more", id, "not hourly  failed", "kubernetes says: ", together)
	}
	w.begins()
	w.shows(id, "hourly  done, 3 of 3 partitions done")
	w.publishedOnce(0)
}

// Nor does it end following, which tells it and goes on.
func TestAnOddAnswerEndsNoFollowing(t *testing.T) {
	w, g, _ := idle(t)
	follow := w.command(on(inSlices...)...)
	said, err := follow.StderrPipe()
	if err == nil {
		err = follow.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	until := func(want string) {
		for lines.Scan() && !strings.Contains(lines.Text(), want) {
		}
	}
	until("kubernetes: running") // whose pod waits
	g.answers(oddities["of another that failed"], 100)
	until(otherwise)
	g.answers(nil, 0)
	w.begins()
	until("that it has ended")
	if err := follow.Wait(); err != nil {
		t.Error(err)
	}
	w.publishedOnce(0)
}

// That the Job is gone, by all that the cluster says, ends a request. Resumed it goes by the Job that there is then.
func TestAJobThatIsSaidToBeGoneEndsARequest(t *testing.T) {
	w, g, id := idle(t)
	g.answers(oddities["there is none"], 100)
	w.shown("gone", id, "hourly  failed, ", "it has no Job of the plan any more")
	g.answers(nil, 0)
	w.must(0, "backfill", "resume", id)
	w.shown("resumed", id, "not hourly  failed", "kubernetes says: ", together)
	g.answers(oddities["of another that failed"], 100)
	w.shown("resumed, and another", id, "not hourly  failed", otherwise)
	g.answers(nil, 0)
	w.begins()
	w.shows(id, "hourly  done, 3 of 3 partitions done")
	w.publishedOnce(0)
}

// A Job of the plan that somebody else made in place of ours is told of, and counts once a person has said so.
func TestAJobThatSomebodyElseHasMadeAgainIsTold(t *testing.T) {
	w, _, id := idle(t)
	job := w.job()
	w.kubeDeletes()
	w.remakes(job)
	w.shown("made again", id, "not hourly  failed", otherwise, "the one of this plan that it has now has uid ", "strandline backfill resume "+id[:12])
	w.must(0, "backfill", "resume", id)
	w.shown("resumed", id, "not "+otherwise, "kubernetes says: ", together)
	w.begins()
	w.shows(id, "hourly  done, 3 of 3 partitions done", "kubernetes says: done")
	w.publishedOnce(0)
}

// job is the only Job of the namespace.
func (w *world) job() map[string]any {
	w.t.Helper()
	var list struct{ Items []map[string]any }
	if err := w.api().Do(w.t.Context(), w.jobs("list"), &list); err != nil || len(list.Items) != 1 {
		w.t.Fatalf("there are %d Jobs: %v", len(list.Items), err)
	}
	return list.Items[0]
}

func (w *world) jobs(verb string) kubeapi.Request {
	return kubeapi.Request{Verb: verb, Group: "batch", Version: "v1", Resource: "jobs", Kind: "Job", Namespace: w.namespace}
}

// remakes makes a Job as one that was there.
func (w *world) remakes(job map[string]any) {
	w.t.Helper()
	was, spec := metadata(job), job["spec"].(map[string]any)
	delete(spec, "selector")
	labels := func(of map[string]any) map[string]any {
		labels := of["labels"].(map[string]any)
		maps.DeleteFunc(labels, func(name string, _ any) bool {
			return strings.HasSuffix(name, "controller-uid") || strings.HasSuffix(name, "job-name")
		})
		return labels
	}
	labels(metadata(spec["template"].(map[string]any)))
	create := w.jobs("create")
	create.Name = was["name"].(string)
	create.Body = map[string]any{
		"apiVersion": "batch/v1", "kind": "Job", "spec": spec,
		"metadata": map[string]any{"name": was["name"], "annotations": was["annotations"], "labels": labels(was)},
	}
	if err := w.api().Do(w.t.Context(), create, nil); err != nil {
		w.t.Fatal(err)
	}
}
