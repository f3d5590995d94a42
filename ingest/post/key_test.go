package post

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/landing"
)

func TestAKeyIsAStringOfStructuredFields(t *testing.T) {
	long := strings.Repeat("k", maxKey)
	for text, want := range map[string]string{
		`"a"`: "a", ` "a b" `: "a b", `"\"\\"`: `"\`, `"` + long + `"`: long,
		`a`: "", `"a`: "", `a"`: "", `"`: "", `""`: "", `"a"b"`: "", `"a\"`: "", `"a\b"`: "", `"é"`: "", "\"a\tb\"": "", `"` + long + `k"`: "",
		`"a"; b=c`: "", `:YQ==:`: "",
	} {
		got, err := keyOf(http.Header{headerKey: {text}})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v", text, got, err)
		}
	}
	if got, err := keyOf(http.Header{}); got != "" || err != nil {
		t.Errorf("no key is %q, %v", got, err)
	}
}

// The answer to a post is given again as often as it is asked for, also by another process.
func TestAPostIsAnsweredAgainAsItWas(t *testing.T) {
	store := objstore.NewMemory()
	s := serve(t, store, nil)
	body := line("a") + "no json\n" + line("b")
	s.post(ndjson, line("before"))
	first := s.post(ndjson, body, `Idempotency-Key: "once"`)
	again := []reply{s.post(ndjson, body, `Idempotency-Key: "once"`), s.post(ndjson, gzipped(body), `Idempotency-Key: "once"`, "Content-Encoding: gzip")}
	s.stop()
	s = serve(t, store, nil)
	again = append(again, s.post(ndjson, body, `Idempotency-Key: "once"`))

	if first.status != 200 || first.answer.Duplicate || first.answer.From != 1 || first.answer.Source != "http:open:once" {
		t.Errorf("answered %d %s", first.status, first.body)
	}
	want := bytes.Replace(first.body, []byte(`"duplicate":false`), []byte(`"duplicate":true`), 1)
	for _, got := range again {
		if got.status != 200 || !bytes.Equal(got.body, want) {
			t.Errorf("answered %d %s, want %s", got.status, got.body, want)
		}
	}
	if n := len(s.rows()); n != 3 {
		t.Errorf("%d rows landed, want 3", n)
	}
}

func TestAKeyIsForOneBody(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	s.post(ndjson, line("a"), `Idempotency-Key: "once"`)
	for contentType, body := range map[string]string{ndjson: line("b"), csv: line("a")} {
		if got := s.post(contentType, body, `Idempotency-Key: "once"`); got.status != 422 && got.status != 400 {
			t.Errorf("%s: answered %d %s", contentType, got.status, got.body)
		}
	}
	if got := s.post(ndjson, line("b"), `Idempotency-Key: "once"`); got.problem.Reason != reasonKeyReused {
		t.Errorf("answered %d %s", got.status, got.body)
	}
	if n := len(s.rows()); n != 1 {
		t.Errorf("%d rows landed, want 1", n)
	}
}

// A post that repeats another is left out of the group that it came with; the others land.
func TestARepeatedPostTakesNoOtherWithIt(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	s.post(ndjson, line("a"), `Idempotency-Key: "a"`)
	s.stop() // the test commits by itself
	lane := s.server.lanes["events"]
	var group []*post
	for _, key := range []string{"", "a", "b", "c"} {
		p := lane.newPost(asked{format: ingest.FormatNDJSON, key: key}, DefaultLimits)
		p.body = []byte(line("row-" + key))
		if err := p.check(t.Context(), lane.spec, 1<<20); err != nil {
			t.Fatal(err)
		}
		group = append(group, p)
	}
	lane.commit(t.Context(), group)
	for i, from := range []landing.Position{1, -1, 2, 3} {
		v := <-group[i].done
		if from < 0 {
			if v.problem == nil || v.problem.Reason != reasonKeyReused {
				t.Errorf("the post with another body was answered %+v %+v", v.answer, v.problem)
			}
		} else if v.problem != nil || v.answer.From != from || v.answer.To != from+1 {
			t.Errorf("post %d was answered %+v %+v", i, v.answer, v.problem)
		}
	}
	if n := len(s.rows()); n != 4 {
		t.Errorf("%d rows landed, want 4", n)
	}
}

