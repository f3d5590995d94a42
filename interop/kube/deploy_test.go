package kube

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The API server takes the manifests of deploy/, with no field that it does not know, in
// a namespace that takes only pods of the strictest standard.
func TestManifestsAreTaken(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 1, restricted: true})
	for _, name := range []string{"kubernetes/secret.yaml", "kubernetes/lake.yaml", "kubernetes/run.yaml", "kubernetes/worker.yaml", "arrays/indexed-job.yaml", "kubernetes-job/role.yaml", "kubernetes-job/submit.yaml"} {
		text, err := os.ReadFile(filepath.Join("../../deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		for object := range strings.SplitSeq(string(text), "\n---\n") {
			w.cluster.apply(t, strings.NewReplacer("namespace: data", "namespace: "+w.namespace, "generateName: strandline-submit-", "name: strandline-submit-1").Replace(object))
		}
	}
}
