package post

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/klauspost/compress/zstd"

	"strandline/ingest"
	"strandline/internal/objstore"
	"strandline/landing"
)

func TestTheDocumentIsOpenAPI(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(description)
	if err == nil {
		err = doc.Validate(t.Context())
	}
	if err != nil {
		t.Error(err)
	}
	for _, m := range mediaTypes {
		if doc.Paths.Value("/v1/streams/{stream}").Post.RequestBody.Value.Content[m.name] == nil {
			t.Errorf("the document does not have %s", m.name)
		}
	}
}

// What is answered is what is in the lake.
func TestAnAnswerTellsWhatLanded(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	first := s.post(ndjson, line("a")+"{\"time\":1772366400000,\"n\":\"much\"}\n\n"+line("b")+"no json\n")
	second := s.post(ndjson, line("c"))

	want := Answer{Stream: "events", Source: first.answer.Source, From: 0, To: 2, Landed: 2, Rejects: 2}
	want.Rejected = first.answer.Rejected
	if fmt.Sprint(first.answer) != fmt.Sprint(want) {
		t.Errorf("answered %s", first.body)
	}
	if r := first.answer.Rejected; len(r) != 2 || r[0].Line != 2 || !strings.Contains(r[0].Reason, "column n") || r[1].Line != 5 {
		t.Errorf("rejected %+v", r)
	}
	if a := second.answer; a.From != 2 || a.To != 3 || a.Source == want.Source || len(a.Rejected) != 0 {
		t.Errorf("then answered %s", second.body)
	}
	rows := s.rows()
	for position, want := range []landedRow{{"a", want.Source}, {"b", want.Source}, {"c", second.answer.Source}} {
		if got := rows[landing.Position(position)]; got != want {
			t.Errorf("at position %d is %v, want %v", position, got, want)
		}
	}
}

// Bodies of records that are all rejects, and of none, are no errors: what there is has landed.
func TestABodyWithoutRowsIsAnsweredAsAnyOther(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	for body, rejects := range map[string]int64{"": 0, "\n": 0, "x\ny\n": 2, strings.Repeat("x\n", 25): 25} {
		got := s.post(ndjson, body)
		if got.status != 200 || got.answer.Landed != 0 || got.answer.Rejects != rejects || len(got.answer.Rejected) != int(min(rejects, maxReasons)) {
			t.Errorf("%q: %d %s", body, got.status, got.body)
		}
	}
}

func TestEveryTypeAndEncodingLandsTheSame(t *testing.T) {
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{csv: "time,id,n\n1772366400000,a,1\n1772366400000,b,1\n", ndjson: line("a") + line("b"), "application/json": "[" + line("a") + "," + line("b") + "]"}
	s := serve(t, objstore.NewMemory(), nil)
	for contentType, body := range bodies {
		for encoding, sent := range map[string]string{
			"": body, "identity": body, "gzip": gzipped(body), "x-gzip": gzipped(body), "zstd": string(encoder.EncodeAll([]byte(body), nil)),
		} {
			got := s.post(contentType, sent, "Content-Encoding: "+encoding)
			if got.status != 200 || got.answer.Landed != 2 || got.answer.Rejects != 0 {
				t.Errorf("%s, %s: %d %s", contentType, encoding, got.status, got.body)
			}
		}
	}
	var ids []string
	for _, row := range s.rows() {
		ids = append(ids, row.id)
	}
	slices.Sort(ids)
	if want := strings.Repeat("a", 15) + strings.Repeat("b", 15); strings.Join(ids, "") != want {
		t.Errorf("landed %v", ids)
	}
}

// A post's rows have the source that its answer names, also those of one that is read in
// parts, beside others in one commit.
func TestRowsOfPostsOfAnySizeAreOfTheirPost(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	sizes := []int{1, 3000, 2, 5000}
	replies := make([]reply, len(sizes))
	var posts sync.WaitGroup
	for i, n := range sizes {
		posts.Go(func() { replies[i] = s.post(ndjson, strings.Repeat(line(strconv.Itoa(i)), n)) })
	}
	posts.Wait()
	rows := s.rows()
	for i, got := range replies {
		if got.status != 200 || got.answer.Landed != int64(sizes[i]) {
			t.Fatalf("%d %s", got.status, got.body)
		}
		for at := got.answer.From; at < got.answer.To; at++ {
			if want := (landedRow{strconv.Itoa(i), got.answer.Source}); rows[at] != want {
				t.Fatalf("the row at %d of a post of %d is %v, want %v", at, sizes[i], rows[at], want)
			}
		}
	}
}

