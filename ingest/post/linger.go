package post

import (
	"io"
	"net/http"
	"time"
)

// How much of a refused body is thrown away, and how long nothing may come meanwhile. All of it
// is to come in the time that a request has.
const (
	lingerBytes = 64 << 20
	lingerPart  = 256 << 10
	lingerIdle  = time.Second
)

// linger takes, and throws away, what a client goes on sending after it was refused. Most read
// an answer only when they have sent everything: were the connection closed on them, they
// would be told that it was reset, and not why. One that asked first whether to send (Expect:
// 100-continue) has its answer.
func (s *Server) linger(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 || r.Header.Get("Expect") != "" {
		return
	}
	answer := http.NewResponseController(w)
	if answer.Flush() != nil {
		return
	}
	until := time.Now().Add(s.limits.Read)
	for left := lingerBytes; left > 0 && !s.drain.isStopping(); left -= lingerPart {
		soon := time.Now().Add(lingerIdle)
		if soon.After(until) || answer.SetReadDeadline(soon) != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, r.Body, lingerPart); err != nil {
			return
		}
	}
}
