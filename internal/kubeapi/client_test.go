package kubeapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var get = Request{Verb: "get", Group: "batch", Version: "v1", Resource: "jobs", Namespace: "here", Name: "one"}

// serve answers by one function after the other, and the last goes on. It
// returns a client whose pauses take no time but are told.
func serve(t *testing.T, user string, answers ...http.HandlerFunc) (*Client, *[]time.Duration) {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers[min(int(asked.Add(1)), len(answers))-1](w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	config := fmt.Sprintf(`
current-context: x
clusters: [{name: x, cluster: {server: %q, certificate-authority-data: %s, tls-server-name: example.com}}]
users: [{name: x, user: {%s}}]
contexts: [{name: x, context: {cluster: x, user: x}}]
`, server.URL, base64.StdEncoding.EncodeToString(ca), user)
	client, err := Find(Where{Kubeconfig: write(t, "config", config)}, vars())
	if err != nil {
		t.Fatal(err)
	}
	paused := &[]time.Duration{}
	client.pause = func(_ context.Context, d time.Duration) error {
		*paused = append(*paused, d)
		return nil
	}
	return client, paused
}

func ok(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"found": true}`) }

// answers answers as the API does.
func answers(code int, reason, header string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if header != "" {
			w.Header().Set("Retry-After", header)
		}
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(status{Code: code, Reason: reason, Message: "the message"})
	}
}

// lost takes the request, and its answer never arrives.
func lost(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }

func TestABusyClusterIsAskedAgainWhenItSays(t *testing.T) {
	client, paused := serve(t, "token: x", lost, answers(429, "TooManyRequests", "7"), answers(503, "", ""), ok)
	var out struct{ Found bool }
	if err := client.Do(t.Context(), get, &out); err != nil || !out.Found {
		t.Fatal(out, err)
	}
	want := []time.Duration{waits[0], 7 * time.Second, waits[2]}
	if fmt.Sprint(*paused) != fmt.Sprint(want) {
		t.Errorf("waited %v, want %v", *paused, want)
	}
}

func TestAClusterThatStaysAwayIsToldOf(t *testing.T) {
	client, paused := serve(t, "token: x", lost)
	err := client.Do(t.Context(), get, nil)
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "get jobs.batch one in namespace here at https://") {
		t.Errorf("got %v", err)
	}
	if len(*paused) != len(waits) {
		t.Errorf("tried again %d times, want %d", len(*paused), len(waits))
	}
	once := get
	once.Once = true
	*paused = nil
	if err := client.Do(t.Context(), once, nil); !errors.Is(err, ErrUnreachable) || len(*paused) > 0 {
		t.Errorf("got %v after waiting %v", err, *paused)
	}
}

func TestTheLastWordIsNotAskedForAgain(t *testing.T) {
	for _, c := range []struct {
		code   int
		reason string
		want   error
	}{
		{404, "NotFound", ErrNotFound}, {409, "AlreadyExists", ErrExists}, {409, "Conflict", ErrConflict},
		{403, "Forbidden", ErrForbidden}, {422, "Invalid", ErrInvalid}, {400, "BadRequest", ErrInvalid},
	} {
		client, paused := serve(t, "token: x", answers(c.code, c.reason, ""))
		err := client.Do(t.Context(), get, nil)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "the message") || len(*paused) > 0 {
			t.Errorf("%d %s: got %v after waiting %v", c.code, c.reason, err, *paused)
		}
	}
}

// What is on the way, such as a proxy, does not speak as the API does.
func TestAnAnswerThatIsNotTheAPIs(t *testing.T) {
	client, _ := serve(t, "token: x", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(407)
		fmt.Fprint(w, "<html>who are you?")
	})
	if err := client.Do(t.Context(), get, nil); err == nil || !strings.Contains(err.Error(), "407 Proxy Authentication Required: <html>who are you?") {
		t.Errorf("got %v", err)
	}
	client, _ = serve(t, "token: x", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") })
	if err := client.Do(t.Context(), get, new(struct{})); err == nil || !strings.Contains(err.Error(), "read the answer") {
		t.Errorf("got %v", err)
	}
}

func TestAnotherServersCertificateIsNotTriedAgain(t *testing.T) {
	client, paused := serve(t, "token: x", ok)
	stranger, err := Find(Where{Kubeconfig: write(t, "config", fmt.Sprintf(`
current-context: x
clusters: [{name: x, cluster: {server: %q}}]
contexts: [{name: x, context: {cluster: x}}]`, client.Server()))}, vars())
	if err != nil {
		t.Fatal(err)
	}
	stranger.pause = client.pause
	if err := stranger.Do(t.Context(), get, nil); err == nil || errors.Is(err, ErrUnreachable) || len(*paused) > 0 {
		t.Errorf("got %v after waiting %v", err, *paused)
	}
}

// needs takes requests signed so, and knows no others.
func needs(authorization string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != authorization {
			answers(401, "Unauthorized", "")(w, r)
			return
		}
		ok(w, r)
	}
}

func TestEveryWayToSign(t *testing.T) {
	file := write(t, "token", "from-file\n")
	for user, want := range map[string]string{
		"token: plain":                     "Bearer plain",
		"token: plain, tokenFile: " + file: "Bearer from-file",
		"username: u, password: p":         "Basic dTpw",
		"":                                 "",
		"exec: {apiVersion: client.authentication.k8s.io/v1, command: " + tells(t, "by-plugin") + ", args: [a], env: [{name: N, value: v}]}": "Bearer by-plugin a v",
	} {
		client, _ := serve(t, user, needs(want))
		if err := client.Do(t.Context(), get, nil); err != nil {
			t.Errorf("%s: %v", user, err)
		}
	}
}

// tells is a plugin that tells a token, with its first argument and its variable N.
func tells(t *testing.T, token string) string {
	return write(t, "plugin", `#!/bin/sh
case $KUBERNETES_EXEC_INFO in *client.authentication.k8s.io/v1*) ;; *) exit 9 ;; esac
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"`+token+` '$1' '$N'"}}'
`)
}

func TestATokenFileIsReadAgain(t *testing.T) {
	file := write(t, "token", "old")
	client, _ := serve(t, "tokenFile: "+file, needs("Bearer old"), needs("Bearer new"))
	if err := client.Do(t.Context(), get, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := client.Do(t.Context(), get, nil); err != nil {
		t.Fatal(err)
	}
}

// A plugin is asked again only for what has expired, or what the cluster does
// not take any more.
func TestAPluginIsAskedAgainWhenItMust(t *testing.T) {
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	plugin := write(t, "plugin", `#!/bin/sh
echo >> `+count+`
n=$(wc -l < `+count+`)
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'$n'","expirationTimestamp":"2999-01-01T00:00:00Z"}}'
`)
	client, _ := serve(t, "exec: {apiVersion: client.authentication.k8s.io/v1, command: "+plugin+"}",
		needs("Bearer 1"), needs("Bearer 1"), needs("Bearer 2"), needs("Bearer 2"), needs("Bearer 2"))
	for range 4 {
		if err := client.Do(t.Context(), get, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAPluginThatFailsSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		"#!/bin/sh\necho log in first >&2; exit 3": "exit status 3: log in first",
		"#!/bin/sh\necho '{}'":                     "want an ExecCredential",
		"#!/bin/sh\necho nonsense":                 "its answer",
		`#!/bin/sh
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{}}'`: "neither a token nor a certificate",
	} {
		plugin := write(t, "plugin", text)
		client, _ := serve(t, "exec: {apiVersion: client.authentication.k8s.io/v1, command: "+plugin+"}", ok)
		if err := client.Do(t.Context(), get, nil); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), plugin) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

