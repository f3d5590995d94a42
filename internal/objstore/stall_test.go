package objstore

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"
)

// stalling opens a bucket at a server, with connections that break soon.
func stalling(t *testing.T, server http.HandlerFunc) *S3 {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	at := httptest.NewServer(server)
	t.Cleanup(at.Close)
	s, err := OpenS3(t.Context(), S3Options{Bucket: "b", Endpoint: at.URL, PathStyle: true, stall: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A server that keeps connections open and does not answer, or breaks off in the middle of
// an answer, holds nobody up for ever.
func TestAServerThatFallsSilentIsGivenUp(t *testing.T) {
	for name, begins := range map[string]func(http.ResponseWriter){
		"before it answers": func(http.ResponseWriter) {},
		"in its answer": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", strconv.Itoa(100))
			_, _ = w.Write([]byte("begins"))
			_ = http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			over := make(chan struct{})
			s := stalling(t, func(w http.ResponseWriter, _ *http.Request) { begins(w); <-over })
			t.Cleanup(func() { close(over) }) // before the server is closed
			if err := s.Create(t.Context(), "a", []byte("body")); err == nil {
				t.Error("create succeeded")
			}
			if body, err := s.Read(t.Context(), "a"); err == nil {
				t.Errorf("read %q", body)
			}
			if _, err := s.List(t.Context(), "", "", 10); err == nil {
				t.Error("list succeeded")
			}
		})
	}
}

// A read may begin before there is anything to wait for, and then has as much time as one
// that begins later.
func TestAWriteGivesAWaitingReadItsTime(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	asked := &asking{Conn: near}
	c := &stallingConn{asked, time.Minute}
	go func() { _, _ = far.Read(make([]byte, 1)) }()
	if _, err := c.Write([]byte("a")); err != nil {
		t.Fatal(err)
	}
	if asked.both.Before(time.Now().Add(30 * time.Second)) {
		t.Errorf("the deadline of both is %v", asked.both)
	}
}

// asking notes the deadline that it is given for reads and writes.
type asking struct {
	net.Conn
	both time.Time
}

func (c *asking) SetDeadline(t time.Time) error {
	c.both = t
	return c.Conn.SetDeadline(t)
}
