package kube

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"strandline/internal/kubeapi"
)

// submitted has a backfill of all hours run, which nobody follows, and returns its id.
func (w *world) submitted(more ...string) string {
	w.t.Helper()
	cmd := w.command(on(append(more, "--detach")...)...)
	out, err := cmd.Output()
	id := strings.TrimSuffix(string(out), "\n")
	if err != nil || len(id) != 64 {
		w.t.Fatalf("%v; standard output is not an id alone: %q", err, out)
	}
	return id
}

// shows waits until show says all the words of a request.
func (w *world) shows(id string, words ...string) {
	w.t.Helper()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(2 * time.Minute); ; <-tick.C {
		said := w.must(0, "backfill", "show", id)
		missing := ""
		for _, word := range words {
			if !strings.Contains(said, word) {
				missing = word
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("show does not say %q:\n%s\n%s", missing, said, w.logs())
		}
	}
}

// away makes strandline reach no cluster.
func (w *world) away() {
	w.env = append(w.env, "KUBECONFIG="+filepath.Join(w.t.TempDir(), "none"))
}

func allEnded(n int) func([]event) bool {
	return func(events []event) bool { return ended(events) >= n && len(running(events)) == 0 }
}

// What all is published of is done by the table, though nobody followed it and no cluster
// can be asked, and that is entered.
func TestWhatIsDoneByTheTableIsDone(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 6})
	id := w.submitted("--slices", "3")
	w.await("all pods", allEnded(3))
	w.away()
	if said := w.must(0, "backfill", "list"); !strings.Contains(said, "hourly  done, 6 of 6 partitions done") {
		t.Errorf("list says\n%s", said)
	}
	if said := w.must(2, "backfill", "resume", id); !strings.Contains(said, "it is done") {
		t.Errorf("resume says\n%s", said)
	}
}

// A Job that failed while nobody looked is told of with its reason, and brought back by
// resume once that is mended.
func TestAJobThatFailedUnseenIsSettledAndResumed(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 6})
	text := w.podsHave(`FROM events GROUP`, `FROM events WHERE true GROUP`)
	admin := w.env
	w.asBlind() // who may look is told before
	id := w.submitted("--slices", "3", "--parallel", "1")
	w.shows(id, "hourly  failed, now 0 of 6 partitions done", "ended with 4); PodFailurePolicy", "kubernetes says: failed")
	w.cluster.configure(t, w.namespace, text)
	w.env = admin
	// Its pods may run by then.
	if said := w.must(0, "backfill", "resume", id); !strings.Contains(said, "hourly  waiting") && !strings.Contains(said, "hourly  running") {
		t.Errorf("resume says\n%s", said)
	}
	w.shows(id, "hourly  done, 6 of 6 partitions done", "kubernetes says: done", "3 succeeded")
	w.publishedOnce(0)
}

// podsHave gives pods another configuration, and returns the one that they had.
func (w *world) podsHave(old, changed string) (before string) {
	w.t.Helper()
	before = w.text
	w.cluster.configure(w.t, w.namespace, strings.Replace(before, old, changed, 1))
	return before
}

// A Job that somebody deleted leaves a request that says so, and resume makes another.
func TestAJobThatIsGoneIsSettledAndResumed(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 6})
	id := w.submitted("--slices", "6", "--parallel", "1")
	w.must(0, "backfill", "pause", id)
	w.await("no running pod", func(events []event) bool { return len(events) > 0 && len(running(events)) == 0 })
	w.deleted("Foreground")
	w.shows(id, "hourly  failed, ", "it has no Job of the plan any more")
	w.must(0, "backfill", "resume", id)
	w.shows(id, "hourly  done, 6 of 6 partitions done")
	w.publishedOnce(0)
}

var podPattern = regexp.MustCompile(`^(strandline-[0-9a-f]+)-`)

// api asks the cluster, as somebody else.
func (w *world) api() *kubeapi.Client {
	w.t.Helper()
	api, err := kubeapi.Find(kubeapi.Where{}, func(string) (string, bool) { return w.cluster.kubeconfig(), true })
	if err != nil {
		w.t.Fatal(err)
	}
	return api
}

// jobName is the name of the Job of the first pod.
func (w *world) jobName() string {
	w.t.Helper()
	return podPattern.FindStringSubmatch(w.cluster.events(w.t, w.namespace)[0].pod)[1]
}

// ofJob asks the cluster, as somebody else, for something about the Job of the first pod.
func (w *world) ofJob(verb string, body, out any) error {
	w.t.Helper()
	return w.api().Do(w.t.Context(), kubeapi.Request{
		Verb: verb, Group: "batch", Version: "v1", Resource: "jobs", Kind: "Job", Namespace: w.namespace, Body: body, Name: w.jobName(),
	}, out)
}

// deletes deletes the Job.
func (w *world) deletes(policy string) error {
	w.t.Helper()
	return w.ofJob("delete", map[string]string{"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": policy}, nil)
}

// deleted deletes the Job, and waits until it is gone.
func (w *world) deleted(policy string) {
	w.t.Helper()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for err := w.deletes(policy); !errors.Is(err, kubeapi.ErrNotFound); err = w.deletes(policy) {
		if err != nil {
			w.t.Fatal(err)
		}
		<-tick.C
	}
}

