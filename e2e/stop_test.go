package e2e

import (
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A stream that is interrupted while any request of its is under way, from the
// first of its start on, ends cleanly.
func TestAStreamInterruptedAtAnyRequestEndsCleanly(t *testing.T) {
	lines := quakeLines(t)
	k := newKillWorld(t)
	k.write("arrivals/first.ndjson", lines[:40])
	k.write("arrivals/second.ndjson", lines[40:70])
	k.use("template")
	k.run("land", "quakes", "arrivals/first.ndjson")
	k.run("run", "--once") // so that there is a table to read
	k.run("land", "quakes", "arrivals/second.ndjson")
	k.copyLake("whole")
	k.proxy.begin(nil, nil)
	k.run("run", "--once")
	requests := k.proxy.requests()
	for nth := 1; nth <= requests; nth++ {
		if testing.Short() && nth%5 != 0 {
			continue
		}
		for _, how := range []treatment{holdAnswer, holdBody} {
			k.use("template")
			k.copyLake("interrupted")
			k.interruptedAt(nth, how)
			k.forget("interrupted")
		}
	}
}

// interruptedAt starts a stream and interrupts it at its nth request, whose
// answer, or the body of it, is held from then on. What became of a commit the
// program waits to know; anything else it gives up.
func (k *killWorld) interruptedAt(nth int, how treatment) {
	k.t.Helper()
	var notes strings.Builder
	cmd := k.command("run", "--poll", "5ms")
	cmd.Stderr = &notes
	started := make(chan struct{})
	interrupt := sync.OnceFunc(func() { <-started; _ = cmd.Process.Signal(syscall.SIGTERM) })
	k.proxy.begin(func(n int, _ *http.Request) treatment {
		if n < nth {
			return forward
		}
		return how
	}, func(*http.Request) { interrupt() })
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	close(started)
	if err := cmd.Wait(); err != nil {
		k.t.Errorf("strandline run, interrupted at request %d (treatment %d), ended with %v\n%s", nth, how, err, &notes)
	}
	k.proxy.begin(nil, nil)
}

// forget removes a lake, so that its name can be used again.
func (k *killWorld) forget(lake string) {
	k.t.Helper()
	for _, key := range k.keys(lake + "/") {
		if err := k.store.Delete(k.t.Context(), key); err != nil {
			k.t.Fatal(err)
		}
	}
}
