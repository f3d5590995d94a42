package post

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/internal/objstore"
	"strandline/landing"
)

// What went wrong with the lake is told to the client as far as it matters, and to the
// operator once.
func TestTroubleWithTheLakeIsToldOnce(t *testing.T) {
	store := objstore.NewMemory()
	var ill atomic.Bool
	uploads := objstore.NewFault(store, func(op objstore.Op, _ string) objstore.Action {
		if ill.Load() && op == objstore.OpUpload {
			return objstore.Fail
		}
		return objstore.Pass
	})
	var told, over atomic.Int64
	s := serve(t, uploads, func(o *Options) {
		o.Over = func(string) { over.Add(1) }
		o.Trouble = func(stream string, err error) {
			if told.Add(1); stream != "events" || err == nil {
				t.Errorf("told of %q: %v", stream, err)
			}
		}
	})
	for _, sick := range []bool{true, true, false, true} {
		ill.Store(sick)
		got := s.post(ndjson, line("a"))
		if sick && (got.status != 503 || got.problem.Reason != reasonStore || got.header.Get("Retry-After") == "") || !sick && got.status != 200 {
			t.Errorf("with a store that fails: %v: answered %d %s", sick, got.status, got.body)
		}
	}
	if n := len(s.rows()); n != 1 || told.Load() != 2 || over.Load() != 1 {
		t.Errorf("%d rows landed, and trouble was told %d times, its end %d times", n, told.Load(), over.Load())
	}
}

// Who serves posts is not ready from one that the lake did not take until it answers again, for which it needs no
// other post: to who is not ready none may come.
func TestNotReadyWhileTheLakeDoesNotAnswer(t *testing.T) {
	var gone atomic.Bool
	lake := objstore.NewFault(objstore.NewMemory(), func(objstore.Op, string) objstore.Action {
		if gone.Load() {
			return objstore.Fail
		}
		return objstore.Pass
	})
	s := serve(t, lake, func(o *Options) { o.Trouble = func(string, error) {} })
	ready := func() int {
		got, err := s.try("GET", "/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		return got.status
	}
	gone.Store(true)
	if got := s.post(ndjson, line("a")); got.status != 503 {
		t.Fatalf("a post is answered %d", got.status)
	}
	for _, away := range []bool{true, false, true} {
		gone.Store(away)
		if got, want := ready(), map[bool]int{true: 503, false: 200}[away]; got != want {
			t.Errorf("the lake is away %v: readyz is %d", away, got)
		}
	}
	gone.Store(false)
	if got := s.post(ndjson, line("a")); got.status != 200 {
		t.Fatalf("a post is answered %d", got.status)
	}
	gone.Store(true)
	if got := ready(); got != 200 {
		t.Errorf("of a lake of which no post had trouble, readyz is %d", got)
	}
}

// A server that others have left behind does not send its clients round for ever as if the
// lake were ill: it says that its declaration is, and which column to whoever runs it.
func TestPostsToAStreamThatOthersDeclareOtherwiseSaySo(t *testing.T) {
	decimals := []datafile.Column{spec.Columns[0], {Name: "n", Type: datafile.Type{Kind: datafile.Decimal, Precision: 38}}}
	for name, c := range map[string]struct {
		change func(*landing.Spec)
		why    error
	}{
		"a wider type":       {func(s *landing.Spec) { s.Columns = decimals }, landing.ErrTypeChanged},
		"another event time": {func(s *landing.Spec) { s.EventTime.Unit = landing.UnitSeconds }, landing.ErrEventTimeChanged},
	} {
		t.Run(name, func(t *testing.T) {
			store, told := objstore.NewMemory(), make(chan error, 8)
			s := serve(t, store, func(o *Options) {
				o.Trouble = func(_ string, err error) { told <- err }
			})
			other := spec
			c.change(&other)
			stream := landing.Open(store, other, landing.Options{Scratch: t.TempDir()})
			if _, err := ingest.LandReader(t.Context(), stream, strings.NewReader(strings.Replace(line("a"), "000,", ",", 1)), "a", ingest.Options{Format: ingest.FormatNDJSON}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				got := s.post(ndjson, line("b"), "Idempotency-Key: \"b\"")
				if got.status != 503 || got.problem.Reason != reasonMisdeclared || got.header.Get("Retry-After") != "60" {
					t.Errorf("answered %d %s", got.status, got.body)
				}
			}
			if len(told) != 1 {
				t.Fatalf("told %d times", len(told))
			}
			if err := <-told; !errors.Is(err, c.why) {
				t.Errorf("told %v", err)
			}
		})
	}
}
