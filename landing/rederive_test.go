package landing

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"strandline/internal/localfile"
	"strandline/internal/objstore"
)

// landed lands a few random arrivals of several segments each.
func landed(t *testing.T, store objstore.Store, seed uint64) *Stream {
	t.Helper()
	s := open(t, store, Options{SegmentBytes: 4 << 10})
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range 6 {
		if _, err := land(s, fmt.Sprint(i), randomRows(random, 1+random.IntN(200))...); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *Stream) all() (segments []Segment) {
	s.View(func(state *State) { segments = state.Segments() })
	return segments
}

func TestInputIsDerivedAgainFromTheRowsAlone(t *testing.T) {
	for seed := range uint64(20) {
		s := landed(t, objstore.NewMemory(), seed)
		r := s.Rederiver(localfile.New(s.store, t.TempDir(), localfile.DefaultMaxBytes))
		random := rand.New(rand.NewPCG(seed, 1))
		segments := s.all()
		for range 20 {
			from := random.Int64N(14) - 7
			hours := Hours{From: from, To: from + 1 + random.Int64N(8)}
			upTo := segments[random.IntN(len(segments))].End()
			var want Input
			s.View(func(state *State) { want, _ = state.InputBounds(hours, upTo) })
			got, err := r.Input(t.Context(), hours, upTo)
			if err != nil || got != want {
				t.Fatalf("seed %d, hours %v up to %d: got %+v, %v; want %+v", seed, hours, upTo, got, err, want)
			}
		}
	}
}

// Up to a position within a segment, as a receipt has that is older than a
// compaction, only the rows below it count.
func TestInputIsDerivedUpToAPositionWithinASegment(t *testing.T) {
	rows := randomRows(rand.New(rand.NewPCG(4, 0)), 200)
	hours := Hours{From: -3, To: 3}
	apart := open(t, objstore.NewMemory(), Options{Now: fixedClock})
	whole := open(t, objstore.NewMemory(), Options{Now: fixedClock})
	var want []Input
	for i := range 4 {
		_, err := landAs(apart, "f", fmt.Sprint(i), rows[50*i:50*i+50]...)
		check(t, err)
		apart.View(func(state *State) { want = append(want, state.InputOf(hours)) })
	}
	_, err := landAs(whole, "f", "all", rows...)
	check(t, err)
	r := whole.Rederiver(localfile.New(whole.store, t.TempDir(), localfile.DefaultMaxBytes))
	for i, want := range want {
		if got, err := r.Input(t.Context(), hours, Position(50*i+50)); err != nil || got != want {
			t.Errorf("up to %d: %+v, %v; want %+v", 50*i+50, got, err, want)
		}
	}
}

func TestASegmentIsReadOnceForAllThatAskForIt(t *testing.T) {
	store := objstore.NewFault(objstore.NewMemory(), nil)
	s := landed(t, store, 1)
	r := s.Rederiver(localfile.New(store, t.TempDir(), 1)) // no room for copies
	var group errgroup.Group
	for range 8 {
		group.Go(func() error {
			_, err := r.Input(t.Context(), Hours{From: -6, To: 6}, s.Next())
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := len(s.all()); store.Calls(objstore.OpDownload) != n {
		t.Errorf("%d downloads of %d segments", store.Calls(objstore.OpDownload), n)
	}
}

// A segment that is not what the log says is named, whatever is wrong with it.
func TestASegmentWithOtherRowsThanTheLogSaysIsFoundOut(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, path, other string){
		"gone": func(t *testing.T, path, _ string) { check(t, os.Remove(path)) },
		"cut short": func(t *testing.T, path, _ string) {
			info, err := os.Stat(path)
			check(t, err)
			check(t, os.Truncate(path, info.Size()-1))
		},
		"empty": func(t *testing.T, path, _ string) { check(t, os.Truncate(path, 0)) },
		"another": func(t *testing.T, path, other string) {
			body, err := os.ReadFile(other)
			check(t, err)
			check(t, os.WriteFile(path, body, 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, err := objstore.OpenFolder(t.TempDir())
			check(t, err)
			s := landed(t, store, 3)
			segments := s.all()
			bad := segments[len(segments)/2]
			path := func(g Segment) string { return store.URL(s.SegmentKey(g.ID)) }
			harm(t, path(bad), path(segments[0]))
			_, err = s.Rederiver(localfile.New(store, t.TempDir(), 1)).Input(t.Context(), Hours{From: -6, To: 6}, s.Next())
			want := ErrSegment
			if name == "gone" {
				want = objstore.ErrNotFound
			}
			if !strings.Contains(fmt.Sprint(err), bad.ID) || !errors.Is(err, want) {
				t.Fatalf("got %v, want %v of %s", err, want, bad.ID)
			}
		})
	}
}

// Whichever byte flips, either reading the segment says so or its rows are
// still those that landed, and so are the sums.
func TestNoFlippedByteChangesASumUnseen(t *testing.T) {
	store, err := objstore.OpenFolder(t.TempDir())
	check(t, err)
	s := landed(t, store, 5)
	segment := s.all()[0]
	r := s.Rederiver(localfile.New(store, t.TempDir(), 1))
	want, err := r.sum(t.Context(), segment, segment.End())
	check(t, err)
	path := store.URL(s.SegmentKey(segment.ID))
	whole, err := os.ReadFile(path)
	check(t, err)
	seen := 0
	for i := 0; i < len(whole); i += 3 {
		broken := append([]byte(nil), whole...)
		broken[i] ^= 1 << (i % 8)
		check(t, os.WriteFile(path, broken, 0o644))
		got, err := r.sum(t.Context(), segment, segment.End())
		switch {
		case err == nil && !slices.Equal(got.sorted(), want.sorted()):
			t.Fatalf("byte %d: got %+v without an error", i, got)
		case err != nil && !errors.Is(err, ErrSegment):
			t.Fatalf("byte %d: %v is not ErrSegment", i, err)
		case err != nil:
			seen++
		}
	}
	t.Logf("%d of %d flips are seen", seen, len(whole)/3)
	if seen < len(whole)/6 {
		t.Errorf("only %d of %d flips are seen", seen, len(whole)/3)
	}
}

// What the log itself sums up wrongly is seen too: base, sums and counts.
func TestALogWithOtherSumsThanTheRowsIsFoundOut(t *testing.T) {
	for name, harm := range map[string]func(g *Segment){
		"base":   func(g *Segment) { g.Base++ },
		"rows":   func(g *Segment) { withBucket(g, 0, func(b *Bucket) { b.Rows++ }) },
		"sum":    func(g *Segment) { withBucket(g, 0, func(b *Bucket) { b.Sum.Lo++ }) },
		"moment": func(g *Segment) { withBucket(g, 0, func(b *Bucket) { b.Moment.Hi++ }) },
		"hours":  func(g *Segment) { g.Buckets = BucketsOf(g.Buckets.List()[1:]) },
		"hour":   func(g *Segment) { withBucket(g, g.Buckets.Len()-1, func(b *Bucket) { b.Hour++ }) },
		"bytes":  func(g *Segment) { g.Bytes++ },
		"column": func(g *Segment) { g.Columns = nil },
	} {
		t.Run(name, func(t *testing.T) {
			store := objstore.NewMemory()
			s := landed(t, store, 7)
			segment := s.all()[0]
			r := s.Rederiver(localfile.New(store, t.TempDir(), localfile.DefaultMaxBytes))
			if _, err := r.sum(t.Context(), segment, segment.End()); err != nil {
				t.Fatal(err)
			}
			harm(&segment)
			buckets, err := r.sum(t.Context(), segment, segment.End())
			if name == "base" { // the log alone says where a segment begins: it shows in the moments
				var in, was Input
				in = inputOf(buckets.sorted())
				s.View(func(state *State) { was, _ = state.InputBounds(Hours{From: -6, To: 6}, s.all()[0].End()) })
				if err != nil || in == was {
					t.Fatalf("got %+v, %v; want another digest", in, err)
				}
				return
			}
			if !errors.Is(err, ErrSegment) {
				t.Fatalf("got %v, want ErrSegment", err)
			}
		})
	}
}

func check(t interface {
	Helper()
	Fatal(...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
