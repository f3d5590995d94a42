package post

import (
	"net"
	"net/http"
	"strings"
)

// count keeps how many connections are open.
func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Add(-1)
	}
}

// sharing closes connections after their answers while most of those that there may be
// are open, so that idle ones do not keep others waiting.
func (s *Server) sharing(next http.Handler) http.Handler {
	most := int64(s.limits.Connections)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.conns.Load() > most-(most+3)/4 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// notes hands on what net/http says of connections, a line each.
type notes func(text string)

func (n notes) Write(line []byte) (int, error) {
	if n != nil {
		n(strings.TrimSpace(string(line)))
	}
	return len(line), nil
}
