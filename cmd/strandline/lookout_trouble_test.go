package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// troubledCluster has no Jobs, and answers otherwise of the first that it is asked of.
type troubledCluster struct {
	mu    sync.Mutex
	first string // its path
	other http.HandlerFunc
}

func (c *troubledCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	if c.first == "" && strings.Contains(r.URL.Path, "/jobs/") {
		c.first = r.URL.Path
	}
	first, other := r.URL.Path == c.first, c.other
	c.mu.Unlock()
	if first {
		other(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": "not found"}`)
}

// answers has it answer so of the first from now on.
func (c *troubledCluster) answers(other http.HandlerFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.other = other
}

func isIll(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }

// hangs takes a call, and answers nothing.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// threeOn has three requests be given to a cluster, and returns their ids, the newest first.
func threeOn(t *testing.T, cluster http.Handler) (file string, ids []string) {
	t.Helper()
	server := httptest.NewServer(cluster)
	t.Cleanup(server.Close)
	dir, file := clusterAt(t, server.URL)
	more := filepath.Join(dir, "more.ndjson")
	if err := os.WriteFile(more, []byte(`{"id": 2, "at": 1772326800000}`+"\n"+`{"id": 3, "at": 1772330400000}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := strandline(t, "-c", file, "land", "events", more); r.code != exitDone {
		t.Fatal(r.err)
	}
	for hour := range 3 {
		ids = append(ids, onClusterOf(t, file, "--partition", fmt.Sprintf("2026-03-01T%02d", hour)))
	}
	slices.Reverse(ids)
	return file, ids
}

// What a cluster answers of one Job, as with an error or none at all, hides no other: each request is told of by itself.
func TestTroubleWithOneJobHidesNoOther(t *testing.T) {
	for name, other := range map[string]http.HandlerFunc{
		"500":           isIll,
		"no connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a page":        func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
	} {
		t.Run(name, func(t *testing.T) {
			file, ids := threeOn(t, &troubledCluster{other: other})
			r := strandline(t, "-c", file, "backfill", "list")
			if r.code != exitDone || strings.Count(r.err, "can't be asked") != 1 || !strings.Contains(r.err, "can't be asked about request "+ids[0][:12]) {
				t.Errorf("exit %d: %s", r.code, r.err)
			}
			for i, line := range strings.Split(strings.TrimSpace(r.out), "\n") {
				if want := map[bool]string{true: "waiting", false: "failed"}[i == 0]; !strings.HasPrefix(line, ids[i][:8]+"  hourly  "+want) && !strings.HasPrefix(line, ids[i][:12]+"  hourly  "+want) {
					t.Errorf("line %d is not of %s, %s:\n%s", i, ids[i], want, line)
				}
			}
		})
	}
}

// So it is with one that the cluster does not answer about in time. Where it answers about none, that takes no longer than
// it is to take in all, and each is told of.
func TestTimeOutsHideNoOther(t *testing.T) {
	one := &troubledCluster{other: isIll}
	for name, c := range map[string]struct {
		cluster http.Handler
		set     func(*lookout)
		ended   int
		told    []string
	}{
		"of one": {one, func(o *lookout) { o.first, o.later = time.Millisecond, time.Minute }, 2, []string{"deadline exceeded"}},
		"of all": {http.HandlerFunc(hangs), func(o *lookout) { o.first, o.later, o.most = time.Millisecond, time.Millisecond, 2*time.Millisecond }, 0,
			[]string{"deadline exceeded", "deadline exceeded", "it was not asked, after 2ms in which it did not answer about others"}},
	} {
		t.Run(name, func(t *testing.T) {
			file, ids := threeOn(t, c.cluster)
			l, err := (&app{out: io.Discard, err: io.Discard, configPath: file, env: os.LookupEnv}).writeLake(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if c.cluster == http.Handler(one) { // whose first it is by this, whether or not a call that is given up comes to it
				strandline(t, "-c", file, "backfill", "show", ids[0])
				one.answers(hangs)
			}
			var told []string
			o := l.lookout(func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) })
			c.set(o)
			if err := o.all(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			for i, text := range told {
				if len(told) != len(c.told) || !strings.Contains(text, "about request "+ids[i][:12]) || !strings.Contains(text, c.told[i]) {
					t.Errorf("it tells %q", told)
				}
			}
			ended := 0
			all, err := l.requests.List(t.Context())
			for _, r := range all {
				if r.Ended() {
					ended++
				}
			}
			if err != nil || ended != c.ended || len(told) == 0 {
				t.Errorf("%d have ended, and it told %d times: %v", ended, len(told), err)
			}
		})
	}
}

// What went on in one round is not told in the next, but each round tells all that is new in it.
func TestEachRoundTellsWhatIsNew(t *testing.T) {
	var told []string
	n := newNews(func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) })
	for _, round := range [][]string{{"a", "b", "a"}, {"a", "b"}, {"b", "c"}, {"a"}} {
		for _, text := range round {
			n.say("%s", text)
		}
		n.next()
	}
	if want := []string{"a", "b", "c", "a"}; !slices.Equal(told, want) {
		t.Errorf("it told %v, want %v", told, want)
	}
}
