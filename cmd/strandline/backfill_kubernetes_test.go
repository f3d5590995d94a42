package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strandline/plans"
)

// What a cluster would never be asked is told before anything is planned.
func TestABackfillThatNoClusterCanRunIsRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "strandline.yaml")
	text := `lake: ./lake
streams: {events: {format: ndjson, event_time: {column: at, unit: ms}, columns: {id: BIGINT}}}
jobs: {hourly: {from: events, window: {tumbling: 1h}, partition: hour, key: [window_start], sql: "SELECT window_start, count(*) AS n FROM events GROUP BY window_start"}}
`
	for _, c := range []struct{ config, args, want string }{
		{"", "--on mars", `--on "mars": want kubernetes`},
		{"", "--detach", "go with --on kubernetes"},
		{"", "--slices 3", "go with --on kubernetes"},
		{"", "--on kubernetes --slices 1001", "--slices 1001: want 1 to 1000"},
		{"", "--on kubernetes --shard 0/2", "leave out --shard"},
		{"", "--on kubernetes --write-plan", "leave out --shard and --write-plan"},
		{"", "--on kubernetes", "kubernetes is missing"},
		{"kubernetes: {image: x}", "--on kubernetes", "no pod has: mount it"},
		{"kubernetes: {image: x}", "--on kubernetes --dry-run", "no pod has: mount it"},
		{"kubernetes: {image: x, container: {volumMounts: []}}", "--on kubernetes", `did you mean "volumeMounts"?`},
	} {
		if err := os.WriteFile(file, []byte(text+c.config), 0o600); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"-c", file, "backfill", "hourly", "--last", "7d"}, strings.Fields(c.args)...)
		if r := strandline(t, args...); r.code != exitUsage || !strings.Contains(r.err, c.want) {
			t.Errorf("%s: exit %d, %s\nwant %s", c.args, r.code, r.err, c.want)
		}
	}
}

// withoutCluster makes a lake with an event, whose cluster has a certificate that nobody trusts.
func withoutCluster(t *testing.T) (dir, file string) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return clusterAt(t, server.URL)
}