// keeps has the Job stay, while it is being deleted, until it is let go.
func (w *world) keeps(finalizers ...string) {
	w.t.Helper()
	if err := w.ofJob("patch", map[string]any{"metadata": map[string]any{"finalizers": finalizers}}, nil); err != nil {
		w.t.Fatal(err)
	}
}

// A Job that somebody deletes while it is followed ends the following, with what is true:
// how much is published, how much is not, and that the Job is gone. Asked again, the rest is done.
func TestAJobThatIsDeletedEndsItsFollowing(t *testing.T) {
	for _, policy := range []string{"Foreground", "Background", "Orphan"} {
		t.Run(policy, func(t *testing.T) {
			w := newWorld(t, worldOptions{hours: 12})
			end := w.followed()
			w.deleted(policy)
			if said := end(); !strings.Contains(said, "it has no Job of the plan any more") && !strings.Contains(said, "its Job is being deleted") {
				t.Errorf("following says\n%s", said)
			}
			if list := w.must(0, "backfill", "list"); !strings.Contains(list, "hourly  failed, ") {
				t.Errorf("list says\n%s", list)
			}
			w.must(0, on("--parallel", "4", "--slices", "3")...)
			w.publishedOnce(0)
		})
	}
}

// One that does not end, since something keeps it, does not keep who follows.
func TestAJobThatIsBeingDeletedEndsItsFollowing(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 12})
	end := w.followed()
	w.keeps("example.com/keep")
	if err := w.deletes("Background"); err != nil {
		t.Fatal(err)
	}
	if said := end(); !strings.Contains(said, "its Job is being deleted") {
		t.Errorf("following says\n%s", said)
	}
	w.await("no running pod", func(events []event) bool { return len(running(events)) == 0 })
	if list := w.must(0, "backfill", "list"); strings.Contains(list, "hourly  failed, ") {
		t.Errorf("list says\n%s", list)
	}
	w.keeps()
	if list := w.must(0, "backfill", "list"); !strings.Contains(list, "hourly  failed, ") {
		t.Errorf("list says\n%s", list)
	}
}

// followed begins to follow a backfill of 12 slices. Once two are done it returns, with what
// waits for an end that tells how much is done, and returns what was said.
func (w *world) followed() (end func() string) {
	w.t.Helper()
	follow := w.command(on("--parallel", "1", "--slices", "12")...)
	var said bytes.Buffer
	follow.Stdout, follow.Stderr = &said, &said
	if err := follow.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.await("two ended pods", func(events []event) bool { return ended(events) >= 2 })
	return func() string {
		_ = follow.Wait()
		counts := regexp.MustCompile(`12 partitions, (\d+) done, 0 failed, 0 held, (\d+) left`).FindStringSubmatch(said.String())
		if code := follow.ProcessState.ExitCode(); code != 1 || counts == nil || counts[1] == "0" || counts[1] == "12" {
			w.t.Fatalf("exit code %d: %s", code, &said)
		}
		return said.String()
	}
}

// While pods run, show tells what the cluster says of them. Slices are counted of what is
// computed again, since the table does not tell of that.
func TestShowTellsWhatTheClusterSays(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 24})
	w.must(0, "backfill", "hourly", "--missing")
	id := w.submitted("--slices", "12", "--parallel", "2", "--recompute")
	w.shows(id, "kubernetes says: running, 2 at a time: 2 active", "hourly  running, ", " of 12 slices run")
	w.must(0, "backfill", "pause", id)
	w.shows(id, "kubernetes says: paused", "hourly  paused")
	w.must(0, "backfill", "resume", id)
	w.shows(id, "hourly  done, 24 of 24 partitions done", "kubernetes says: done", "12 succeeded")
}

// A cancelled request keeps its progress.
func TestACancelledRequestKeepsItsProgress(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 24})
	id := w.submitted("--slices", "12", "--parallel", "1")
	w.await("an ended pod", func(events []event) bool { return ended(events) > 0 })
	w.must(0, "backfill", "cancel", id)
	w.await("no running pod", func(events []event) bool { return len(running(events)) == 0 })
	said := w.must(0, "backfill", "list")
	if !strings.Contains(said, "hourly  cancelled, ") || !strings.Contains(said, " of 24 partitions done") || strings.Contains(said, " 0 of 24") {
		t.Errorf("list says\n%s", said)
	}
}

// Who submits a plan again and can't, since the cluster has it in other slices, ends nothing
// that runs there: the request stays live, and can be steered.
func TestASubmitThatIsRefusedLeavesALiveRequestAlone(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 6, kubernetes: "\n  secrets: keys"})
	// Its pods wait for a secret, so that nothing is published and the plan stays the same.
	w.cluster.apply(t, strings.ReplaceAll(blindRole, "NAMESPACE", w.namespace))
	w.asAccount("blind")
	id := w.submitted("--slices", "3", "--parallel", "1")
	w.must(0, "backfill", "pause", id)
	if said := w.must(1, on("--slices", "2", "--detach")...); !strings.Contains(said, "slices") {
		t.Errorf("the second says\n%s", said)
	}
	if said := w.must(0, "backfill", "list"); strings.Contains(said, "failed") {
		t.Errorf("list says\n%s", said)
	}
	w.must(0, "backfill", "cancel", id)
}
