package post

import (
	_ "embed"
	"net/http"

	"strandline/ingest"
	"strandline/internal/digest"
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

// ready tells whether posts are taken.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	if s.stopping.Load() {
		plain(w, http.StatusServiceUnavailable, "stopping")
		return
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
		return
	}
	answer, problem := s.land(w, r, l)
	if problem != nil {
		s.refuse(w, l.name, problem)
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
// before that is read.
func (s *Server) land(w http.ResponseWriter, r *http.Request, l *lane) (Answer, *problem) {
	asked, problem := s.admit(r, l)
	if problem != nil {
		return Answer{}, problem
	}
	share := &share{of: &s.memory}
	defer share.giveBackAll()
	if !share.take(overhead) {
		return Answer{}, s.unreadable(errNoMemory)
	}
	p, problem := s.read(w, r, l, asked.format, share)
	if problem != nil {
		return Answer{}, problem
	}
	if asked.key != "" {
		p.name(asked)
		if !l.underWay.begin(p.outcome.Digest) {
			return Answer{}, newProblem(http.StatusConflict, reasonKeyInFlight,
				"nothing landed: a post with this Idempotency-Key is being landed; post again for its answer").after(soon)
		}
		defer l.underWay.end(p.outcome.Digest)
	}
	v := l.hand(r.Context(), p)
	return v.answer, v.problem
}

// asked is what the head of a request says.
type asked struct {
	token  digest.Hash
	format ingest.Format
	key    string // "": none
}

// name gives a post its key, by which its source can be found too.
func (p *post) name(a asked) {
	p.keyed, p.outcome.Digest = true, digestOfKey(a.token, a.key)
	p.source = source + ":" + a.key
}

// admit checks the head of a request.
func (s *Server) admit(r *http.Request, l *lane) (asked, *problem) {
	var a asked
	var problem *problem
	if r.Method != http.MethodPost {
		return a, newProblem(http.StatusMethodNotAllowed, reasonMethod, "only POST lands something").with("Allow", http.MethodPost)
	}
	if s.stopping.Load() {
		return a, stopping()
	}
	if a.token, problem = s.authorize(l, r.Header); problem != nil {
		return a, problem
	}
	if a.format, problem = formatOf(r.Header); problem != nil {
		return a, problem
	}
	if problem = checkEncoding(r.Header); problem != nil {
		return a, problem
	}
	if r.ContentLength > s.limits.Body {
		return a, s.unreadable(errTooLarge)
	}
	var err error
	if a.key, err = keyOf(r.Header); err != nil {
		return a, newProblem(http.StatusBadRequest, reasonKey, headerKey+": "+err.Error())
	}
	return a, l.pace.check(a.token, l.Rate)
}
