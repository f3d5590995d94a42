package kube

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"strandline/engines/kubernetes"
	"strandline/internal/kubeapi"
	"strandline/internal/miniotest"
)

// on are the arguments of a backfill of all hours.
func on(more ...string) []string {
	return append([]string{"backfill", "hourly", "--from", "2026-03-01", "--to", "2026-04-01", "--on", "kubernetes"}, more...)
}

// ended counts the pods that have ended.
func ended(events []event) (n int) {
	for _, e := range events {
		if !e.start {
			n++
		}
	}
	return n
}

var indexPattern = regexp.MustCompile(`^strandline-[0-9a-f]+-(\d+)-[a-z0-9]+$`)

// index is the slice that a pod runs.
func index(t *testing.T, pod string) int {
	t.Helper()
	m := indexPattern.FindStringSubmatch(pod)
	if m == nil {
		t.Fatalf("pod %s is not that of a slice", pod)
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// A pod is killed, and later the API server with its controllers, or etcd, or both, while a
// backfill is being followed: it goes on, and all is published once.
func TestPodsAndServerAreKilled(t *testing.T) {
	for name, parts := range map[string]int{"both": killServer | killEtcd, "server": killServer, "etcd": killEtcd} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, worldOptions{hours: 18, alone: true})
			follow := w.command(on("--parallel", "2", "--slices", "9")...)
			var said bytes.Buffer
			follow.Stdout, follow.Stderr = &said, &said
			if err := follow.Start(); err != nil {
				t.Fatal(err)
			}
			killed := ""
			w.await("a pod to kill", func(events []event) bool {
				for pod, pid := range running(events) {
					kill9(pid)
					killed = pod
					return true
				}
				return false
			})
			w.await("three ended pods", func(events []event) bool { return ended(events) >= 3 })
			w.cluster.restart(t, parts, func() {
				if list := w.must(0, "backfill", "list"); !strings.Contains(list, "kubernetes can't be asked") || strings.Contains(list, "failed") {
					t.Errorf("meanwhile list says\n%s", list)
				}
			})
			if err := follow.Wait(); err != nil {
				t.Fatalf("%v: %s\n%s", err, &said, w.logs())
			}
			w.publishedOnce(0)
			w.tookTurns(2, killed)
		})
	}
}

// tookTurns checks that no more pods than so many ran at a time, the first slices first, and that the one that was
// killed is known to be.
func (w *world) tookTurns(parallel int, killed string) {
	w.t.Helper()
	events := w.cluster.events(w.t, w.namespace)
	if n := most(events); n > parallel {
		w.t.Errorf("%d pods ran at a time", n)
	}
	for _, e := range events {
		if e.pod == killed && !e.start && e.value != 128+int(syscall.SIGKILL) {
			w.t.Errorf("the killed pod ended with %d", e.value)
		}
	}
	if first := index(w.t, events[0].pod) + index(w.t, events[1].pod); first != 1 {
		w.t.Errorf("pods %s and %s came first", events[0].pod, events[1].pod)
	}
}

// A partition that fails for good fails its slice, which is not tried again; the
// others are published. The failure is told, and so is what Kubernetes made of it.
func TestAFailureEndsItsSliceAlone(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 8, sql: `SELECT window_start, kind, sum(CAST(CASE WHEN id = 9 THEN 'nine' ELSE '1' END AS INTEGER))::BIGINT AS events FROM events GROUP BY window_start, kind`})
	said := w.must(3, on("--parallel", "4", "--slices", "4")...)
	if !strings.Contains(said, "2026-03-01T03") || !strings.Contains(said, "nine") {
		t.Errorf("the partition or its reason is missing:\n%s", said)
	}
	w.publishedOnce(1)
	if n := ended(w.cluster.events(t, w.namespace)); n != 4 {
		t.Errorf("%d pods ran for 4 slices", n)
	}
}

// Cancelled in the middle, pods end, and asking again does what is left.
func TestCancelAndAskAgain(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 48})
	said := w.must(0, on("--parallel", "2", "--slices", "8", "--detach")...)
	id := regexp.MustCompile(`[0-9a-f]{64}`).FindString(said)
	if id == "" {
		t.Fatalf("no id in: %s", said)
	}
	w.await("an ended pod", func(events []event) bool { return ended(events) > 0 })
	if list := w.must(0, "backfill", "list"); !strings.Contains(list, id[:8]) {
		t.Errorf("%s is not listed:\n%s", id[:8], list)
	}
	if show := w.must(0, "backfill", "show", id[:8]); !strings.Contains(show, "\nkubernetes says: ") {
		t.Errorf("what the cluster says is not shown:\n%s", show)
	}
	w.must(0, "backfill", "cancel", id[:8])
	w.await("no running pod", func(events []event) bool { return len(running(events)) == 0 })
	before := len(w.cluster.events(t, w.namespace))
	if before/2 >= 8 {
		t.Logf("all slices were done before the cancel")
	}
	w.must(0, on("--parallel", "2", "--slices", "8")...)
	w.publishedOnce(0)
}

// Paused, no pod runs; resumed with more at a time, more do.
func TestPauseResizeResume(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 48})
	id := regexp.MustCompile(`[0-9a-f]{64}`).FindString(w.must(0, on("--parallel", "1", "--slices", "16", "--detach")...))
	w.await("a running pod", func(events []event) bool { return len(running(events)) > 0 })
	w.must(0, "backfill", "pause", id)
	w.await("no running pod", func(events []event) bool { return len(running(events)) == 0 })
	w.must(0, "backfill", "resize", id, "--parallel", "3")
	w.must(0, "backfill", "resume", id)
	w.must(0, on("--parallel", "3", "--slices", "16")...)
	w.publishedOnce(0)
}

