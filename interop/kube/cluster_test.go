// Package kube has tests that run backfills on a real Kubernetes API server, with
// its etcd and Job controller, and a node that runs pods as processes. "make kube" builds
// the cluster (tools/kube) and runs them; without it they are skipped.
package kube

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"strandline/internal/miniotest"
)

// cluster is the cluster of all tests of this package.
type cluster struct {
	dir    string
	etcd   *exec.Cmd
	server *exec.Cmd // the API server and its controllers
	node   *exec.Cmd
}

var shared *cluster

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "work" {
		os.Exit(bePod())
	}
	if os.Getenv("STRANDLINE_KUBE") != "" {
		c, err := startCluster()
		if err != nil {
			fmt.Fprintf(os.Stderr, "start the cluster: %v\n", err)
			os.Exit(1)
		}
		shared = c
		defer c.stop()
	}
	miniotest.Main(m)
}

// need returns the cluster, or skips the test.
func need(t *testing.T) *cluster {
	t.Helper()
	if shared == nil {
		t.Skip("there is no cluster: make kube builds one, starts it and runs this")
	}
	return shared
}

func startCluster() (*cluster, error) {
	dir, err := os.MkdirTemp("", "strandline-kube-")
	if err != nil {
		return nil, err
	}
	self, err := os.Executable() // which is what pods run: see bePod
	if err != nil {
		return nil, err
	}
	c := &cluster{dir: dir}
	if err = c.run(&c.etcd, "etcd"); err == nil {
		err = c.run(&c.server, "server", "-apart")
	}
	if err == nil {
		err = c.run(&c.node, "node", "-entrypoint", self)
	}
	if err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

// run starts a part of the cluster as one that stop ends.
func (c *cluster) run(as **exec.Cmd, part string, args ...string) error {
	cmd, err := c.start(part, args...)
	if err == nil {
		*as = cmd
	}
	return err
}

// start starts a part of the cluster and waits until it says that it is ready.
func (c *cluster) start(part string, args ...string) (*exec.Cmd, error) {
	cmd := exec.Command(os.Getenv("STRANDLINE_KUBE"), append([]string{part, "-dir", c.dir}, args...)...)
	log, err := os.OpenFile(filepath.Join(c.dir, part+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stderr = log
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(os.Getenv("STRANDLINE_BIN"))+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if _, err := cmd.StdinPipe(); err != nil { // it ends with this, and so with us
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		said, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("kube %s said %q and ended: %s", part, line, said[max(0, len(said)-4000):])
	}
	return cmd, nil
}

func (c *cluster) stop() {
	for _, cmd := range []*exec.Cmd{c.node, c.server, c.etcd} {
		if cmd != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	_ = os.RemoveAll(c.dir)
}

// What restart kills.
const (
	killServer = 1 << iota // the API server and its controllers
	killEtcd
)

// restart kills parts of the cluster, calls between, and starts them again.
func (c *cluster) restart(t *testing.T, parts int, between func()) {
	t.Helper()
	if parts&killServer != 0 {
		c.kill(t, c.server)
	}
	if parts&killEtcd != 0 {
		c.kill(t, c.etcd)
	}
	between()
	if parts&killEtcd != 0 {
		if err := c.run(&c.etcd, "etcd"); err != nil {
			t.Fatal(err)
		}
	}
	if parts&killServer != 0 {
		if err := c.run(&c.server, "server", "-apart"); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *cluster) kill(t *testing.T, part *exec.Cmd) {
	t.Helper()
	if err := part.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = part.Wait() // killed, as it should be
}

func (c *cluster) kubeconfig() string { return filepath.Join(c.dir, "admin.kubeconfig") }

// apply makes objects be as a text in YAML says.
func (c *cluster) apply(t *testing.T, text string) {
	t.Helper()
	if err := c.kube(text, "apply", "-dir", c.dir, "-"); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// check is what the API server would say against making the objects of a text.
func (c *cluster) check(text string) error {
	return c.kube(text, "apply", "-dir", c.dir, "-check", "-")
}

// kube runs the program of the cluster with a text as its standard input.
func (c *cluster) kube(text string, args ...string) error {
	cmd := exec.Command(os.Getenv("STRANDLINE_KUBE"), args...)
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kube %s: %w: %s", args[0], err, out)
	}
	return nil
}

// configure gives the pods of a namespace their configuration.
func (c *cluster) configure(t *testing.T, namespace, text string) {
	t.Helper()
	object, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]string{"name": "strandline", "namespace": namespace},
		"data": map[string]string{"strandline.yaml": text},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.apply(t, string(object))
}

// token returns one of a service account.
func (c *cluster) token(t *testing.T, namespace, account string) string {
	t.Helper()
	out, err := exec.Command(os.Getenv("STRANDLINE_KUBE"), "token", "-dir", c.dir, namespace, account).Output()
	if err != nil {
		t.Fatalf("token: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// event is a start or an end of a pod's process.
type event struct {
	start bool
	pod   string
	value int // the process's id at its start, its exit code at its end
}

var eventPattern = regexp.MustCompile(`^(start|end) (\S+)/(\S+) (-?\d+)$`)

// events lists what happened to the pods of a namespace, in order.
func (c *cluster) events(t *testing.T, namespace string) (all []event) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, "events"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		m := eventPattern.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || m[2] != namespace {
			continue
		}
		value, _ := strconv.Atoi(m[4])
		all = append(all, event{m[1] == "start", m[3], value})
	}
	return all
}

// running are the processes of a namespace's pods that have not ended.
func running(events []event) map[string]int {
	now := map[string]int{}
	for _, e := range events {
		if e.start {
			now[e.pod] = e.value
		} else {
			delete(now, e.pod)
		}
	}
	return now
}

// most is the largest number of pods that ran at a time.
func most(events []event) (most int) {
	for i := range events {
		most = max(most, len(running(events[:i+1])))
	}
	return most
}

// kill9 kills a pod's process.
func kill9(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }
