package objstore

import (
	"context"
	"net"
	"net/http"
	"time"
)

// stallAfter is how long a connection to a server may lie still in the middle of a call:
// neither side sends, or takes, a byte. Then the call fails as one whose connection broke,
// so that a server or a balancer that keeps connections open and never answers is told of
// and tried again, like one that is gone. It is no limit to how long a call takes.
const stallAfter = time.Minute

// withStall has the connections of a transport break when they lie still for so long.
func withStall(t *http.Transport, after time.Duration) {
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &stallingConn{conn, after}, nil
	}
	// What nobody uses is put away before, so that no call begins on a connection that is
	// about to break.
	t.IdleConnTimeout = after * 3 / 4
}

// stallingConn is a connection whose reads and writes fail after it lay still.
type stallingConn struct {
	net.Conn
	after time.Duration
}

// Read waits for what the other side sends. It may have begun before the call whose answer
// it is for: see Write.
func (c *stallingConn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.after)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

// Write gives a read that is waiting as much time again.
func (c *stallingConn) Write(b []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.after)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