// clusterAt makes a lake with an event, whose cluster has an address.
func clusterAt(t *testing.T, url string) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	file, kubeconfig := filepath.Join(dir, "strandline.yaml"), filepath.Join(dir, "kubeconfig")
	for path, text := range map[string]string{
		file: `lake: ./lake
streams: {events: {format: ndjson, event_time: {column: at, unit: ms}, columns: {id: BIGINT}}}
jobs: {hourly: {from: events, window: {tumbling: 1h}, partition: hour, key: [window_start], sql: "SELECT window_start, count(*) AS n FROM events GROUP BY window_start"}}
kubernetes: {image: x, namespace: data, container: {volumeMounts: [{name: lake, mountPath: /lake}]}}
`,
		kubeconfig:                          `{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: "` + url + `"}}]}`,
		filepath.Join(dir, "events.ndjson"): `{"id": 1, "at": 1772323200000}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("KUBECONFIG", kubeconfig)
	if r := strandline(t, "-c", file, "land", "events", filepath.Join(dir, "events.ndjson")); r.code != exitDone {
		t.Fatal(r.err)
	}
	return dir, file
}

// What an engine can't be asked to run, or does not take, changes nothing of the lake: the
// code of the table least of all.
func TestNothingIsWrittenBeforeTheClusterWouldTakeIt(t *testing.T) {
	dir, file := withoutCluster(t)
	before := allFiles(t, filepath.Join(dir, "lake"))
	if r := strandline(t, "-c", file, "backfill", "hourly", "--missing", "--on", "kubernetes"); r.code != exitFailed || !strings.Contains(r.err, "certificate signed by unknown authority") || r.out != "" {
		t.Fatalf("exit %d: %s%s", r.code, r.out, r.err)
	}
	if after := allFiles(t, filepath.Join(dir, "lake")); !slices.Equal(before, after) {
		t.Errorf("the lake had %v, and has %v", before, after)
	}
}

// A page of code 200 is nothing that a cluster has taken, followed or not.
func TestAPageIsNotTakenForACluster(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html><title>Sign in</title>")
	}))
	t.Cleanup(page.Close)
	_, file := clusterAt(t, page.URL)
	r := strandline(t, "-c", file, "backfill", "hourly", "--missing", "--on", "kubernetes", "--detach")
	for _, want := range []string{page.URL, "not the answer of a Kubernetes API: 200 OK, text/html: Sign in", "HTTPS_PROXY"} {
		if r.code != exitFailed || r.out != "" || !strings.Contains(r.err, want) {
			t.Errorf("exit %d: %s%s\nwant %s", r.code, r.out, r.err, want)
		}
	}
	if list := strandline(t, "-c", file, "backfill", "list"); list.out != "" {
		t.Errorf("list says %s", list.out)
	}
}

// A change that the cluster can't be told of changes nothing of the lake either, but for a cancel, which
// says what may run still, and what to say again.
func TestAChangeThatTheClusterIsNotToldOf(t *testing.T) {
	dir, file := withoutCluster(t)
	id := onClusterSince(t, file)
	before := allFiles(t, filepath.Join(dir, "lake"))
	for _, args := range []string{"pause " + id, "resize " + id + " --parallel 7", "resume " + id} {
		r := strandline(t, append([]string{"-c", file, "backfill"}, strings.Fields(args)...)...)
		if after := allFiles(t, filepath.Join(dir, "lake")); r.code != exitFailed || !strings.Contains(r.err, "certificate signed by unknown authority") || !slices.Equal(before, after) {
			t.Errorf("%s: exit %d: %s%s\nthe lake had %v, and has %v", args, r.code, r.out, r.err, before, after)
		}
	}
	r := strandline(t, "-c", file, "backfill", "cancel", id)
	for _, want := range []string{"is cancelled in the lake", "up to 4 slices may run", "say strandline backfill cancel " + id[:12] + " again", "kubectl -n data delete job strandline-"} {
		if r.code != exitFailed || !strings.Contains(r.err, want) {
			t.Errorf("cancel: exit %d: %s%s\nwant %s", r.code, r.out, r.err, want)
		}
	}
	if r := strandline(t, "-c", file, "backfill", "list"); !strings.Contains(r.out, "hourly  cancelled") || !strings.Contains(r.out, "kubernetes has not said that it has ended it: strandline backfill cancel "+id[:12]) {
		t.Errorf("list says %s%s", r.out, r.err)
	}
}

// allFiles lists the files of a folder.
func allFiles(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Show tells what the cluster says of a request, or why that can't be asked; what the
// lake knows it tells in any case.
func TestShowGoesOnWithoutTheCluster(t *testing.T) {
	_, file := withoutCluster(t)
	id := onClusterSince(t, file)[:8]
	r := strandline(t, "-c", file, "backfill", "show", id)
	if want := "kubernetes can't be asked about request " + id; r.code != exitDone || !strings.Contains(r.err, want) || !strings.Contains(r.out, "slices: 1, ") {
		t.Errorf("exit %d: %s%s\nwant %s", r.code, r.out, r.err, want)
	}
	if r := strandline(t, "-c", file, "--json", "backfill", "show", id); r.code != exitDone || strings.Contains(r.out, `"engine"`) || !strings.Contains(r.err, "can't be asked") {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
}

// onClusterSince enters a request of what is missing as one that was given to a cluster, which is away since.
func onClusterSince(t *testing.T, file string) (id string) {
	t.Helper()
	return onClusterOf(t, file, "--missing")
}

// onClusterOf enters one of a range.
func onClusterOf(t *testing.T, file string, of ...string) (id string) {
	t.Helper()
	a := &app{out: io.Discard, err: io.Discard, configPath: file, env: os.LookupEnv}
	id, _, _ = strings.Cut(strandline(t, append([]string{"-c", file, "backfill", "hourly", "--write-plan"}, of...)...).out, "\n")
	l, err := a.writeLake(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	plan, err := plans.ParseID(id)
	if err != nil {
		t.Fatal(err)
	}
	f, err := plans.Read(t.Context(), l.store, plan)
	if err != nil {
		t.Fatal(err)
	}
	s := planned{File: f, id: plan}.submission(defaultSubmission, "the test")
	s.On = onKubernetes
	if _, _, err := l.submit(t.Context(), f, s, nil, nil); err != nil {
		t.Fatal(err)
	}
	return id
}
