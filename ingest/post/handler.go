package post

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"strings"
	"time"

	"strandline/ingest"
	"strandline/internal/digest"
	"strandline/landing"
)

// description is the OpenAPI document of what is served.
//
//go:embed openapi.json
var description []byte

// Handler returns what serves requests. Posts to it wait until Serve is called.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/streams/{stream}", s.post)
	mux.Handle("GET /metrics", s.metrics.Handler())
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(description)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, "", newProblem(http.StatusNotFound, reasonNotFound, "there is nothing here: post to /v1/streams/{stream}; /openapi.json tells how"))
	})
	return mux
}

// readyTime is how long the lake may take to answer, where that is asked.
const readyTime = 5 * time.Second

// ready tells whether posts are taken.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.drain.isStopping() {
		plain(w, http.StatusServiceUnavailable, "stopping")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	for _, l := range s.lanes {
		if l.answers(ctx) != nil { // of which the log of the process tells
			plain(w, http.StatusServiceUnavailable, "the lake does not answer")
			return
		}
	}
	plain(w, http.StatusOK, "ready")
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// post answers a request to land something.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	l := s.lanes[r.PathValue("stream")]
	if l == nil {
		s.refuse(w, "", newProblem(http.StatusNotFound, reasonNotFound, "no stream of this name takes posts: it must be declared, with http"))
		s.linger(w, r)
		return
	}
	answer, problem := s.land(w, r, l)
	if problem != nil {
		s.refuse(w, l.name, problem)
		if problem.Reason != reasonSlow { // which is what is sent slowly
			s.linger(w, r)
		}
		return
	}
	writeJSON(w, "application/json", http.StatusOK, answer)
}

// refuse answers that nothing landed, and counts it.
func (s *Server) refuse(w http.ResponseWriter, stream string, p *problem) {
	s.metrics.Refused(source, stream, p.Status)
	p.write(w)
}

// land does what a request asks for. What can be known without its body is checked
// before that is read, and whether its key has landed before the body is decoded.
func (s *Server) land(w http.ResponseWriter, r *http.Request, l *lane) (Answer, *problem) {
	if r.Method != http.MethodPost {
		return Answer{}, newProblem(http.StatusMethodNotAllowed, reasonMethod, "only POST lands something").with("Allow", http.MethodPost)
	}
	if !s.drain.enter() {
		return Answer{}, stopping()
	}
	defer s.drain.leave()
	asked, problem := s.admit(r, l)
	if problem != nil {
		return Answer{}, problem
	}
	share := &share{of: &s.memory}
	defer share.giveBackAll()
	if !share.take(overhead) {
		return Answer{}, s.unreadable(errNoMemory)
	}
	sent, err := s.receive(w, r, share)
	p := l.newPost(asked, s.limits)
	if p.keyed {
		if !l.underWay.begin(p.outcome.Digest) {
			return Answer{}, keyInFlight()
		}
		defer l.underWay.end(p.outcome.Digest)
	}
	if err == nil {
		err = s.decoding(r.Context(), l, func() error { return s.open(p, sent, r.Header, share) })
	}
	p.options.Room.Ask = share.holding()
	v := s.landOnce(r.Context(), l, p, err)
	return v.answer, v.problem
}

// landOnce lands a post whose key has not landed. Err is why its body could not be
// read; it is told of a post that has not landed only.
func (s *Server) landOnce(ctx context.Context, l *lane, p *post, err error) verdict {
	if key, known, lookErr := l.landedBefore(ctx, p); lookErr != nil {
		return verdict{problem: whyNot(lookErr)}
	} else if known {
		return s.again(l, p, key, err)
	}
	if err == nil {
		err = s.decoding(ctx, l, func() error { return p.check(ctx, l.spec, s.limits.Decompressed) })
	}
	if err == nil {
		return l.hand(ctx, p)
	}
	refused := verdict{problem: s.unreadable(err)}
	if !p.keyed || refused.problem.retry > 0 || l.Landing.Refresh(ctx) != nil {
		return refused
	}
	if key, known, _ := l.landedBefore(ctx, p); known { // by another process
		return s.again(l, p, key, err)
	}
	return refused
}

// landedBefore tells what became of a post with the same key, as far as this process knows.
func (l *lane) landedBefore(ctx context.Context, p *post) (landing.Key, bool, error) {
	if !p.keyed {
		return landing.Key{}, false, nil
	}
	return l.Landing.Key(ctx, p.outcome.Digest)
}

// again answers a post whose key has landed. Where its body could not be read, it can't
// be told whether it is the same.
func (s *Server) again(l *lane, p *post, key landing.Key, err error) verdict {
	if p.outcome.Body != (digest.Hash{}) {
		return l.again(p, key)
	}
	problem := s.unreadable(err)
	problem.Detail = fmt.Sprintf("a post with this Idempotency-Key has landed, at positions [%d, %d), and %d rejects of it; this one could not be compared with it: %s",
		key.From, key.To, key.Rejects, strings.TrimPrefix(problem.Detail, "nothing landed: "))
	return verdict{problem: problem}
}

// asked is what the head of a request says.
type asked struct {
	token  digest.Hash
	format ingest.Format
	key    string // "": none
}

// admit checks the head of a request.
func (s *Server) admit(r *http.Request, l *lane) (asked, *problem) {
	var a asked
	var problem *problem
	if a.token, problem = s.authorize(l, r.Header); problem != nil {
		return a, problem
	}
	if a.format, problem = formatOf(r.Header); problem != nil {
		return a, problem
	}
	if problem = checkEncoding(r.Header); problem != nil {
		return a, problem
	}
	var err error
	if a.key, err = keyOf(r.Header); err != nil {
		return a, newProblem(http.StatusBadRequest, reasonKey, headerKey+": "+err.Error())
	}
	return a, l.pace.check(a.token, l.Rate)
}
