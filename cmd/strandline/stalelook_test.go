package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"strandline/plans"
	"strandline/requests"
)

// lateCluster is one that has no Job of a plan, and answers after what is to come in between.
type lateCluster struct {
	mu      sync.Mutex
	between func()
}

func (c *lateCluster) next(between func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.between = between
}

func (c *lateCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	between := c.between
	c.between = nil
	c.mu.Unlock()
	if between != nil && strings.Contains(r.URL.Path, "/jobs/") {
		between()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": "not found"}`)
}

// What a cluster said of a request before it was given it, resumed or changed ends nothing, whoever looked. What it
// says of the request as it is does.
func TestALateAnswerEndsNoRequestThatWasChangedSince(t *testing.T) {
	cluster := &lateCluster{}
	server := httptest.NewServer(cluster)
	t.Cleanup(server.Close)
	_, file := clusterAt(t, server.URL)
	id := onClusterSince(t, file)
	plan, err := plans.ParseID(id)
	if err != nil {
		t.Fatal(err)
	}
	change := func(do func(q *requests.Queue) error) {
		l, err := (&app{out: io.Discard, err: io.Discard, configPath: file, env: os.LookupEnv}).writeLake(t.Context())
		if err == nil {
			err = do(l.requests)
			_ = l.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}
	n := 1
	for _, args := range []string{"list", "show " + id[:8], "submit hourly --missing"} {
		for name, do := range map[string]func(q *requests.Queue) error{
			"given": func(q *requests.Queue) error {
				return q.Given(t.Context(), &requests.Request{Submission: requests.Submission{Plan: plan}}, "")
			},
			"resumed": func(q *requests.Queue) error { return q.Resume(t.Context(), plan, nil, nil, "bob") },
			"resized": func(q *requests.Queue) error { n++; return q.Resize(t.Context(), plan, n, "bob") },
		} {
			cluster.next(func() { change(do) })
			r := strandline(t, append([]string{"-c", file, "backfill"}, strings.Fields(args)...)...)
			change(func(q *requests.Queue) error {
				now, err := q.Find(t.Context(), id)
				if err == nil && now.Ended() {
					err = fmt.Errorf("after %s while it was %s it is %s:\n%s%s", args, name, now.State(), r.out, r.err)
				}
				return err
			})
			change(func(q *requests.Queue) error {
				return q.Resume(context.WithoutCancel(t.Context()), plan, nil, nil, "bob")
			})
		}
	}
	if r := strandline(t, "-c", file, "backfill", "list"); !strings.Contains(r.out, "hourly  failed") {
		t.Errorf("list says %s%s", r.out, r.err)
	}
}
