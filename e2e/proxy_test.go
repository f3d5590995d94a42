package e2e

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// what becomes of one request that goes through a proxy.
type treatment int

const (
	forward     treatment = iota
	cutBefore             // it never reaches the server
	cutAfter              // the server acts, and its answer is lost
	holdAnswer            // the answer comes once the client has given up, or after a while
	holdBody              // the same, but the answer's head comes at once
	pauseBefore           // cut is called, and then it goes on to the server
	pauseAfter            // the server acts, cut is called, and then comes the answer
)

// heldFor is how long an answer is held from a client that does not give up.
const heldFor = 300 * time.Millisecond

// proxy stands between the program and an S3 server, and treats each request as
// its hook says. A request that is cut ends with a closed connection.
type proxy struct {
	URL      string
	upstream *url.URL

	mu    sync.Mutex
	seen  int
	treat func(nth int, r *http.Request) treatment // of the nth request, from 1
	cut   func(r *http.Request)                    // called when a request is cut, held or paused, before the client can tell
}

func newProxy(t *testing.T, endpoint string) *proxy {
	t.Helper()
	upstream, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{upstream: upstream}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// begin counts from one again and treats requests as treat says.
func (p *proxy) begin(treat func(int, *http.Request) treatment, cut func(*http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen, p.treat, p.cut = 0, treat, cut
}

// requests is how many requests came since begin.
func (p *proxy) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

func (p *proxy) next(r *http.Request) (treatment, func(*http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen++
	if p.treat == nil {
		return forward, nil
	}
	return p.treat(p.seen, r), p.cut
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	treatment, cut := p.next(r)
	switch treatment {
	case cutBefore:
		abandon(r, cut)
	case pauseBefore:
		cut(r)
	}
	answer, err := p.forward(r)
	if err != nil {
		panic(http.ErrAbortHandler) // the client's connection ends as the server's did
	}
	defer answer.Body.Close()
	switch treatment {
	case cutAfter:
		abandon(r, cut)
	case pauseAfter:
		cut(r)
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	if treatment == holdAnswer {
		hold(r, cut)
	}
	w.WriteHeader(answer.StatusCode)
	if treatment == holdBody {
		_ = http.NewResponseController(w).Flush()
		hold(r, cut)
	}
	if _, err := io.Copy(w, answer.Body); err != nil && !errors.Is(err, context.Canceled) {
		panic(http.ErrAbortHandler)
	}
}

func hold(r *http.Request, cut func(*http.Request)) {
	if cut != nil {
		cut(r)
	}
	timer := time.NewTimer(heldFor)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
	case <-timer.C:
	}
}

func abandon(r *http.Request, cut func(*http.Request)) {
	if cut != nil {
		cut(r)
	}
	panic(http.ErrAbortHandler)
}

// forward sends a request on as it is: the host that it names is signed. It
// goes to its end even if the client has gone, as a packet that was sent does.
func (p *proxy) forward(r *http.Request) (*http.Response, error) {
	out := r.Clone(context.WithoutCancel(r.Context()))
	out.URL.Scheme, out.URL.Host, out.RequestURI = p.upstream.Scheme, p.upstream.Host, ""
	return http.DefaultTransport.RoundTrip(out)
}
