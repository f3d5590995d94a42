package kube

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/internal/kubeapi"
)

// idle has a backfill of three hours run whose pods wait for a ConfigMap that is not there, so that nothing is
// published of it; asked again it is the same plan.
func idle(t *testing.T) (w *world, g *gate, id string) {
	t.Helper()
	w = newWorld(t, worldOptions{hours: 3})
	w.edit("volumes: [", "volumes: [{name: none, configMap: {name: none}}, ")
	w.edit("volumeMounts: [", "volumeMounts: [{name: none, mountPath: /none}, ")
	g = w.gated()
	return w, g, w.submitted(inSlices...)
}

var inSlices = []string{"--slices", "3", "--parallel", "1"}

// again submits the same again.
func again() []string { return on(slices.Concat(inSlices, []string{"--detach"})...) }

// begins has the pods begin.
func (w *world) begins() {
	w.t.Helper()
	w.cluster.apply(w.t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: none, namespace: "+w.namespace+"}}")
}

// shown checks that show says some words of a request, and others not.
func (w *world) shown(when, id string, words ...string) {
	w.t.Helper()
	said := w.must(0, "backfill", "show", id)
	for _, word := range words {
		if word, not := strings.CutPrefix(word, "not "); strings.Contains(said, word) == not {
			w.t.Errorf("%s: show says\n%s\nwant %q: %t", when, said, word, !not)
		}
	}
}

const together = "not : strandline backfill " // nothing is to be done to bring lake and cluster together

// A command that changes a request is killed, refused or left without an answer, before the cluster was told or after. The
// lake never says what the cluster has not taken, but for a cancel, which is told; show tells where both differ, and the
// same again brings them together.
func TestAChangeThatIsBrokenOffIsMadeByTheSameAgain(t *testing.T) {
	for _, c := range []struct {
		before, change, undo string
		method               string   // of the request by which the cluster is told
		was                  []string // what show says while nobody was told
		differs              string   // what it says where one of both was
		is                   []string // and where both were
	}{
		{"", "pause", "resume", http.MethodPatch, []string{"hourly  ", "not paused"}, "kubernetes has it paused: strandline backfill resume ", []string{"hourly  paused", "kubernetes says: paused"}},
		{"pause", "resize --parallel 2", "resize --parallel 1", http.MethodPatch, []string{"slices: 3, 1 at a time", "paused, 1 at a time"}, "kubernetes runs 2 slices at a time, and the lake has 1: strandline backfill resize ", []string{"slices: 3, 2 at a time", "paused, 2 at a time"}},
		{"pause", "resume", "pause", http.MethodPatch, []string{"hourly  paused", "kubernetes says: paused"}, "kubernetes goes on with it: strandline backfill pause ", []string{"hourly  ", "not paused"}},
	} {
		t.Run(strings.ReplaceAll(c.change, " ", ""), func(t *testing.T) {
			w, g, id := idle(t)
			say := func(line string) []string {
				verb, flags, _ := strings.Cut(line, " ")
				return append([]string{"backfill", verb, id}, strings.Fields(flags)...)
			}
			if c.before != "" {
				w.must(0, say(c.before)...)
			}
			for when, broken := range map[string]func(){
				"killed before":         func() { w.killed(g, c.method, false, say(c.change)...) },
				"killed after":          func() { w.killed(g, c.method, true, say(c.change)...) },
				"refused":               func() { w.unheard(g, c.method, false, http.StatusForbidden, say(c.change)...) },
				"carried out, unheard":  func() { w.unheard(g, c.method, true, 0, say(c.change)...) },
				"not carried out, away": func() { w.unheard(g, c.method, false, 0, say(c.change)...) },
			} {
				broken()
				if strings.HasSuffix(when, " after") || strings.HasPrefix(when, "carried out") {
					w.shown(when, id, c.differs)
				} else {
					w.shown(when, id, slices.Concat(c.was, []string{together})...)
				}
				w.must(0, say(c.change)...)
				w.shown(when+", and again", id, slices.Concat(c.is, []string{together})...)
				w.must(0, say(c.undo)...)
			}
		})
	}
}

// unheard runs strandline where the cluster does not take requests of a method, or does and does not say so.
func (w *world) unheard(g *gate, method string, after bool, status int, args ...string) (said string) {
	w.t.Helper()
	g.set(method, after, status)
	said = w.must(1, args...)
	g.set("", false, 0)
	return said
}

