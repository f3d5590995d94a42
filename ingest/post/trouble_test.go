package post

import (
	"sync/atomic"
	"testing"

	"strandline/internal/objstore"
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
	var told atomic.Int64
	s := serve(t, uploads, func(o *Options) {
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
	if n := len(s.rows()); n != 1 || told.Load() != 2 {
		t.Errorf("%d rows landed, and trouble was told %d times", n, told.Load())
	}
}