// A misspelled field of the configuration is told before anything is made, in the cluster or
// the lake: the table does not even get the code of who was refused.
func TestAMisspelledFieldIsTold(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 2, kubernetes: "\n  resources: {requets: {cpu: 1}}"})
	before := w.files("lake")
	said, code := w.run(on()...)
	if after := w.files("lake"); !slices.Equal(before, after) {
		t.Errorf("the lake had %v, and has %v", before, after)
	}
	if code == 0 || !strings.Contains(said, `unknown field "spec.template.spec.containers[0].resources.requets"`) {
		t.Errorf("exit code %d: %s", code, said)
	}
	if events := w.cluster.events(t, w.namespace); len(events) > 0 {
		t.Errorf("pods ran: %v", events)
	}
}

// Asked to be computed again a second time, with the complete Job of the first standing, all
// slices are run a second time.
func TestComputedAgainOnceMore(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 4})
	w.must(0, "backfill", "hourly", "--missing")
	for n := range 2 {
		w.must(0, on("--recompute", "--parallel", "2", "--slices", "2")...)
		if got := ended(w.cluster.events(t, w.namespace)); got != 2*(n+1) {
			t.Errorf("time %d: %d pods have run, want %d", n+1, got, 2*(n+1))
		}
		w.must(0, "backfill", "list")
	}
}

// That a request which is done is computed once more, by a Job that was made before the lake heard of it, is told.
func TestADoneRequestWhoseJobRunsAgainIsTold(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 4})
	w.must(0, "backfill", "hourly", "--missing")
	again := on("--recompute", "--parallel", "1", "--slices", "4")
	w.must(0, again...)
	w.edit("volumes: [", "volumes: [{name: none, configMap: {name: none}}, ") // so that no pod comes to its end
	w.edit("volumeMounts: [", "volumeMounts: [{name: none, mountPath: /none}, ")
	g := w.gated()
	w.killed(g, "POST", true, again...)
	if said := w.must(0, "backfill", "list"); !strings.Contains(said, "hourly  done") || !strings.Contains(said, "kubernetes computes it once more") {
		t.Errorf("list says\n%s", said)
	}
}

// An account without rights is told which it lacks, and the role of deploy/ is enough.
func TestTheRoleIsEnough(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 3})
	manifest, err := os.ReadFile("../../deploy/kubernetes-job/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.ReplaceAll(string(manifest), "namespace: data", "namespace: "+w.namespace)
	account, rest, _ := strings.Cut(all, "\n---\n")
	w.cluster.apply(t, account)
	w.asAccount("strandline-submit")
	said, code := w.run(on()...)
	if code == 0 || !strings.Contains(said, `cannot create resource "jobs" in API group "batch"`) || !strings.Contains(said, "role.yaml") {
		t.Errorf("exit code %d: %s", code, said)
	}
	w.cluster.apply(t, rest)
	w.must(0, on("--slices", "2")...)
	w.publishedOnce(0)
	w.knowsItsPlace()
}

// knowsItsPlace checks that strandline may know which namespace it asks.
func (w *world) knowsItsPlace() {
	w.t.Helper()
	_, file, _ := strings.Cut(w.env[len(w.env)-1], "=")
	api, err := kubeapi.Find(kubeapi.Where{Kubeconfig: file}, os.LookupEnv)
	if err != nil {
		w.t.Fatal(err)
	}
	place, err := kubernetes.New(kubernetes.Options{API: api, Namespace: w.namespace, Server: api.Server()}).Place(w.t.Context())
	if err != nil || place.ID == "" || place.Namespace != w.namespace || place.Server == "" {
		w.t.Errorf("the place is %+v: %v", place, err)
	}
}

// asAccount makes strandline ask as a service account, by a file of its token.
func (w *world) asAccount(name string) {
	w.t.Helper()
	dir := w.t.TempDir()
	admin, err := os.ReadFile(w.cluster.kubeconfig())
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte(w.cluster.token(w.t, w.namespace, name)), 0o600); err != nil {
		w.t.Fatal(err)
	}
	cert := regexp.MustCompile(`(?m)^ *client-(certificate|key)-data:.*\n`)
	config := cert.ReplaceAllString(string(admin), "")
	config = regexp.MustCompile(`user: *(\{\})?\n?$`).ReplaceAllString(strings.TrimRight(config, "\n"), "user: {tokenFile: token}")
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.env = append(w.env, "KUBECONFIG="+file)
}

// In a namespace that takes only pods of the strictest standard, over a bucket
// whose credentials come from a secret.
func TestARestrictedNamespaceAndABucket(t *testing.T) {
	need(t)
	s3 := miniotest.Start(t)
	w := newWorld(t, worldOptions{
		hours: 6, restricted: true, lake: "s3://" + s3.Bucket(t) + "/lake", s3: "s3: {endpoint: " + s3.Endpoint + "}",
		kubernetes: "\n  secrets: lake-credentials",
	})
	w.cluster.apply(t, `{apiVersion: v1, kind: Secret, metadata: {name: lake-credentials, namespace: `+w.namespace+`},
  stringData: {AWS_ACCESS_KEY_ID: `+s3.AccessKey+`, AWS_SECRET_ACCESS_KEY: `+s3.SecretKey+`, AWS_REGION: `+miniotest.Region+`}}`)
	w.must(0, on("--parallel", "2", "--slices", "3")...)
	w.publishedOnce(0)
}
