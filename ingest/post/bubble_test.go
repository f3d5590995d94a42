package post

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"strandline/ingest"
	"strandline/internal/objstore"
	"strandline/landing"
)

// pipes is a listener whose connections are pipes, so that a server can be watched in a
// bubble, where time passes only when everybody waits.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial returns a connection, once it is accepted.
func (p pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours
}

// inBubble serves in a bubble, and interrupts the server when test has returned.
func inBubble(t *testing.T, limits Limits, test func(*testing.T, pipes)) {
	scratch := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		stream := landing.Open(objstore.NewMemory(), spec, landing.Options{Scratch: scratch})
		server, err := New(Options{
			Streams: map[string]Stream{"events": {Landing: stream}}, Limits: limits,
			Landed: func(string, ingest.Outcome) {}, Note: func(string) {}, Trouble: func(_ string, err error) { t.Error(err) },
		})
		if err != nil {
			t.Fatal(err)
		}
		listener := pipes{make(chan net.Conn), make(chan struct{})}
		ctx, interrupt := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- server.Serve(ctx, listener) }()
		test(t, listener)
		interrupt()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// request writes a request, and returns its answer's status, 0 for none.
func request(conn net.Conn, text string) int {
	go func() { _, _ = io.WriteString(conn, text) }()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

const health = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

// No more connections than said are served at a time. When there are so many, one ends
// with its answer, so that the next one is served: idle ones keep nobody waiting.
func TestConnectionsAreBounded(t *testing.T) {
	inBubble(t, Limits{Connections: 1}, func(t *testing.T, listener pipes) {
		first := listener.dial()
		accepted := false
		go func() {
			second := listener.dial()
			accepted = true
			if status := request(second, health); status != 200 {
				t.Errorf("then it was answered %d", status)
			}
			_ = second.Close()
		}()
		synctest.Wait()
		if accepted {
			t.Error("a second connection was accepted while there was a first")
		}
		if status := request(first, health); status != 200 {
			t.Errorf("answered %d", status)
		}
		synctest.Wait()
		if !accepted {
			t.Error("a second connection was not accepted once the first had its answer")
		}
	})
}

// Who sends a head or a body too slowly, or nothing, is cut off.
func TestSlowRequestsAreCutOff(t *testing.T) {
	const head = "POST /v1/streams/events HTTP/1.1\r\nHost: x\r\nA: b"
	for name, c := range map[string]struct {
		part        string
		read, after time.Duration
	}{
		"head":              {head, 20 * time.Second, headerTime},
		"head, little time": {head, 3 * time.Second, 3 * time.Second},
		"body":              {fmt.Sprintf("%s\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\n{", head, ndjson), 20 * time.Second, 20 * time.Second},
		"idle":              {"", 20 * time.Second, headerTime},
		"idle, little time": {"", 3 * time.Second, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Limits{Read: c.read}, func(t *testing.T, listener pipes) {
				conn, begun := listener.dial(), time.Now()
				_, _ = io.WriteString(conn, c.part)
				_, _ = io.Copy(io.Discard, conn) // until the server closes it
				if took := time.Since(begun); took > c.after+time.Second {
					t.Errorf("it was cut off after %v, want %v", took, c.after)
				}
			})
		})
	}
}

// Posts that come within the delay are committed together, and none waits longer, also
// where a commit took long: then those that came meanwhile are next, all of them.
func TestPostsThatComeTogetherAreCommittedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lane{delay: 10 * time.Millisecond, posts: make(chan *post)}
		arrives := func(after time.Duration) {
			go func() {
				time.Sleep(after) // of the bubble's time
				l.posts <- &post{arrived: time.Now()}
			}()
		}
		for i := range 20 {
			arrives(time.Duration(i) * time.Millisecond) // of 0 to 19 ms
		}
		begun := time.Now()
		group := func() (posts int, at time.Duration) { return len(l.gather(<-l.posts)), time.Since(begun) }
		if n, at := group(); n < 10 || n > 11 || at != 10*time.Millisecond {
			t.Errorf("the first group has %d posts, after %v", n, at)
		}
		time.Sleep(40 * time.Millisecond) // as a commit that takes long
		arrives(0)
		synctest.Wait()
		if n, at := group(); n < 10 || n > 11 || at != 50*time.Millisecond {
			t.Errorf("the second group has %d posts, after %v", n, at)
		}
	})
}

// However many posts wait, a group is bounded.
func TestAGroupIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lane{delay: time.Second, posts: make(chan *post)}
		large := &post{arrived: time.Now(), body: make([]byte, maxGroupBytes/2)}
		for range 5 {
			go func() { l.posts <- large }()
		}
		for _, want := range []int{2, 2} {
			if n := len(l.gather(<-l.posts)); n != want {
				t.Errorf("a group has %d large posts, want %d", n, want)
			}
		}
		<-l.posts
		for range maxGroup + 5 {
			go func() { l.posts <- &post{arrived: time.Now()} }()
		}
		if n := len(l.gather(<-l.posts)); n != maxGroup {
			t.Errorf("a group has %d small posts, want %d", n, maxGroup)
		}
		for range 5 {
			<-l.posts
		}
	})
}

// A body that is half there when the server is interrupted holds it up for a few seconds
// and no longer; it is told that nothing landed.
func TestAHalfSentBodyDoesNotHoldTheEndUp(t *testing.T) {
	var begun time.Time
	var status int
	inBubble(t, Limits{Read: time.Minute}, func(t *testing.T, listener pipes) {
		conn := listener.dial()
		go func() {
			status = request(conn, fmt.Sprintf("POST /v1/streams/events HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\n{", ndjson))
			if took := time.Since(begun); took != drainTime || status != 503 {
				t.Errorf("it was answered %d after %v", status, took)
			}
		}()
		synctest.Wait()
		begun = time.Now()
	})
	if status == 0 {
		t.Error("it was not answered")
	}
}
