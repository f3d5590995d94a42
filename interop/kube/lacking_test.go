package kube

import (
	"slices"
	"strings"
	"testing"
)

// What the configuration names and the namespace lacks is told before anything is made, in the
// cluster or the lake.
func TestWhatTheNamespaceLacksIsTold(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 2, kubernetes: "\n  secrets: [keys, more]\n  service_account: worker\n  config_map: other"})
	before := w.files("lake")
	said := w.must(1, on()...)
	for _, want := range []string{"namespace " + w.namespace + " has no ConfigMap other", "no ServiceAccount worker", "no Secret keys", "no Secret more"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in:\n%s", want, said)
		}
	}
	if after := w.files("lake"); !slices.Equal(before, after) {
		t.Errorf("the lake had %v, and has %v", before, after)
	}
}

// Where no pod can start, nothing was run: the request has failed, and the sums add up.
func TestPodsThatCanNotStartFailTheRequest(t *testing.T) {
	for what, listed := range map[string]string{"--missing": "failed, now 0 of 4 partitions", "--recompute": "failed, 0 of 2 slices run"} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t, worldOptions{hours: 4, kubernetes: "\n  command: [/no/such/program]\n  backoff: 0"})
			if what == "--recompute" {
				w.must(0, "backfill", "hourly", "--missing")
			}
			said := w.must(1, on(what, "--slices", "2")...)
			for _, want := range []string{"4 partitions, 0 done, 0 failed, 0 held, 4 left", "ended with 0 of 4 partitions done", "ended with 128: ", "/no/such/program"} {
				if !strings.Contains(said, want) {
					t.Errorf("no %q in:\n%s", want, said)
				}
			}
			list := w.must(0, "backfill", "list")
			if !strings.Contains(list, "hourly  "+listed) || strings.Contains(list, "2 of 2") {
				t.Errorf("list says\n%s", list)
			}
		})
	}
}
