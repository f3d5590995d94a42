package e2e

import (
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A stream that is interrupted while any request of its is under way, from the
// first of its start on, ends cleanly.
func TestAStreamInterruptedAtAnyRequestEndsCleanly(t *testing.T) {
	lines := quakeLines(t)
	k := newKillWorld(t)
	k.write("arrivals/first.ndjson", lines[:40])
	k.use("template")
	k.run("land", "quakes", "arrivals/first.ndjson")
	k.copyLake("whole")
	k.proxy.begin(nil, nil)
	k.run("run", "--once")
	for nth := 1; nth <= k.proxy.requests(); nth++ {
		if testing.Short() && nth%5 != 0 {
			continue
		}
		k.use("template")
		k.copyLake("interrupted")
		k.interruptedAt(nth)
		k.forget("interrupted")
	}
}

// interruptedAt starts a stream and interrupts it at its nth request, which gets
// no answer before the program has given it up. Some it doesn't give up, so as to
// know what became of a commit: they go on.
func (k *killWorld) interruptedAt(nth int) {
	k.t.Helper()
	var notes strings.Builder
	cmd := k.command("run", "--poll", "5ms")
	cmd.Stderr = &notes
	started := make(chan struct{})
	interrupt := sync.OnceFunc(func() { <-started; _ = cmd.Process.Signal(syscall.SIGTERM) })
	k.proxy.begin(func(n int, r *http.Request) treatment {
		if n < nth {
			return forward
		}
		interrupt()
		givenUp := time.NewTimer(300 * time.Millisecond)
		defer givenUp.Stop()
		select {
		case <-r.Context().Done():
		case <-givenUp.C:
		}
		return forward
	}, nil)
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	close(started)
	if err := cmd.Wait(); err != nil {
		k.t.Errorf("strandline run, interrupted at request %d, ended with %v\n%s", nth, err, &notes)
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

