package post

import (
	"context"
	"crypto/tls"
	stdlog "log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"strandline/internal/metrics"
)

// Server serves posts, beside its health, its metrics and its description.
type Server struct {
	limits   Limits
	metrics  *metrics.Set
	tls      *Certificate
	note     func(text string)
	lanes    map[string]*lane
	memory   memory
	decoders slots
	drain    *drain
	conns    atomic.Int64 // open now
}

// New returns a server that does not serve yet.
func New(o Options) (*Server, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	limits := o.Limits.withDefaults()
	s := &Server{
		limits: limits, metrics: o.Metrics, tls: o.TLS, note: o.Note, lanes: map[string]*lane{},
		memory:   memory{limit: limits.Memory, metrics: o.Metrics},
		decoders: newSlots(), drain: newDrain(),
	}
	for name, stream := range o.Streams {
		s.lanes[name] = &lane{
			Stream: stream, name: name, spec: stream.Landing.Spec(), delay: limits.Delay,
			landed: o.Landed, trouble: o.Trouble, over: o.Over, decoders: newSlots(),
			posts: make(chan *post), quit: make(chan struct{}),
		}
	}
	return s, nil
}

// How long a server waits for what it does not wait for otherwise.
const (
	headerTime = 10 * time.Second // for the head of a request, which has no longer than a whole one
	idleTime   = 2 * time.Minute  // for the next request of a connection
	commitTime = 2 * time.Minute  // for a commit, which gives up by itself before
	drainTime  = 5 * time.Second  // for bodies that are half there when it is interrupted
)

// maxHeader is how long the head of a request may be, in bytes.
const maxHeader = 16 << 10

// Serve takes requests from a listener, which it closes, until ctx ends. Then it refuses
// new posts, and lands those that are under way, but for bodies that do not come in soon.
// When these are answered it closes the listener and returns nil.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	listener = netutil.LimitListener(listener, s.limits.Connections)
	if s.tls != nil {
		listener = tls.NewListener(listener, s.tls.config())
	}
	server := s.http()
	stop := s.start(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime+commitTime)
	defer cancel()
	s.drain.stop()
	s.drain.wait(patience, drainTime)
	if server.Shutdown(patience) != nil {
		_ = server.Close() // who has waited so long posts again
	}
	<-ended
	return nil
}

// http is the server of connections.
func (s *Server) http() *http.Server {
	return &http.Server{
		Handler: s.sharing(s.Handler()), ConnState: s.count, ReadHeaderTimeout: min(headerTime, s.limits.Read), ReadTimeout: s.limits.Read,
		WriteTimeout: s.limits.Read + commitTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: stdlog.New(notes(s.note), "", 0),
	}
}

// start begins to commit what is posted. Stop ends that, after the commits under way.
func (s *Server) start(ctx context.Context) (stop func()) {
	var committers sync.WaitGroup
	for _, l := range s.lanes {
		committers.Go(func() { l.run(ctx) })
	}
	return func() {
		for _, l := range s.lanes {
			close(l.quit)
		}
		committers.Wait()
	}
}
