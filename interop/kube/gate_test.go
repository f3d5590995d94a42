package kube

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// gate stands between strandline and the API server. It may keep a request or its answer to
// itself, and have whoever asks be killed in that moment.
type gate struct {
	mu     sync.Mutex
	on     string      // the method of requests that it takes notice of, but for dry runs; "" is of none
	after  bool        // they are carried out before
	status int         // it answers so; 0: not at all
	kill   *os.Process // is killed, if not nil
	met    int         // how many it has taken notice of
	odd    oddity      // what it answers of Jobs
	odds   int         // how many times
}

// oddity makes of what is true of a Job another answer, and returns its code.
type oddity func(job map[string]any) (code int)

// answers has what is told of Jobs be odd so many times.
func (g *gate) answers(odd oddity, times int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.odd, g.odds = odd, times
}

// answersOddly answers what is asked of a Job, if that is to be odd.
func (g *gate) answersOddly(server http.Handler, w http.ResponseWriter, r *http.Request) bool {
	if g.odds == 0 || r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/jobs/") {
		return false
	}
	g.odds--
	told, job := httptest.NewRecorder(), map[string]any{}
	server.ServeHTTP(told, r)
	_ = json.Unmarshal(told.Body.Bytes(), &job)
	code := g.odd(job)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(job)
	return true
}

// set says what is to happen at the next requests.
func (g *gate) set(on string, after bool, status int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.on, g.after, g.status, g.kill, g.met = on, after, status, nil, 0
}

// gated has strandline ask the API server through a gate.
func (w *world) gated() *gate {
	w.t.Helper()
	admin, err := os.ReadFile(w.cluster.kubeconfig())
	if err != nil {
		w.t.Fatal(err)
	}
	field := func(name string) string {
		return regexp.MustCompile(`(?m)^ *` + name + `: *(\S+)$`).FindStringSubmatch(string(admin))[1]
	}
	server, err := url.Parse(field("server"))
	if err != nil {
		w.t.Fatal(err)
	}
	cert, _ := base64.StdEncoding.DecodeString(field("client-certificate-data"))
	key, _ := base64.StdEncoding.DecodeString(field("client-key-data"))
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		w.t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(server)
	proxy.Transport = &http.Transport{DisableCompression: true, TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{pair}, InsecureSkipVerify: true}}
	g := &gate{}
	front := httptest.NewServer(g.before(proxy))
	w.t.Cleanup(front.Close)
	file := filepath.Join(w.t.TempDir(), "config")
	text := `{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: "` + front.URL + `"}}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.env = append(w.env, "KUBECONFIG="+file)
	return g
}

func (g *gate) before(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.answersOddly(server, w, r) {
			return
		}
		if g.on == "" || r.Method != g.on || r.URL.Query().Has("dryRun") {
			server.ServeHTTP(w, r)
			return
		}
		g.met++
		if g.after {
			server.ServeHTTP(httptest.NewRecorder(), r)
		}
		if g.kill != nil {
			_ = g.kill.Kill()
		}
		if g.status != 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(g.status)
			_, _ = w.Write([]byte(`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "message": "no, today"}`))
			return
		}
		panic(http.ErrAbortHandler) // which ends the connection without an answer
	})
}

// killed runs strandline until it is killed at its first request of a method, before that is carried out or after.
func (w *world) killed(g *gate, method string, after bool, args ...string) {
	w.t.Helper()
	cmd := w.command(args...)
	g.set(method, after, 0)
	g.mu.Lock()
	err := cmd.Start()
	g.kill = cmd.Process
	g.mu.Unlock()
	if err != nil {
		w.t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as it should be
	if status := cmd.ProcessState; status.Exited() || g.met == 0 {
		w.t.Fatalf("strandline %s was not killed: %v", strings.Join(args, " "), status)
	}
	g.set("", false, 0)
}
