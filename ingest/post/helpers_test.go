package post

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/internal/log"
	"strandline/internal/metrics"
	"strandline/internal/objstore"
	"strandline/landing"
)

var spec = landing.Spec{
	Stream: "events", EventTime: landing.EventTime{Column: "time", Unit: landing.UnitMillis},
	Columns: []datafile.Column{{Name: "id", Type: datafile.Type{Kind: datafile.Varchar}}, {Name: "n", Type: datafile.Type{Kind: datafile.BigInt}}},
}

const (
	ndjson = "application/x-ndjson"
	csv    = "text/csv"
)

// served is a server at work, over a lake of its own.
type served struct {
	t       *testing.T
	address string // host:port
	store   objstore.Store
	server  *Server
	metrics *metrics.Set
	options Options
	stop    func() // interrupts it, and waits until it has ended
	docs    routers.Router
}

// serve starts a server of the stream "events", as change says.
func serve(t *testing.T, store objstore.Store, change func(*Options)) *served {
	t.Helper()
	s := &served{t: t, store: store, metrics: metrics.New(), docs: documented(t)}
	s.options = Options{
		Streams: map[string]Stream{"events": {Landing: openStream(t, store)}}, Metrics: s.metrics,
		Landed:  func(string, ingest.Outcome) {},
		Note:    func(string) {},
		Trouble: func(string, error) {},
	}
	if change != nil {
		change(&s.options)
	}
	server, err := New(s.options)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.server, s.address = server, listener.Addr().String()
	ctx, interrupt := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	var result error
	stopped := false
	s.stop = func() {
		if interrupt(); !stopped {
			result, stopped = <-ended, true
		}
		if result != nil {
			t.Errorf("serving ended with %v", result)
		}
	}
	t.Cleanup(s.stop)
	return s
}

func openStream(t *testing.T, store objstore.Store) *landing.Stream {
	t.Helper()
	return landing.Open(store, spec, landing.Options{Scratch: t.TempDir(), Log: log.Options{Pause: atOnce}})
}

func atOnce(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// documented finds what the OpenAPI document says of a request.
func documented(t *testing.T) routers.Router {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(description)
	if err != nil {
		t.Fatal(err)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return router
}

// reply is what a request was answered.
type reply struct {
	status  int
	closes  bool // the connection
	header  http.Header
	body    []byte
	answer  Answer // of 200
	problem problem
}

// post posts a body to the stream "events", with headers as "Name: value".
func (s *served) post(contentType, body string, headers ...string) reply {
	s.t.Helper()
	got, err := s.try("POST", "/v1/streams/events", strings.NewReader(body), append(headers, "Content-Type: "+contentType)...)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// try makes a request and holds the answer against the document.
func (s *served) try(method, path string, body io.Reader, headers ...string) (got reply, err error) {
	r, err := http.NewRequest(method, "http://"+s.address+path, body)
	if err != nil {
		return got, err
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return got, err
	}
	defer answer.Body.Close()
	got.status, got.header, got.closes = answer.StatusCode, answer.Header, answer.Close
	if got.body, err = io.ReadAll(answer.Body); err != nil {
		return got, err
	}
	if got.status == http.StatusOK && strings.HasPrefix(path, "/v1/") {
		err = json.Unmarshal(got.body, &got.answer)
	} else if got.header.Get("Content-Type") == "application/problem+json" {
		err = json.Unmarshal(got.body, &got.problem)
	}
	if err != nil {
		return got, fmt.Errorf("answer %q: %w", got.body, err)
	}
	return got, s.isDocumented(r, got)
}

// isDocumented holds an answer against what the document says of the request's path.
func (s *served) isDocumented(r *http.Request, got reply) error {
	asked := r
	if r.Method != http.MethodPost && strings.HasPrefix(r.URL.Path, "/v1/") {
		asked = r.Clone(r.Context())
		asked.Method = http.MethodPost // where the answer to other methods is described
	}
	asked.URL.Host, asked.URL.Scheme = "", ""
	route, params, err := s.docs.FindRoute(asked)
	if err != nil {
		return nil // a path that there isn't
	}
	return openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: asked, PathParams: params, Route: route},
		Status:                 got.status, Header: got.header, Body: io.NopCloser(bytes.NewReader(got.body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
}

// line is one record.
func line(id string) string { return fmt.Sprintf("{\"time\":1772366400000,\"id\":%q,\"n\":1}\n", id) }

// lines are n records, of a prefix and a number.
func lines(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(fmt.Sprintf("%s-%d", prefix, i)))
	}
	return b.String()
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

// landedRow is a row of the lake.
type landedRow struct {
	id, source string
}

// rows reads what has landed, by position.
func (s *served) rows() map[landing.Position]landedRow {
	s.t.Helper()
	return readRows(s.t, s.store)
}

func readRows(t *testing.T, store objstore.Store) map[landing.Position]landedRow {
	t.Helper()
	stream := openStream(t, store)
	if err := stream.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows := map[landing.Position]landedRow{}
	err := stream.WithSegments(t.Context(), landing.Hours{To: 1 << 40}, stream.Next(), func(segments []landing.Segment) error {
		for _, segment := range segments {
			if err := readSegment(t, store, stream, segment, rows); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != int(stream.Next()) {
		t.Errorf("read %d rows of a stream with %d positions", len(rows), stream.Next())
	}
	return rows
}

func readSegment(t *testing.T, store objstore.Store, stream *landing.Stream, segment landing.Segment, rows map[landing.Position]landedRow) error {
	path := filepath.Join(t.TempDir(), segment.ID)
	if err := store.Download(t.Context(), stream.SegmentKey(segment.ID), path); err != nil {
		return err
	}
	file, err := datafile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return file.Scan(func(row []datafile.Value) error {
		rows[segment.Base+landing.Position(row[0].Int64())] = landedRow{id: row[5].String(), source: row[3].String()}
		return nil
	})
}
