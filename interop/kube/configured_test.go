package kube

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the ConfigMap of the pods has is held against the job and the lake before anything is written, in a dry run too.
func TestAConfigMapThatPodsCouldDoNothingWithIsTold(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 2})
	before := w.files("lake")
	for want, text := range map[string]string{
		" (which differ by sql)":              strings.Replace(w.text, "count(*)", "2 * count(*)", 1),
		`no job "hourly" is declared`:         strings.Replace(w.text, "\n  hourly:", "\n  hourly2:", 1),
		"its lake is s3://other/lake, and ":   regexp.MustCompile(`(?m)^lake: .*`).ReplaceAllString(w.text, "lake: s3://other/lake"),
		"/etc/strandline/strandline.yaml:12:": strings.Replace(w.text, "from: events", "from: event", 1),
		"Referenced column":                   strings.Replace(w.text, "SELECT window_start, kind", "SELECT window_start, kin", 1),
	} {
		w.cluster.configure(t, w.namespace, text)
		for _, args := range [][]string{on(), on("--dry-run")} {
			said := w.must(1, args...)
			for _, want := range []string{want, "ConfigMap strandline in namespace " + w.namespace, "nothing was changed"} {
				if !strings.Contains(said, want) {
					t.Errorf("no %q in:\n%s", want, said)
				}
			}
		}
		if after := w.files("lake"); !slices.Equal(before, after) {
			t.Errorf("%s: the lake had %v, and has %v", want, before, after)
		}
	}
}

// What a variable of the pods holds is known from the configuration, or not at all.
func TestAConfigMapWithVariables(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 2, kubernetes: "\n  env: {GRAIN: hour}"})
	w.podsHave("partition: hour", "partition: ${GRAIN}")
	if said := w.must(0, on("--dry-run")...); strings.Contains(said, "GRAIN") {
		t.Errorf("what is known is not:\n%s", said)
	}
	w.edit("GRAIN", "OTHER")
	if said := w.must(0, on("--dry-run")...); !strings.Contains(said, "whether it fits shows when its slices begin, since GRAIN may be set there") {
		t.Errorf("it says\n%s", said)
	}
}

// A lookup is read from the ConfigMap if it is there, else it may be mounted from elsewhere.
func TestAConfigMapWithALookup(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 2, sql: strings.Replace(goodSQL, "GROUP", "JOIN kinds USING (kind) GROUP", 1)})
	const declared = "key: [window_start, kind]\n    lookups: {kinds: {file: ./kinds.csv, columns: {kind: VARCHAR}}}"
	w.edit("key: [window_start, kind]", declared)
	if err := os.WriteFile(filepath.Join(filepath.Dir(w.config), "kinds.csv"), []byte("kind\nk1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(w.text, "key: [window_start, kind]", declared, 1)
	for csv, want := range map[string]int{"": 0, "kind\nk1\n": 0, "kind\nk2\n": 1} {
		data := map[string]string{"strandline.yaml": text}
		if csv != "" {
			data["kinds.csv"] = csv
		}
		object, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]string{"name": "strandline", "namespace": w.namespace}, "data": data})
		if err != nil {
			t.Fatal(err)
		}
		w.cluster.apply(t, string(object))
		if said := w.must(want, on("--dry-run")...); want == 1 && !strings.Contains(said, "(which differ by lookup kinds)") {
			t.Errorf("with %q it says\n%s", csv, said)
		}
	}
}

// An account that may not read the ConfigMap is told so once, and the pods tell the rest.
func TestAConfigMapThatMayNotBeReadIsTold(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 2})
	w.asBlind()
	said := w.must(0, on("--slices", "1")...)
	if n := strings.Count(said, "it can't be seen by this account; whether it has job hourly with this code shows when its slices begin"); n != 1 {
		t.Errorf("it is told %d times:\n%s", n, said)
	}
	w.publishedOnce(0)
}

// asBlind makes strandline ask as an account that may read nothing of what pods are made of.
func (w *world) asBlind() {
	w.t.Helper()
	w.cluster.apply(w.t, strings.ReplaceAll(blindRole, "NAMESPACE", w.namespace))
	w.asAccount("blind")
}

// Who gives the table other code is told so, also where no request ends by it; and so is who would resume what pods
// could do nothing of any more.
func TestOtherCodeIsTold(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 2})
	w.must(0, on("--slices", "1")...)
	w.podsHave("count(*)", "2 * count(*)")
	w.edit("count(*)", "2 * count(*)")
	said := w.must(0, on("--stale", "--slices", "1")...)
	if !strings.Contains(said, "job hourly has other code here than its table had") {
		t.Errorf("it says\n%s", said)
	}
	id := regexp.MustCompile(`[0-9a-f]{64}`).FindString(w.must(0, on("--recompute", "--slices", "2", "--detach")...))
	w.must(0, "backfill", "cancel", id)
	w.cluster.configure(t, w.namespace, w.text)
	if said := w.must(1, "backfill", "resume", id); !strings.Contains(said, "its job hourly is other code") {
		t.Errorf("resume says\n%s", said)
	}
	if list := w.must(0, "backfill", "list"); !strings.Contains(list, "hourly  cancelled") {
		t.Errorf("list says\n%s", list)
	}
}
