package kube

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The API server takes the manifests of deploy/, all that there are, with no field that it does not know,
// in a namespace that takes only pods of the strictest standard. What is no object is no part of them.
func TestManifestsAreTaken(t *testing.T) {
	c := need(t)
	t.Parallel()
	const namespace = "manifests-of-deploy"
	c.apply(t, "{apiVersion: v1, kind: Namespace, metadata: {name: "+namespace+", labels: {pod-security.kubernetes.io/enforce: restricted}}}")
	var manifests []string
	err := filepath.WalkDir("../../deploy", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".yaml" {
			manifests = append(manifests, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, name := range manifests {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("\napiVersion: ")) && !bytes.HasPrefix(text, []byte("apiVersion: ")) {
			if !strings.HasSuffix(name, "kubernetes-job/kubernetes.yaml") { // a part of strandline.yaml
				t.Errorf("%s is no manifest", name)
			}
			continue
		}
		for object := range strings.SplitSeq(string(text), "\n---\n") {
			object = strings.ReplaceAll(object, "namespace: data", "namespace: "+namespace)
			if err := c.check(object); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			misspelled := strings.Replace(object, "\nspec:\n", "\nspec:\n  templaet: {}\n", 1)
			if err := c.check(misspelled); misspelled != object && (err == nil || !strings.Contains(err.Error(), `unknown field "spec.templaet"`)) {
				t.Errorf("%s with a field that there is not: %v", name, err)
			}
			c.apply(t, strings.Replace(object, "generateName: strandline-submit-", "name: strandline-submit-1", 1))
			taken++
		}
	}
	if taken < 8 {
		t.Errorf("of %v %d objects were taken", manifests, taken)
	}
}
