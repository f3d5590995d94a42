package landing

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strandline/internal/condemn"
	"strandline/internal/log"
	"strandline/internal/objstore"
)

var sunday = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// hasty is a store on which a sweep without a grace comes right after a file was
// brought up, the first few times.
type hasty struct {
	objstore.Store
	t     *testing.T
	times atomic.Int64 // files are brought up at once
}

func newHasty(t *testing.T, times int64) *hasty {
	h := &hasty{Store: objstore.NewMemory(), t: t}
	h.times.Store(times)
	return h
}

func (h *hasty) Upload(ctx context.Context, key, from string) error {
	err := h.Store.Upload(ctx, key, from)
	if err != nil || h.times.Add(-1) < 0 {
		return err
	}
	id := strings.TrimSuffix(path.Base(key), ".parquet")
	if condemned, err := open(h.t, h.Store, Options{}).Condemn(ctx, []string{id}, sunday); err != nil || len(condemned) != 1 {
		h.t.Errorf("condemned %v, %v", condemned, err)
	}
	return h.Delete(ctx, key)
}

func filesOf(t *testing.T, s *Stream) *Files {
	t.Helper()
	files, err := s.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func landWithReject(s *Stream, name string) (Result, error) {
	in, err := s.Begin(Source{Name: name})
	if err == nil {
		err = errors.Join(in.Add(row(1, 1)), in.Reject(Reject{SourcePosition: 2, Reason: "no row", Raw: []byte("x")}))
	}
	if err != nil {
		return Result{}, err
	}
	return in.Commit(context.Background(), identity(name))
}

// keys lists the data files of a lake.
func keys(t *testing.T, store objstore.Store) (ids []string) {
	t.Helper()
	all, err := store.List(t.Context(), "landing/s/", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if id, ok := strings.CutSuffix(path.Base(o.Key), ".parquet"); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func TestWhatAStreamNamesIsNotCondemned(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{})
	if files := filesOf(t, s); files != nil {
		t.Fatalf("a stream without a log says %v of files", files)
	}
	if _, err := landWithReject(s, "a"); err != nil {
		t.Fatal(err)
	}
	ids := keys(t, store)
	if len(ids) != 2 {
		t.Fatalf("files %v, want a segment and one of rejects", ids)
	}
	got, err := s.Condemn(t.Context(), append(ids, "orphan"), sunday)
	if err != nil || !slices.Equal(got, []string{"orphan"}) {
		t.Fatalf("condemned %v, %v", got, err)
	}
	files := filesOf(t, open(t, store, Options{}))
	if !files.Names(ids[0]) || !files.Names(ids[1]) || files.Names("orphan") || !files.Condemned("orphan") || files.Condemned(ids[0]) {
		t.Fatalf("the log says %+v", files)
	}
	if got, err = s.Condemn(t.Context(), []string{"orphan"}, sunday); err != nil || got != nil {
		t.Fatalf("condemned twice: %v, %v", got, err)
	}
}

func TestAnArrivalWhoseFilesWereSweptIsBroughtUpAgain(t *testing.T) {
	store := newHasty(t, 2)
	s := open(t, store, Options{})
	result, err := landWithReject(s, "a")
	if err != nil || result.Rows() != 1 || result.Rejects != 1 {
		t.Fatalf("landed %+v, %v", result, err)
	}
	files := filesOf(t, s)
	for _, id := range keys(t, store) {
		if !files.Names(id) {
			t.Errorf("file %s is there, and not named", id)
		}
	}
	if n := len(keys(t, store)); n != 2 {
		t.Errorf("there are %d files, want 2", n)
	}
}

func TestAnArrivalThatIsSweptEveryTimeEndsInAnError(t *testing.T) {
	store := newHasty(t, 1000)
	s := open(t, store, Options{})
	if _, err := land(s, "a", row(1, 1)); !errors.Is(err, condemn.Err) {
		t.Fatalf("got %v, want condemn.Err", err)
	}
	if err := s.Refresh(t.Context()); err != nil || s.Next() != 0 || len(keys(t, store)) != 0 {
		t.Fatalf("%d rows landed, %v, files %v", s.Next(), err, keys(t, store))
	}
}

// A writer that slept longer than its files are safe brings them up again.
func TestAnArrivalThatWaitedTooLongIsBroughtUpAgain(t *testing.T) {
	now := sunday
	store := &slow{Store: objstore.NewMemory(), wait: func() { now = now.Add(condemn.MaxUnnamed + time.Hour) }}
	s := open(t, store, Options{Now: func() time.Time { return now }})
	if result, err := land(s, "a", row(1, 1)); err != nil || result.Rows() != 1 {
		t.Fatalf("landed %+v, %v", result, err)
	}
	if n := store.uploads.Load(); n != 2 {
		t.Errorf("the file was brought up %d times, want twice", n)
	}
}

// slow is a store whose first upload takes its time.
type slow struct {
	objstore.Store
	wait    func()
	uploads atomic.Int64
}

func (s *slow) Upload(ctx context.Context, key, from string) error {
	if s.uploads.Add(1) == 1 {
		s.wait()
	}
	return s.Store.Upload(ctx, key, from)
}

func TestACondemnationThatContradictsTheLogIsCorrupt(t *testing.T) {
	for name, bad := range map[string]record{
		"condemns a segment":        {Condemned: &condemnation{At: sunday, Files: []string{"named"}}},
		"names what is condemned":   {Commit: commitOf("gone", 1)},
		"compacts into a file gone": {Compaction: &Compaction{Segment: Segment{ID: "gone"}}},
	} {
		state := newState()
		for _, body := range []record{{Commit: commitOf("named", 0)}, {Condemned: &condemnation{At: sunday, Files: []string{"gone"}}}} {
			if err := applied(state, body); err != nil {
				t.Fatal(err)
			}
		}
		if err := applied(state, bad); !errors.Is(err, log.ErrCorrupt) {
			t.Errorf("%s: %v, want log.ErrCorrupt", name, err)
		}
	}
}

// commitOf is an arrival of one row, in a segment of that id.
func commitOf(id string, from Position) *Commit {
	c := &Commit{
		EventTime: spec.EventTime,
		Segments:  []Segment{{ID: id, Rows: 1, Columns: spec.Columns, Buckets: BucketsOf([]Bucket{{Hour: 1, Rows: 1}})}},
		Arrival:   Arrival{Identity: identity(id), Name: id},
	}
	c.rebase(from)
	return c
}

func TestACheckpointRemembersWhatIsCondemned(t *testing.T) {
	s := open(t, objstore.NewMemory(), Options{Log: log.Options{CheckpointEvery: 2}})
	if _, err := s.Condemn(t.Context(), []string{"gone"}, sunday); err != nil {
		t.Fatal(err)
	}
	if _, err := land(s, "a", row(1, 1)); err != nil {
		t.Fatal(err)
	}
	s.View(func(state *State) {
		read := newState()
		text, err := state.AppendBinary(nil)
		if err == nil {
			err = read.UnmarshalBinary(text)
		}
		if err != nil || !read.condemned.Has("gone") {
			t.Fatalf("a checkpoint forgot what is condemned: %v", err)
		}
	})
}
