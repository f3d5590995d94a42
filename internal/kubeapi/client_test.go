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

var get = Request{Verb: "get", Group: "batch", Version: "v1", Resource: "jobs", Kind: "Job", Namespace: "here", Name: "one"}

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
	paused, clock := &[]time.Duration{}, time.Now()
	client.now = func() time.Time { return clock }
	client.pause = func(_ context.Context, d time.Duration) error {
		*paused, clock = append(*paused, d), clock.Add(d)
		return nil
	}
	return client, paused
}

func ok(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, one) }

// one is the Job that is asked for.
const one = `{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "one"}, "found": true}`

// answers answers as the API does.
func answers(code int, reason, header string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if header != "" {
			w.Header().Set("Retry-After", header)
		}
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(status{Kind: kindStatus, Code: code, Reason: reason, Message: "the message"})
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

// However a cluster asks to be left alone, it is asked again, within a minute and no later,
// and people are told what is waited for.
func TestACallWaitsForAMinuteAtMost(t *testing.T) {
	ours := fmt.Sprint(waits)
	for _, c := range []struct{ header, waited, told, says string }{
		{"-1", ours, "429 Too Many Requests", "try again in a minute"},
		{"-99999999999", ours, "(trying again in 4s)", "try again in a minute"},
		{"Wed, 21 Oct 2015 07:28:00 GMT", ours, "(trying again in 2s)", "try again in a minute"},
		{"0", ours, "get jobs.batch one in namespace here at https://", "try again in a minute"},
		{"30", "[30s 30s]", "(trying again in 30s)", "not tried again, since that would be in 30s, and more than 1m0s after"},
		{"61", "[]", "", "that would be in 1m1s"},
		{"99999999999", "[]", "", "that would be in 24h0m0s"},
		{"99999999999999999999", ours, "(trying again in 1s)", "try again in a minute"},
	} {
		client, paused := serve(t, "token: x", answers(429, "TooManyRequests", c.header))
		var told []string
		client.Tell = func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }
		err := client.Do(t.Context(), get, nil)
		if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), c.says) || fmt.Sprint(*paused) != c.waited {
			t.Errorf("Retry-After %s: got %v after waiting %v", c.header, err, *paused)
		}
		if all := strings.Join(told, "\n"); c.told == "" && all != "" || !strings.Contains(all, c.told) || strings.Contains(all, "250ms") || strings.Contains(all, "try again in") {
			t.Errorf("Retry-After %s: told\n%s", c.header, all)
		}
	}
}

// A cluster that takes requests and lets their time run out is not waited for over and over.
func TestSlowTriesCountAsWaiting(t *testing.T) {
	client, paused := serve(t, "token: x", lost)
	clock := time.Now()
	client.now = func() time.Time { clock = clock.Add(29 * time.Second); return clock }
	if err := client.Do(t.Context(), get, nil); !errors.Is(err, ErrUnreachable) || len(*paused) != 2 {
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

// says answers with a text of a type.
func says(code int, kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		fmt.Fprint(w, text)
	}
}

// What is on the way, such as a proxy, does not speak as the API does: it is named, and has
// carried nothing out, whether or not anybody wants to read the answer.
func TestAnAnswerThatIsNotTheAPIs(t *testing.T) {
	const page = "<html><head><style>p {}</style><title>Sign in</title></head><!-- x --><body><p>who are\nyou?"
	create, remove, list := get, get, get
	create.Verb, remove.Verb, list.Verb, list.Name = "create", "delete", "list", ""
	for _, c := range []struct {
		r    Request
		say  http.HandlerFunc
		want string
	}{
		{get, says(407, "text/html", page), "the answer is 407 Proxy Authentication Required, text/html: Sign in who are you?"},
		{create, says(200, "text/html; charset=utf-8", page), "200 OK, text/html: Sign in who are you?"},
		{create, says(201, "", ""), "201 Created, with nothing in it"},
		{create, says(204, "", ""), "204 No Content, with nothing in it"},
		{create, says(200, "text/html", "<html></html>"), "200 OK, text/html without words"},
		{create, says(200, "application/json", `{"ok": true}`), `application/json: {"ok": true}`},
		{create, says(200, "application/json", `[]`), `application/json: []`},
		{create, says(201, "application/json", strings.Replace(one, `"one"`, `"two"`, 1)), `it is a Job "two" of batch/v1, and not the Job "one" of batch/v1`},
		{create, says(201, "application/json", strings.Replace(one, "Job", "Pod", 1)), `it is a Pod "one" of batch/v1`},
		{create, says(201, "application/json", strings.Replace(one, "batch/v1", "batch/v2", 1)), "of batch/v2"},
		{create, says(200, "application/json", `{"kind": "Status", "apiVersion": "v1", "status": "Success"}`), `it is a Status "" of v1`},
		{remove, says(200, "application/json", `{"kind": "Status", "apiVersion": "v1", "status": "Failure"}`), `it is a Status "" of v1`},
		{list, says(200, "application/json", one), `and not the JobList`},
		{get, says(404, "text/html", page), "404 Not Found, text/html"},
		{get, says(403, "application/json", `{"message": "who?"}`), `403 Forbidden, application/json: {"message": "who?"}`},
		{get, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }, "302 Found, text/html: Found . (Location: /login)"},
	} {
		client, paused := serve(t, "token: x", c.say)
		err := client.Do(t.Context(), c.r, nil)
		if !errors.Is(err, ErrAnswer) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), client.Server()) || len(*paused) > 0 {
			t.Errorf("got %v after waiting %v\nwant %s", err, *paused, c.want)
		}
		for _, other := range []error{ErrNotFound, ErrForbidden, ErrExists, ErrUnreachable} {
			if errors.Is(err, other) {
				t.Errorf("%v is taken for %v", err, other)
			}
		}
	}
}