// The delimiter of a stream of CSV is that of its posts too.
func TestCSVIsReadAsTheStreamDeclaresIt(t *testing.T) {
	s := serve(t, objstore.NewMemory(), func(o *Options) {
		o.Streams["events"] = Stream{Landing: o.Streams["events"].Landing, Read: ingest.Options{Format: ingest.FormatCSV, CSV: ingest.CSV{Delimiter: ';'}}}
	})
	if got := s.post(csv+"; charset=UTF-8", "time;id;n\n1772366400000;a;1\n"); got.answer.Landed != 1 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestWhatElseIsServed(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	s.post(ndjson, line("a"))
	for path, want := range map[string]string{
		"/healthz": "ok\n", "/readyz": "ready\n", "/openapi.json": `"openapi": "3.1.0"`, "/metrics": "strandline_in_flight_bytes",
	} {
		got, err := s.try("GET", path, nil)
		if err != nil || got.status != 200 || !strings.Contains(string(got.body), want) {
			t.Errorf("%s: %d %.200s %v", path, got.status, got.body, err)
		}
	}
}

// Every refusal is a problem with its reason, and lands nothing.
func TestWhatIsRefusedLandsNothing(t *testing.T) {
	s := serve(t, objstore.NewMemory(), func(o *Options) {
		o.Limits = Limits{Body: 1000, Decompressed: 2000, Memory: 20000}
		o.Streams["closed"] = Stream{Landing: o.Streams["events"].Landing, Tokens: tokens(t, "token-of-closed-1")}
		o.Streams["other"] = Stream{Landing: o.Streams["events"].Landing, Tokens: tokens(t, "token-of-other-12")}
	})
	const events, closed = "/v1/streams/events", "/v1/streams/closed"
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		status             int
		reason, header     string
	}{
		"another path":                    {"POST", "/v1/stream", "", nil, 404, reasonNotFound, ""},
		"no such stream":                  {"POST", "/v1/streams/nope", "", nil, 404, reasonNotFound, ""},
		"another method":                  {"GET", events, "", nil, 405, reasonMethod, "Allow"},
		"no token":                        {"POST", closed, "", nil, 401, reasonToken, "WWW-Authenticate"},
		"another scheme":                  {"POST", closed, "", []string{"Authorization: Basic token-of-closed-1"}, 401, reasonToken, "WWW-Authenticate"},
		"an unknown token":                {"POST", closed, "", []string{"Authorization: Bearer token-of-closed-2"}, 401, reasonToken, "WWW-Authenticate"},
		"another's token":                 {"POST", closed, "", []string{"Authorization: Bearer token-of-other-12"}, 403, reasonForbidden, "WWW-Authenticate"},
		"no type":                         {"POST", events, line("a"), nil, 415, reasonMediaType, "Accept-Post"},
		"an unknown type":                 {"POST", events, line("a"), []string{"Content-Type: text/plain"}, 415, reasonMediaType, "Accept-Post"},
		"another charset":                 {"POST", events, line("a"), []string{"Content-Type: text/csv; charset=latin1"}, 415, reasonMediaType, "Accept-Post"},
		"no header":                       {"POST", events, line("a"), []string{"Content-Type: text/csv; header=absent"}, 415, reasonMediaType, "Accept-Post"},
		"an unknown encoding":             {"POST", events, line("a"), []string{"Content-Type: " + ndjson, "Content-Encoding: br"}, 415, reasonEncoding, "Accept-Encoding"},
		"two encodings":                   {"POST", events, line("a"), []string{"Content-Type: " + ndjson, "Content-Encoding: gzip, zstd"}, 415, reasonEncoding, "Accept-Encoding"},
		"gzip that isn't said":            {"POST", events, gzipped(line("a")), []string{"Content-Type: " + ndjson}, 415, reasonEncoding, ""},
		"plain that is said to be gzip":   {"POST", events, line("a"), []string{"Content-Type: " + ndjson, "Content-Encoding: gzip"}, 415, reasonEncoding, ""},
		"plain that is said to be zstd":   {"POST", events, line("a"), []string{"Content-Type: " + ndjson, "Content-Encoding: zstd"}, 415, reasonEncoding, ""},
		"gzip that is said to be zstd":    {"POST", events, gzipped(line("a")), []string{"Content-Type: " + ndjson, "Content-Encoding: zstd"}, 415, reasonEncoding, ""},
		"nothing that is said to be gzip": {"POST", events, "", []string{"Content-Type: " + ndjson, "Content-Encoding: gzip"}, 400, reasonBody, ""},
		"a cut beginning":                 {"POST", events, "\x28\xb5", []string{"Content-Type: " + ndjson, "Content-Encoding: zstd"}, 400, reasonBody, ""},
		"two types":                       {"POST", events, line("a"), []string{"Content-Type: " + ndjson, "Content-Type: " + csv}, 415, reasonMediaType, "Accept-Post"},
		"a bad key":                       {"POST", events, line("a"), []string{"Content-Type: " + ndjson, "Idempotency-Key: bare"}, 400, reasonKey, ""},
		"two keys":                        {"POST", events, line("a"), []string{"Content-Type: " + ndjson, `Idempotency-Key: "a"`, `Idempotency-Key: "a"`}, 400, reasonKey, ""},
		"cut short":                       {"POST", events, gzipped(line("a"))[:20], []string{"Content-Type: " + ndjson, "Content-Encoding: gzip"}, 400, reasonBody, ""},
		"no such column":                  {"POST", events, "time,id\n1772366400000,a\n", []string{"Content-Type: text/csv"}, 400, reasonBody, ""},
		"a large body":                    {"POST", events, lines("a", 30), []string{"Content-Type: " + ndjson}, 413, reasonTooLarge, ""},
		"a bomb":                          {"POST", events, gzipped(lines("a", 60)), []string{"Content-Type: " + ndjson, "Content-Encoding: gzip"}, 413, reasonTooLarge, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := s.try(c.method, c.path, io.MultiReader(strings.NewReader(c.body)), c.headers...)
			if err != nil {
				t.Fatal(err)
			}
			if got.status != c.status || got.problem.Reason != c.reason || got.problem.Status != c.status || got.problem.Detail == "" {
				t.Errorf("answered %d %s", got.status, got.body)
			}
			if c.header != "" && got.header.Get(c.header) == "" {
				t.Errorf("the answer has no %s", c.header)
			}
		})
	}
	if n := len(s.rows()); n != 0 {
		t.Errorf("%d rows landed", n)
	}
	if used := s.server.memory.used.Load(); used != 0 {
		t.Errorf("%d bytes are still counted as used", used)
	}
}

func tokens(t *testing.T, text string) *Tokens {
	t.Helper()
	var all Tokens
	if err := all.Add(text); err != nil {
		t.Fatal(err)
	}
	return &all
}
