package kube

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"strandline/engines"
	"strandline/engines/conformance"
	"strandline/engines/kubernetes"
	"strandline/internal/kubeapi"
)

// Pods of a real Job do what the pool and the processes of an array do.
func TestKubernetesKeepsThePromisesOfEngines(t *testing.T) {
	c := need(t)
	t.Parallel()
	conformance.Run(t, conformance.Harness{
		Program: func(t *testing.T, args ...string) string {
			out, err := exec.Command(os.Getenv("STRANDLINE_BIN"), args...).Output()
			if err != nil {
				t.Fatalf("strandline %v: %v: %s", args, err, out)
			}
			return string(out)
		},
		Engine:   c.engine,
		Parallel: true, // they wait for the Job controller most of the time
		Kill: func(t *testing.T, w conformance.Worker) {
			if err := syscall.Kill(w.Process, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Error(err)
			}
		},
		Crash: func(t *testing.T, w conformance.Worker) {
			if err := syscall.Kill(w.Process, syscall.SIGQUIT); err != nil { // which Go ends with 2
				t.Error(err)
			}
		},
	})
}

var namespaces atomic.Int64

// engine is one of a namespace of its own, so that two of one place know nothing of each other.
func (c *cluster) engine(t *testing.T, at *conformance.Place) engines.Engine {
	t.Helper()
	namespace := fmt.Sprintf("conformance-%d", namespaces.Add(1))
	c.apply(t, "{apiVersion: v1, kind: Namespace, metadata: {name: "+namespace+"}}")
	text, err := os.ReadFile(at.Config)
	if err != nil {
		t.Fatal(err)
	}
	lake := filepath.Join(at.Dir, "lake")
	c.configure(t, namespace, strings.Replace(string(text), "lake: ./lake", "lake: "+lake, 1))
	api, err := kubeapi.Find(kubeapi.Where{Kubeconfig: c.kubeconfig()}, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	return kubernetes.New(kubernetes.Options{API: api, Lake: lake, Config: kubernetes.Config{
		Namespace: namespace, Image: "strandline", ConfigMap: kubernetes.DefaultConfigMap,
		Backoff: kubernetes.DefaultBackoff, TTL: kubernetes.DefaultTTL,
		Env:       map[string]string{conformance.Env: string(at.Watch)},
		Pod:       map[string]any{"volumes": []any{map[string]any{"name": "place", "hostPath": map[string]any{"path": at.Dir}}}},
		Container: map[string]any{"volumeMounts": []any{map[string]any{"name": "place", "mountPath": at.Dir}}},
	}})
}