// A cancel that the cluster was not told of says what may run still, and list and show what to do until it was.
func TestACancelThatIsBrokenOffIsMadeByTheSameAgain(t *testing.T) {
	w, g, id := idle(t)
	cancel := []string{"backfill", "cancel", id}
	for when, broken := range map[string]func(){
		"killed before": func() {
			w.killed(g, http.MethodDelete, false, cancel...)
			w.shown("killed before", id, "kubernetes has not ended it, and has ")
		},
		"killed after": func() { w.killed(g, http.MethodDelete, true, cancel...) },
		"refused": func() {
			said := w.unheard(g, http.MethodDelete, false, http.StatusForbidden, cancel...)
			for _, want := range []string{"is cancelled in the lake", "at a time, each of which ends after the partition", "kubectl -n " + w.namespace + " delete job strandline-"} {
				if !strings.Contains(said, want) {
					t.Errorf("it says\n%s\nwant %s", said, want)
				}
			}
			w.shown("refused", id, "kubernetes has not ended it, and has ")
		},
		"carried out, unheard": func() { w.unheard(g, http.MethodDelete, true, 0, cancel...) },
	} {
		broken()
		untold := "hourly  cancelled, now 0 of 3 partitions done"
		if list := w.must(0, "backfill", "list"); !strings.Contains(list, untold) || !strings.Contains(list, ": kubernetes has not said that it has ended it: strandline backfill cancel "+id[:12]) {
			t.Errorf("%s: list says\n%s", when, list)
		}
		w.must(0, cancel...)
		w.shown(when+", and again", id, "hourly  cancelled", together)
		w.must(0, "backfill", "resume", id)
		w.shown(when+", and resumed", id, "not cancelled", "kubernetes says: ", together)
	}
	w.begins()
	w.shows(id, "hourly  done, 3 of 3 partitions done")
	w.publishedOnce(0)
}

// A submit is broken off as a change is, of what is new and of what had failed or was cancelled before.
func TestASubmitThatIsBrokenOffIsMadeByTheSameAgain(t *testing.T) {
	w, g, id := idle(t)
	const away, there = "not has not ended it", "kubernetes says: "
	end := map[string]func(){
		"was cancelled": func() { w.must(0, "backfill", "cancel", id) },
		"has failed": func() {
			w.kubeDeletes()
			w.shown("deleted", id, "hourly  failed, ", "it has no Job of the plan any more")
		},
	}
	for before, has := range map[string]map[string][]string{
		"was cancelled": {
			"killed before": {"hourly  failed, ", "who submitted it was stopped before it was made", away}, "killed after": {"not hourly  failed", there, together},
			"refused": {"hourly  failed, ", "no, today", away}, "unheard": {"not hourly  failed", there, together}, "away": {"hourly  failed, ", "it has no Job of the plan any more", away},
		},
		"has failed": {
			"killed before": {"hourly  failed, ", away}, "killed after": {"hourly  failed, ", "kubernetes has not ended it, and has "},
			"refused": {"hourly  failed, ", away}, "unheard": {"hourly  failed, ", "kubernetes has not ended it, and has "}, "away": {"hourly  failed, ", away},
		},
	} {
		for when, broken := range map[string]func(){
			"killed before": func() { w.killed(g, http.MethodPost, false, again()...) },
			"killed after":  func() { w.killed(g, http.MethodPost, true, again()...) },
			"refused":       func() { w.unheard(g, http.MethodPost, false, http.StatusForbidden, again()...) },
			"unheard":       func() { w.unheard(g, http.MethodPost, true, 0, again()...) },
			"away":          func() { w.unheard(g, http.MethodPost, false, 0, again()...) },
		} {
			end[before]()
			broken()
			w.shown(before+", "+when, id, has[when]...)
			w.must(0, again()...)
			w.shown(before+", "+when+", and again", id, "not hourly  failed", "not hourly  cancelled", there, together)
		}
	}
	w.begins()
	w.shows(id, "hourly  done, 3 of 3 partitions done")
	w.publishedOnce(0)
}

// What was published since drops out of the plan; asked again it is the same Job, which is followed.
func TestTheSameAgainIsTheSameJobWhateverIsPublished(t *testing.T) {
	w, _, id := idle(t)
	w.must(0, "backfill", "hourly", "--partition", "2026-03-01T00")
	if said := w.must(0, again()...); !strings.Contains(said, "request "+id[:12]+" does this already") {
		t.Errorf("asked again it says\n%s", said)
	}
	w.begins()
	if said := w.must(0, on(inSlices...)...); !strings.Contains(said, "3 of 3") && !strings.Contains(said, "nothing is to be computed") {
		t.Errorf("asked and followed it says\n%s", said)
	}
	w.shows(id, "hourly  done, 3 of 3 partitions done")
	if listed := w.must(0, "backfill", "list"); strings.Count(listed, "\n") != 1 {
		t.Errorf("listed are\n%s", listed)
	}
	w.publishedOnce(0)
}

// kubeDeletes has somebody else delete all Jobs, and waits until they are gone.
func (w *world) kubeDeletes() {
	w.t.Helper()
	jobs := w.jobs("list")
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for ; ; <-tick.C {
		var list struct{ Items []seenJob }
		if err := w.api().Do(w.t.Context(), jobs, &list); err != nil {
			w.t.Fatal(err)
		}
		if len(list.Items) == 0 {
			return
		}
		for _, job := range list.Items {
			one := jobs
			one.Verb, one.Name = "delete", job.Metadata.Name
			one.Body = map[string]string{"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}
			if err := w.api().Do(w.t.Context(), one, nil); err != nil && !errors.Is(err, kubeapi.ErrNotFound) {
				w.t.Fatal(err)
			}
		}
	}
}