// Tokens don't share keys: nobody learns from a key what another has posted.
func TestKeysOfDifferentTokensAreDifferent(t *testing.T) {
	s := serve(t, objstore.NewMemory(), func(o *Options) {
		o.Streams["events"] = Stream{Landing: o.Streams["events"].Landing, Tokens: tokens(t, "token-of-the-one-1\n# and\ntoken-of-the-other\n")}
	})
	one := s.post(ndjson, line("a"), `Idempotency-Key: "k"`, "Authorization: Bearer token-of-the-one-1")
	other := s.post(ndjson, line("b"), `Idempotency-Key: "k"`, "authorization: bearer token-of-the-other")
	if one.answer.Source == other.answer.Source {
		t.Errorf("both came from %s", one.answer.Source)
	}
	if one.status != 200 || other.status != 200 || other.answer.Duplicate || other.answer.From != 1 {
		t.Errorf("answered %s and %s", one.body, other.body)
	}
}

// held is a store that lets no log entry be written until it is told to.
type held struct {
	*objstore.Fault
	begun chan struct{} // one for each entry that is being written
	goOn  chan struct{} // closed to let them
}

func hold(store objstore.Store) *held {
	h := &held{begun: make(chan struct{}, 100), goOn: make(chan struct{})}
	h.Fault = objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpCreate && strings.Contains(key, "/log/") {
			h.begun <- struct{}{}
			<-h.goOn
		}
		return objstore.Pass
	})
	return h
}

func TestAKeyThatIsUnderWayIsAConflict(t *testing.T) {
	store := hold(objstore.NewMemory())
	s := serve(t, store, nil)
	var first reply
	var posts sync.WaitGroup
	posts.Go(func() { first = s.post(ndjson, line("a"), `Idempotency-Key: "k"`) })
	<-store.begun
	during := s.post(ndjson, line("a"), `Idempotency-Key: "k"`)
	close(store.goOn)
	posts.Wait()
	after := s.post(ndjson, line("a"), `Idempotency-Key: "k"`)
	if during.status != 409 || during.problem.Reason != reasonKeyInFlight || during.header.Get("Retry-After") != "1" {
		t.Errorf("answered %d %s while it was under way", during.status, during.body)
	}
	if first.status != 200 || first.answer.Duplicate || !after.answer.Duplicate {
		t.Errorf("answered %s, and then %s", first.body, after.body)
	}
}

// A post whose key has landed is never told that nothing has, whatever its body would be
// refused for now.
func TestAKeyThatHasLandedIsLookedUpBeforeTheBody(t *testing.T) {
	store := objstore.NewMemory()
	other := serve(t, store, nil)
	strict := serve(t, store, func(o *Options) { // as after a change of the configuration
		o.Limits = Limits{Body: 400, Decompressed: 400}
		changed := spec
		changed.Columns = append([]datafile.Column{{Name: "more", Type: spec.Columns[0].Type}}, spec.Columns...)
		stream := landing.Open(store, changed, landing.Options{Scratch: t.TempDir(), Log: log.Options{Pause: atOnce}})
		o.Streams["events"] = Stream{Landing: stream}
	})
	const body = "time,id,n\n1772366400000,a,1\n"
	large := lines("row", 20)
	first := other.post(csv, body, `Idempotency-Key: "small"`)
	other.post(ndjson, large, `Idempotency-Key: "large"`)
	for range 2 { // the first time this server does not know the key yet
		if got := strict.post(csv, body, `Idempotency-Key: "small"`); got.status != 200 || !got.answer.Duplicate || got.answer.From != first.answer.From {
			t.Errorf("answered %d %s", got.status, got.body)
		}
	}
	for _, sent := range []struct{ body, encoding string }{{large, "identity"}, {gzipped(large), "gzip"}} {
		got := strict.post(ndjson, sent.body, `Idempotency-Key: "large"`, "Content-Encoding: "+sent.encoding)
		if got.status != 413 || !strings.Contains(got.problem.Detail, "has landed, at positions [1, 21)") || strings.Contains(got.problem.Detail, "nothing landed") {
			t.Errorf("%s: answered %d %s", sent.encoding, got.status, got.body)
		}
	}
	if got := strict.post(csv, body, `Idempotency-Key: "fresh"`); got.status != 400 {
		t.Errorf("a fresh post without a declared column was answered %d %s", got.status, got.body)
	}
}
