package prefix

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"strandline/ingest"
	"strandline/internal/objstore"
	"strandline/landing"
)

// shelf is a bucket in memory that counts what is asked of it.
type shelf struct {
	mu     sync.Mutex
	keys   []string // ascending; each object holds a row of its own
	lists  int
	opens  int
	silent error
}

func (s *shelf) Page(_ context.Context, prefix, after string, max int) ([]objstore.Version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	if s.silent != nil {
		return nil, s.silent
	}
	from, found := slices.BinarySearch(s.keys, after)
	if found {
		from++
	}
	var page []objstore.Version
	for _, key := range s.keys[from:min(from+max, len(s.keys))] {
		page = append(page, objstore.Version{Key: key, ETag: `"1"`, Size: int64(len(rows(key)))})
	}
	return page, nil
}

func (s *shelf) Open(_ context.Context, v objstore.Version) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opens++
	return io.NopCloser(strings.NewReader(string(rows(v.Key)))), nil
}

func (s *shelf) URL(key string) string { return "s3://shelf/" + key }

// What has landed costs a process that starts neither a read nor a call for each.
func TestKnownObjectsCostNoCallEach(t *testing.T) {
	s := &shelf{}
	for i := range 250 {
		s.keys = append(s.keys, fmt.Sprintf("%05d", i))
	}
	calls := 0
	var mu sync.Mutex
	lake := objstore.NewFault(objstore.NewMemory(), func(objstore.Op, string) objstore.Action {
		mu.Lock()
		defer mu.Unlock()
		calls++
		return objstore.Pass
	})
	once := func() {
		t.Helper()
		w, err := NewWatcher(Source{Bucket: s}, Target{
			Stream: landing.Open(lake, spec(), landing.Options{Scratch: t.TempDir(), ArchiveArrivals: 64}),
			Landed: func(ingest.Outcome) error { return nil },
			Report: func(name string, err error) { t.Errorf("%s: %v", name, err) },
		})
		if err != nil {
			t.Fatal(err)
		}
		w.page = 100
		if err := w.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	once()
	if s.opens != len(s.keys) || s.lists != 3 {
		t.Errorf("%d objects were read in %d pages, want %d in 3", s.opens, s.lists, len(s.keys))
	}
	calls = 0
	once()
	if s.opens != len(s.keys) || calls > 120 {
		t.Errorf("to find nothing new took %d reads and %d calls to the lake", s.opens-len(s.keys), calls)
	}
}

func TestBucketThatDoesNotAnswerIsReportedOnceAndAskedLessAndLess(t *testing.T) {
	scratch := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{keys: []string{"a"}, silent: errSilent}
		var reports, landed []string
		w, err := NewWatcher(Source{Bucket: s, Every: 10 * time.Second}, Target{
			Stream: landing.Open(objstore.NewMemory(), spec(), landing.Options{Scratch: scratch}),
			Landed: func(o ingest.Outcome) error { landed = append(landed, o.Name); return nil },
			Report: func(name string, err error) { reports = append(reports, name+": "+err.Error()) },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- w.Run(ctx) }()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if s.lists < 8 || s.lists > 15 || len(reports) != 1 {
			t.Errorf("in ten minutes it was asked %d times, and told of as %q", s.lists, reports)
		}
		s.mu.Lock()
		s.silent = nil
		s.mu.Unlock()
		time.Sleep(2 * time.Minute)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if len(landed) != 1 || len(reports) != 1 {
			t.Errorf("landed %q, told %q", landed, reports)
		}
	})
}
