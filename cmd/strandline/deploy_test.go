package main

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"strandline/internal/config"
)

// object is what the test reads of a Kubernetes object.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Secret   map[string]string `yaml:"stringData"`
	Spec     struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Args    []string
					EnvFrom []struct {
						SecretRef struct{ Name string } `yaml:"secretRef"`
					} `yaml:"envFrom"`
				}
				Volumes []struct {
					ConfigMap struct{ Name string } `yaml:"configMap"`
				}
			}
		}
	}
}

func objectsIn(t *testing.T, path string) (all []object) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o object
		err := d.Decode(&o)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, o)
	}
}

// Every manifest runs a command line that the program has, with a configuration that it
// takes and secrets that are there.
func TestManifestsRunWhatTheProgramHas(t *testing.T) {
	// The configuration of who submits is that of the lake and a part more.
	there, containers, secrets := map[string]bool{"ConfigMap ": true, "ConfigMap strandline-submit": true}, 0, map[string]string{}
	part, err := os.ReadFile("../../deploy/kubernetes-job/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []object
	for _, name := range []string{"../secret/secret.yaml", "lake.yaml", "run.yaml", "worker.yaml", "../kubernetes-job/submit.yaml", "../arrays/indexed-job.yaml"} {
		all = append(all, objectsIn(t, filepath.Join("../../deploy/kubernetes", name))...)
	}
	for _, o := range all {
		there[o.Kind+" "+o.Metadata.Name] = true
		maps.Copy(secrets, o.Secret)
		if text, has := o.Data["strandline.yaml"]; has {
			for _, more := range []string{"", string(part)} {
				p := proof{t, t.TempDir()}
				p.write("strandline.yaml", text+more)
				_, err := config.Load(p.path("strandline.yaml"), func(name string) (string, bool) { v, is := secrets[name]; return v, is })
				if err != nil {
					t.Error(err)
				}
			}
		}
	}
	for _, o := range all {
		for _, c := range o.Spec.Template.Spec.Containers {
			containers++
			root := newRoot(&app{out: io.Discard, err: io.Discard})
			cmd, rest, err := root.Find(c.Args)
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err != nil || cmd == root {
				t.Errorf("%s runs %q: %v", o.Metadata.Name, c.Args, err)
			}
			if !slices.Contains(c.Args, "/etc/strandline/strandline.yaml") || !slices.Contains(c.Args, "--parallel") {
				t.Errorf("%s runs %q, with no configuration or number of partitions at a time", o.Metadata.Name, c.Args)
			}
			for _, from := range c.EnvFrom {
				if !there["Secret "+from.SecretRef.Name] {
					t.Errorf("%s wants the secret %q", o.Metadata.Name, from.SecretRef.Name)
				}
			}
		}
		for _, v := range o.Spec.Template.Spec.Volumes {
			if !there["ConfigMap "+v.ConfigMap.Name] {
				t.Errorf("%s wants the configuration %q", o.Metadata.Name, v.ConfigMap.Name)
			}
		}
	}
	if containers != 4 {
		t.Errorf("%d containers were looked at, want 4", containers)
	}
}

// A folder that is applied whole puts no keys over those that are there.
func TestFoldersThatAreAppliedWholeHaveNoSecrets(t *testing.T) {
	for _, folder := range []string{"kubernetes", "kubernetes-job", "arrays"} {
		files, err := filepath.Glob(filepath.Join("../../deploy", folder, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			for _, o := range objectsIn(t, file) {
				if o.Kind == "Secret" {
					t.Errorf("%s has the secret %s", file, o.Metadata.Name)
				}
			}
		}
	}
}