func TestWhatTheAPIAnswersIsTaken(t *testing.T) {
	create, remove, list := get, get, get
	create.Verb, remove.Verb, list.Verb, list.Name = "create", "delete", "list", ""
	for _, c := range []struct {
		r   Request
		say string
	}{
		{create, one}, {remove, one},
		{remove, `{"kind": "Status", "apiVersion": "v1", "status": "Success"}`},
		{list, `{"kind": "JobList", "apiVersion": "batch/v1", "metadata": {"resourceVersion": "7"}, "items": []}`},
	} {
		client, _ := serve(t, "token: x", says(200, "application/json", c.say))
		if err := client.Do(t.Context(), c.r, nil); err != nil {
			t.Errorf("%s: %v", c.say, err)
		}
	}
}

// Who is busy says so by a code alone, or by a page.
func TestABusyAnswerSaysTheCodeAndWhatToDo(t *testing.T) {
	for _, c := range []struct {
		say   http.HandlerFunc
		wants []string
	}{
		{says(429, "", ""), []string{"429 Too Many Requests, with nothing in it", "try again in a minute"}},
		{says(429, "text/plain", "Too many requests, please try again later."), []string{"429 Too Many Requests, text/plain: Too many requests", "try again in a minute"}},
		{says(502, "text/html", "<html><h1>502 Bad Gateway</h1><hr>nginx"), []string{"502 Bad Gateway, text/html: 502 Bad Gateway nginx", "on the way to it"}},
		{says(503, "", ""), []string{"503 Service Unavailable, with nothing in it", "when it is well"}},
		{answers(500, "InternalError", ""), []string{"500 Internal Server Error: the message", "when it is well"}},
		{says(500, "application/json", `{"kind": "Status"}`), []string{"500 Internal Server Error;"}},
	} {
		client, paused := serve(t, "token: x", c.say)
		err := client.Do(t.Context(), get, nil)
		for _, want := range append(c.wants, "get jobs.batch one in namespace here at https://") {
			if !errors.Is(err, ErrUnreachable) || errors.Is(err, ErrAnswer) || !strings.Contains(err.Error(), want) || len(*paused) != len(waits) {
				t.Errorf("got %v after waiting %v\nwant %s", err, *paused, want)
			}
		}
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
	if err := stranger.Do(t.Context(), get, nil); err == nil || !strings.Contains(err.Error(), "certificate-authority of the kubeconfig") || errors.Is(err, ErrUnreachable) || len(*paused) > 0 {
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
		"#!/bin/sh\necho '{}'":                     `its answer has kind "" and apiVersion "": want an ExecCredential of client.authentication.k8s.io/v1`,
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
	create := get
	create.Verb = "create"
	for _, c := range []struct {
		r    Request
		want string
	}{
		{get, "/apis/batch/v1/namespaces/here/jobs/one"},
		{create, "/apis/batch/v1/namespaces/here/jobs"},
		{Request{Verb: "list", Version: "v1", Resource: "pods", Kind: "Pod", Namespace: "here"}, "/api/v1/namespaces/here/pods"},
		{Request{Verb: "get", Version: "v1", Resource: "namespaces", Kind: "Namespace", Name: "here"}, "/api/v1/namespaces/here"},
	} {
		got := ""
		client, _ := serve(t, "", func(w http.ResponseWriter, r *http.Request) {
			got = r.URL.Path
			ok(w, r)
		})
		if _ = client.Do(t.Context(), c.r, nil); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
