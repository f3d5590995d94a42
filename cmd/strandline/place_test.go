package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"strandline/plans"
	"strandline/requests"
)

// placedCluster is one whose namespaces have an uid, if the account may know it, and that has no Job.
type placedCluster struct {
	uid     atomic.Pointer[string] // nil: it may not
	deleted atomic.Int32
}

func (c *placedCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	uid := c.uid.Load()
	switch isNamespace := !strings.Contains(r.URL.Path, "/jobs"); {
	case isNamespace && uid != nil:
		_, _ = fmt.Fprintf(w, `{"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "data", "uid": %q}}`, *uid)
		return
	case isNamespace:
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": "no"}`)
		return
	case r.Method == http.MethodDelete:
		c.deleted.Add(1)
	}
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": "not found"}`)
}

// Who asks another cluster, or another namespace, than a request was given to ends and changes nothing of it, and is
// told where it is. The others are listed. Where it was given to it is judged, and so it is where nobody wrote
// down where that was.
func TestARequestIsJudgedWhereItWasGivenTo(t *testing.T) {
	given := requests.Place{Namespace: "data", Server: "https://there", ID: "uid-1"}
	for _, c := range []struct {
		name      string
		given     *requests.Place
		uid       string // of the namespace that is asked; "" can't be known
		elsewhere string // what is said of it, or "" where it is judged
	}{
		{"there", &given, "uid-1", ""},
		{"another cluster", &given, "uid-2", "it is in namespace data of the cluster at https://there (uid uid-1), and this configuration asks namespace data of the cluster at http://127.0.0.1"},
		{"another namespace", &requests.Place{Namespace: "ff", Server: "https://there"}, "uid-1", "it is in namespace ff of the cluster at https://there, and this configuration asks namespace data of"},
		{"not to be known", &given, "", "may not get the namespace"},
		{"not known then", &requests.Place{Namespace: "data", Server: "https://there"}, "uid-1", ""},
		{"by an older program", nil, "uid-1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster := &placedCluster{}
			if c.uid != "" {
				cluster.uid.Store(&c.uid)
			}
			server := httptest.NewServer(cluster)
			t.Cleanup(server.Close)
			dir, file := clusterAt(t, server.URL)
			id := onClusterSince(t, file)
			place(t, file, id, c.given)
			before := len(allFiles(t, filepath.Join(dir, "lake", "requests")))
			list := strandline(t, "-c", file, "backfill", "list")
			if want := map[bool]string{true: "hourly  failed", false: "hourly  waiting"}[c.elsewhere == ""]; list.code != exitDone || !strings.Contains(list.out, want) || !strings.Contains(list.out, c.elsewhere) {
				t.Errorf("list: exit %d: %s%s\nwant %s", list.code, list.out, list.err, c.elsewhere)
			}
			if c.elsewhere == "" || c.uid == "" {
				return
			}
			for _, args := range []string{"show " + id, "cancel " + id, "pause " + id, "resume " + id, "resize " + id + " --parallel 3"} {
				code := exitFailed
				if strings.HasPrefix(args, "show") {
					code = exitDone
				}
				if r := strandline(t, append([]string{"-c", file, "backfill"}, strings.Fields(args)...)...); r.code != code || !strings.Contains(r.out+r.err, c.elsewhere) {
					t.Errorf("%s: exit %d: %s%s\nwant %s", args, r.code, r.out, r.err, c.elsewhere)
				}
			}
			if after := len(allFiles(t, filepath.Join(dir, "lake", "requests"))); after != before || cluster.deleted.Load() > 0 {
				t.Errorf("the log of requests had %d files, and has %d; %d Jobs were deleted", before, after, cluster.deleted.Load())
			}
		})
	}
}

// place has a request be one that was given to a place.
func place(t *testing.T, file, id string, at *requests.Place) {
	t.Helper()
	plan, err := plans.ParseID(id)
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&app{out: io.Discard, err: io.Discard, configPath: file, env: os.LookupEnv}).writeLake(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r, err := l.requests.Find(t.Context(), id)
	if err == nil {
		err = l.requests.Cancel(t.Context(), plan, "", requests.Outcome{})
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Place = at
	if _, _, err := l.requests.Submit(t.Context(), r.Submission, nil, nil); err != nil {
		t.Fatal(err)
	}
}
