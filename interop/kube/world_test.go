package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is a lake with some hours of events that nothing was computed of yet, and
// a namespace whose pods have its configuration.
type world struct {
	t         *testing.T
	cluster   *cluster
	namespace string
	config    string // the file that backfills are submitted with
	text      string // of the configuration that pods have
	env       []string
	hours     int
}

const configuration = `
lake: %s
%s
engine: {memory_limit: 256MB}
streams:
  events:
    format: ndjson
    event_time: {column: at, unit: s}
    columns: {id: BIGINT, kind: VARCHAR}
jobs:
  hourly:
    from: events
    window: {tumbling: 1h}
    partition: hour
    key: [window_start, kind]
    sql: %s
`

const goodSQL = `SELECT window_start, kind, count(*) AS events FROM events GROUP BY window_start, kind`

// worldOptions say what is not as usual.
type worldOptions struct {
	hours      int
	sql        string // empty: goodSQL
	lake       string // empty: a folder, which pods mount
	s3         string // of the configuration, for a lake in a bucket
	kubernetes string // further lines of that part of the configuration
	restricted bool   // only pods of the strictest standard may run
	alone      bool   // no other test may run meanwhile, as where the cluster is restarted
}

// newWorld makes one in a namespace of its own. Tests wait for the cluster most of the time, so
// they run beside each other.
func newWorld(t *testing.T, o worldOptions) *world {
	t.Helper()
	c := need(t)
	if !o.alone {
		t.Parallel()
	}
	dir := t.TempDir()
	w := &world{t: t, cluster: c, hours: o.hours, config: filepath.Join(dir, "strandline.yaml")}
	t.Cleanup(w.rest)
	w.namespace = strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	w.namespace = strings.Trim(w.namespace[:min(len(w.namespace), 50)], "-")
	w.env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig())
	mount := ""
	if o.lake == "" {
		o.lake = filepath.Join(dir, "lake")
		mount = fmt.Sprintf("\n  pod: {volumes: [{name: lake, hostPath: {path: %[1]s}}]}\n  container: {volumeMounts: [{name: lake, mountPath: %[1]s}]}", o.lake)
	}
	if o.sql == "" {
		o.sql = goodSQL
	}
	text := fmt.Sprintf(configuration, o.lake, o.s3, o.sql)
	here := text + "kubernetes:\n  namespace: " + w.namespace + "\n  image: strandline" + mount + o.kubernetes + "\n"
	if err := os.WriteFile(w.config, []byte(here), 0o600); err != nil {
		t.Fatal(err)
	}
	labels := "{}"
	if o.restricted {
		labels = "{pod-security.kubernetes.io/enforce: restricted}"
	}
	c.apply(t, fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: %s}\n", w.namespace, labels))
	w.text = text
	c.configure(t, w.namespace, text)
	w.land()
	return w
}

// rest lets pods come to their end. They go on for a moment when their work is done, and
// write to the lake, which is removed then.
func (w *world) rest() {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(15 * time.Second); len(running(w.cluster.events(w.t, w.namespace))) > 0; {
		select {
		case <-tick.C:
		case <-late:
			return
		}
	}
}

// edit changes the configuration that backfills are submitted with.
func (w *world) edit(old, changed string) {
	w.t.Helper()
	text, err := os.ReadFile(w.config)
	if err == nil {
		err = os.WriteFile(w.config, bytes.Replace(text, []byte(old), []byte(changed), 1), 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) land() {
	w.t.Helper()
	var rows bytes.Buffer
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for hour := range w.hours {
		for i := range 3 {
			fmt.Fprintf(&rows, `{"id":%d,"kind":"k%d","at":%d}`+"\n", 3*hour+i, i, begin.Add(time.Duration(hour)*time.Hour).Unix())
		}
	}
	cmd := w.command("land", "events", "-")
	cmd.Stdin = &rows
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("land: %v: %s", err, out)
	}
}

// files lists those in a folder beside the configuration.
func (w *world) files(folder string) (all []string) {
	w.t.Helper()
	err := filepath.WalkDir(filepath.Join(filepath.Dir(w.config), folder), func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Getenv("STRANDLINE_BIN"), append([]string{"-c", w.config}, args...)...)
	cmd.Env = w.env
	return cmd
}

// run runs strandline to its end, and returns what it said and its exit code.
func (w *world) run(args ...string) (said string, code int) {
	w.t.Helper()
	out, err := w.command(args...).CombinedOutput()
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		return string(out), exit.ExitCode()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return string(out), 0
}

// must is run, where anything but the exit code wanted ends the test.
func (w *world) must(want int, args ...string) (said string) {
	w.t.Helper()
	said, code := w.run(args...)
	if code != want {
		w.t.Fatalf("strandline %s: exit code %d, want %d:\n%s\n%s", strings.Join(args, " "), code, want, said, w.logs())
	}
	return said
}

// logs are those of the pods, for who must find out what went wrong.
func (w *world) logs() string {
	var all strings.Builder
	files, _ := filepath.Glob(filepath.Join(w.cluster.dir, "pods", w.namespace+"_*", "log"))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		fmt.Fprintf(&all, "== %s\n%s\n", filepath.Base(filepath.Dir(file)), data)
	}
	return all.String()
}

// await waits for a fact of the pods' life.
func (w *world) await(what string, is func([]event) bool) {
	w.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(2 * time.Minute); !is(w.cluster.events(w.t, w.namespace)); <-tick.C {
		if time.Now().After(deadline) {
			w.t.Fatalf("waited in vain: %s; the pods did %v\n%s", what, w.cluster.events(w.t, w.namespace), w.logs())
		}
	}
}

// publishedOnce checks that all hours but those that were to fail are published, each
// by one swap, whoever tried it how often.
func (w *world) publishedOnce(failed int) {
	w.t.Helper()
	swaps := map[string]int{}
	for line := range strings.Lines(w.must(0, "history", "hourly", "--json")) {
		var edit struct {
			Receipts []struct {
				Partition string `json:"partition"`
			} `json:"receipts"`
		}
		if err := json.Unmarshal([]byte(line), &edit); err != nil {
			w.t.Fatalf("%v: %s", err, line)
		}
		for _, r := range edit.Receipts {
			swaps[r.Partition]++
		}
	}
	if len(swaps) != w.hours-failed {
		w.t.Errorf("%d partitions are published, want %d", len(swaps), w.hours-failed)
	}
	for partition, n := range swaps {
		if n != 1 {
			w.t.Errorf("partition %s was published %d times", partition, n)
		}
	}
}
