package post

import (
	"context"
	"crypto/tls"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"runtime"
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
	lanes    map[string]*lane
	memory   memory
	decoders chan struct{} // as many decode at a time as it has room for
	stopping atomic.Bool
}

// New returns a server that does not serve yet.
func New(o Options) (*Server, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	limits := o.Limits.withDefaults()
	s := &Server{
		limits: limits, metrics: o.Metrics, tls: o.TLS, lanes: map[string]*lane{},
		memory:   memory{limit: limits.Memory, metrics: o.Metrics},
		decoders: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	for name, stream := range o.Streams {
		s.lanes[name] = &lane{
			Stream: stream, name: name, spec: stream.Landing.Spec(), delay: limits.Delay,
			landed: o.Landed, trouble: o.Trouble, posts: make(chan *post), quit: make(chan struct{}),
		}
	}
	return s, nil
}

// How long a server waits for what it does not wait for otherwise.
const (
	headerTime = 10 * time.Second // for the head of a request
	idleTime   = 2 * time.Minute  // for the next request of a connection
	commitTime = 2 * time.Minute  // for a commit, which gives up by itself before
)

// maxHeader is how long the head of a request may be, in bytes.
const maxHeader = 16 << 10

// Serve takes requests from a listener, which it closes, until ctx ends. Then it refuses
// new ones, lands those that are under way, for as long as one may take to come in, and
// returns nil.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	listener = netutil.LimitListener(listener, s.limits.Connections)
	if s.tls != nil {
		listener = tls.NewListener(listener, s.tls.config())
	}
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerTime, ReadTimeout: s.limits.Read,
		WriteTimeout: s.limits.Read + commitTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: stdlog.New(io.Discard, "", 0), // of clients that went away
	}
	stop := s.start(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limits.Read+commitTime)
	defer cancel()
	if server.Shutdown(patience) != nil {
		_ = server.Close() // who has waited so long posts again
	}
	<-ended
	return nil
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