func TestUnknownCredentialsAreToldOf(t *testing.T) {
	client, _ := serve(t, "token: wrong", needs("Bearer right"))
	if err := client.Do(t.Context(), get, nil); !errors.Is(err, ErrForbidden) || !strings.Contains(err.Error(), "does not know the credentials") {
		t.Errorf("got %v", err)
	}
}

// A pod finds all it needs in its folder.
func TestThePodsOwnCluster(t *testing.T) {
	client, _ := serve(t, "", needs("Bearer of-the-pod"))
	dir := t.TempDir()
	transport := client.http.Transport.(*http.Transport)
	for name, text := range map[string]string{"token": "of-the-pod\n", "namespace": "where-it-is\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	writeAuthority(t, transport, client.Server(), filepath.Join(dir, "ca.crt"))
	host, port, _ := strings.Cut(strings.TrimPrefix(client.Server(), "https://"), ":")
	pod, err := find(Where{}, vars("KUBERNETES_SERVICE_HOST", host, "KUBERNETES_SERVICE_PORT", port), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := pod.Do(t.Context(), get, nil); err != nil {
		t.Fatal(err)
	}
	if pod.Namespace != "where-it-is" {
		t.Errorf("got namespace %s", pod.Namespace)
	}
}

// writeAuthority writes the certificate that a test server shows.
func writeAuthority(t *testing.T, transport *http.Transport, server, file string) {
	t.Helper()
	answer, err := (&http.Client{Transport: transport}).Get(server)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: answer.TLS.PeerCertificates[0].Raw})
	if err := os.WriteFile(file, cert, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPaths(t *testing.T) {
	for want, r := range map[string]Request{
		"/apis/batch/v1/namespaces/here/jobs/one": get,
		"/api/v1/namespaces/here/pods":            {Verb: "list", Version: "v1", Resource: "pods", Namespace: "here"},
	} {
		client, _ := serve(t, "", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%q", r.URL.Path) })
		var got string
		if err := client.Do(t.Context(), r, &got); err != nil || got != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}
