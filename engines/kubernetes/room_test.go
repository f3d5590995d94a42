package kubernetes

import (
	"encoding/json"
	"testing"

	"strandline/engines"
)

// A Job that was made of another configuration makes room as long as nothing came of it, and
// nothing else does.
func TestAJobOfAnotherConfigurationMakesRoom(t *testing.T) {
	var running podList
	if err := json.Unmarshal([]byte(`{"items":[{}]}`), &running); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*cluster){
		"":                func(*cluster) {},
		"paused":          func(c *cluster) { c.job.Spec.Suspend = true },
		"a slice is done": func(c *cluster) { c.job.Status.Succeeded = 1 },
		"a slice failed":  func(c *cluster) { c.job.Status.FailedIndexes = "0" },
		"a pod runs":      func(c *cluster) { c.pods = map[string]podList{"Running": running} },
		"older program":   func(c *cluster) { delete(c.job.Metadata.Annotations, annotationMade) },
	} {
		c := &cluster{}
		e := engineOn(c)
		e.config.Secrets = []string{"wrong"}
		for _, secret := range []string{"wrong", "wrong", "right"} {
			e.config.Secrets[0] = secret
			if secret == "right" {
				spoil(c)
			}
			if _, err := e.Submit(t.Context(), two, engines.Options{Parallel: 1}); err != nil {
				t.Fatal(err)
			}
		}
		want := 1
		if name == "" {
			want = 2
		}
		if c.made != want || c.removed != want-1 {
			t.Errorf("%s: made %d, removed %d", name, c.made, c.removed)
		}
	}
}
