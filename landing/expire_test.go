package landing

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/internal/localfile"
	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/internal/objstore/storetest"
)

// allSpent is a position above all: no row is needed by anybody.
func allSpent(*State) (Position, error) { return math.MaxInt64, nil }

// clock is a clock that tests set.
type clock struct{ now time.Time }

func (c *clock) after(d time.Duration) { c.now = c.now.Add(d) }

// hourly lands n arrivals of random rows, an hour apart.
func hourly(t *testing.T, store objstore.Store, n int) (*Stream, *clock) {
	t.Helper()
	c := &clock{fixedClock()}
	s := open(t, store, Options{Now: func() time.Time { return c.now }})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		if _, err := land(s, fmt.Sprint("arrival ", i), randomRows(random, 10+i)...); err != nil {
			t.Fatal(err)
		}
		c.after(time.Hour)
	}
	return s, c
}

func expire(t *testing.T, s *Stream, keep Retain) Expiry {
	t.Helper()
	e, err := s.Expire(t.Context(), keep, s.opts.Now(), allSpent)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var drawnHours = Hours{-6, 6}

// inputs are what the log says of single hours and of all, at the head.
func inputs(s *Stream) (in []Input) {
	s.View(func(state *State) {
		for hour := drawnHours.From; hour < drawnHours.To; hour++ {
			in = append(in, state.InputOf(Hours{hour, hour + 1}))
		}
		in = append(in, state.InputOf(drawnHours), state.InputOf(Hours{-1 << 40, 1 << 40}))
	})
	return in
}

func TestRowsThatExpiredStillCountInEveryInput(t *testing.T) {
	store := objstore.NewMemory()
	s, _ := hourly(t, store, 12)
	was, head := inputs(s), s.Next()
	first := expire(t, s, Retain{Age: 10 * time.Hour})
	second := expire(t, s, Retain{Age: 5 * time.Hour})
	if first.From != 0 || first.To == 0 || second.From != first.To || second.To <= second.From || second.To >= head {
		t.Fatalf("expired [%d, %d), then [%d, %d) of %d", first.From, first.To, second.From, second.To, head)
	}
	later := open(t, store, Options{})
	if err := later.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for who, stream := range map[string]*Stream{"who expired them": s, "who reads it later": later} {
		if got := inputs(stream); !slices.Equal(got, was) || stream.Next() != head {
			t.Errorf("%s: inputs %v up to %d, want %v up to %d", who, got, stream.Next(), was, head)
		}
	}
	if _, err := land(s, "one more", row(0, 1)); err != nil {
		t.Fatal(err)
	}
	if got := inputs(s); got[6].Rows != was[6].Rows+1 || got[6].Digest == was[6].Digest || !slices.Equal(got[:6], was[:6]) {
		t.Errorf("after a row at hour 0: %v, was %v", got, was)
	}
}

func TestACheckpointHoldsWhatExpired(t *testing.T) {
	s, _ := hourly(t, objstore.NewMemory(), 12)
	expire(t, s, Retain{Age: 5 * time.Hour})
	s.View(func(state *State) {
		data, err := state.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		read := newState()
		if err := read.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if read.InputOf(drawnHours) != state.InputOf(drawnHours) || read.Expired(drawnHours) != int64(state.ExpiredUpTo()) {
			t.Error("a checkpoint does not hold the sums of rows that expired")
		}
		for _, keep := range []Retain{{Age: 3 * time.Hour}, {Bytes: 1}} {
			got, want := read.Expirable(keep, s.opts.Now(), math.MaxInt64), state.Expirable(keep, s.opts.Now(), math.MaxInt64)
			if want.Rows() == 0 || got.To != want.To {
				t.Errorf("%+v lets go [%d, %d) of a checkpoint, want [%d, %d)", keep, got.From, got.To, want.From, want.To)
			}
		}
	})
}

func TestWholeSegmentsExpireOldestFirstByAgeOrBytes(t *testing.T) {
	s, c := hourly(t, objstore.NewMemory(), 6)
	segments := s.all()
	bytes := func(from int) (sum int64) {
		for _, g := range segments[from:] {
			sum += g.Bytes
		}
		return sum
	}
	for name, test := range map[string]struct {
		keep  Retain
		below Position
		want  int
	}{
		"for ever":                              {Retain{}, math.MaxInt64, 0},
		"none is old enough":                    {Retain{Age: 6 * time.Hour}, math.MaxInt64, 0},
		"one is":                                {Retain{Age: 6*time.Hour - 1}, math.MaxInt64, 1},
		"all but the newest":                    {Retain{Age: 1}, math.MaxInt64, 5},
		"there is room for all":                 {Retain{Bytes: bytes(0)}, math.MaxInt64, 0},
		"one byte too many":                     {Retain{Bytes: bytes(0) - 1}, math.MaxInt64, 1},
		"room for the last two":                 {Retain{Bytes: bytes(4)}, math.MaxInt64, 4},
		"no room but for the newest":            {Retain{Bytes: 1}, math.MaxInt64, 5},
		"the two bounds, whichever is narrower": {Retain{Age: 4*time.Hour - 1, Bytes: bytes(1)}, math.MaxInt64, 3},
		"what is needed stays":                  {Retain{Age: 1}, segments[2].End(), 3},
		"a segment that is needed in part":      {Retain{Age: 1}, segments[2].End() - 1, 2},
		"all of it is needed":                   {Retain{Age: 1}, 0, 0},
	} {
		s.View(func(state *State) {
			e := state.Expirable(test.keep, c.now, test.below)
			want := Position(0)
			if test.want > 0 {
				want = segments[test.want-1].End()
			}
			if len(e.Segments) != test.want || e.From != 0 || e.To != want {
				t.Errorf("%s: %d segments of [%d, %d) expire, want %d", name, len(e.Segments), e.From, e.To, test.want)
			}
		})
	}
}

// A merged segment is as old as its newest row.
func TestAMergedSegmentAgesFromItsNewestRow(t *testing.T) {
	s, c := hourly(t, objstore.NewMemory(), 3)
	all := s.all()
	merged := Segment{ID: "merged", Base: 0, Rows: all[0].Rows + all[1].Rows, Columns: all[0].Columns, Buckets: mergedBuckets(all[:2])}
	apply(t, s, record{Compaction: &Compaction{Replaced: []string{all[0].ID, all[1].ID}, Segment: merged}})
	s.View(func(state *State) {
		for age, want := range map[time.Duration]int{2 * time.Hour: 0, 2*time.Hour - 1: 1} {
			if e := state.Expirable(Retain{Age: age}, c.now, math.MaxInt64); len(e.Segments) != want {
				t.Errorf("with an age of %v %d segments expire, want %d", age, len(e.Segments), want)
			}
		}
	})
}

// apply folds an entry into a stream's state, as if it had been read.
func apply(t *testing.T, s *Stream, body any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	s.View(func(state *State) {
		if err := state.Apply(log.Entry{Body: text}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWhatIsLeftOfExpiredRowsIsNeverTakenForAll(t *testing.T) {
	store := objstore.NewMemory()
	s, _ := hourly(t, store, 6)
	if _, err := land(s, "of another day", row(100*microsPerHour, 1)); err != nil {
		t.Fatal(err)
	}
	head := s.Next()
	e := expire(t, s, Retain{Age: 4 * time.Hour})
	s.View(func(state *State) {
		var total int64
		for hour := drawnHours.From; hour < drawnHours.To; hour++ {
			one := Hours{hour, hour + 1}
			gone := state.Expired(one)
			_, err := state.SegmentsOf(one, head)
			if errors.Is(err, ErrExpired) != (gone > 0) {
				t.Errorf("hour %d of which %d rows expired: %v", hour, gone, err)
			}
			total += gone
		}
		if total != e.Rows() {
			t.Errorf("%d rows expired by hour, want %d", total, e.Rows())
		}
		if segments, err := state.SegmentsOf(Hours{100, 101}, head); err != nil || len(segments) != 1 {
			t.Errorf("an hour of which none expired: %v, %v", segments, err)
		}
		least, most := state.InputBounds(drawnHours, e.To-1)
		if least.Rows != 0 || most.Rows != e.Rows() {
			t.Errorf("up to a position among expired rows there are %d to %d, want 0 to %d", least.Rows, most.Rows, e.Rows())
		}
		if least, most := state.InputBounds(drawnHours, e.To); least != most || least.Rows != e.Rows() {
			t.Errorf("up to where they expired there are %v to %v, want %d", least, most, e.Rows())
		}
		_, each := state.EachHour(everyHour)
		if hours := slices.Collect(each); !slices.Contains(hours, 100) || len(hours) < 6 || !slices.IsSorted(hours) {
			t.Errorf("the stream has rows of the hours %v", hours)
		}
	})
	files := localfile.New(store, t.TempDir(), localfile.DefaultMaxBytes)
	if _, err := s.Rederiver(files).Input(t.Context(), drawnHours, head); !errors.Is(err, ErrExpired) {
		t.Errorf("an input derived from what is left: %v, want ErrExpired", err)
	}
}

func TestContentWhoseRowsExpiredIsStillKnownAsLanded(t *testing.T) {
	s, _ := hourly(t, objstore.NewMemory(), 3)
	expire(t, s, Retain{Age: 1})
	if again, err := land(s, "arrival 0", row(0, 1)); err != nil || !again.Duplicate {
		t.Fatalf("landed again: %+v, %v; want a duplicate", again, err)
	}
}

func TestRejectsExpireWithTheRowsTheyCameWith(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{})
	for _, rows := range []int{1, 0, 2, 0} {
		in, err := s.Begin(Source{Name: fmt.Sprint("arrival of ", rows)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			check(t, in.Add(row(0, int64(i))))
		}
		check(t, in.Reject(Reject{SourcePosition: 9, Reason: "bad", Raw: []byte("x")}))
		if _, err := in.Commit(t.Context(), identity(fmt.Sprint(s.Next(), rows))); err != nil {
			t.Fatal(err)
		}
	}
	expire(t, s, Retain{Age: 1})
	var left []string
	files := localfile.New(store, t.TempDir(), localfile.DefaultMaxBytes)
	check(t, s.Rejects(t.Context(), files, func(r LandedReject) error { left = append(left, r.Source); return nil }))
	if got := strings.Join(left, ", "); got != "arrival of 0, arrival of 2, arrival of 0" {
		t.Errorf("rejects are left of %s", got)
	}
	s.View(func(state *State) {
		if gone := state.ExpiredRejects(); gone != 1 {
			t.Errorf("%d rejects have expired, want 1", gone)
		}
	})
	for _, a := range arrivals(t, s) {
		if a.Rejects != 1 {
			t.Errorf("%s had %d rejects, want 1 counted", a.Name, a.Rejects)
		}
	}
}

// Whoever reads rejects may know the log of before they expired, and hold the path of a
// file that a sweep removes.
func TestRejectsThatExpireWhileTheyAreReadAreLeftOut(t *testing.T) {
	folder, err := objstore.OpenFolder(t.TempDir())
	check(t, err)
	s := open(t, folder, Options{})
	for i := range 2 {
		in, err := s.Begin(Source{Name: fmt.Sprint(i)})
		check(t, err)
		check(t, in.Add(row(0, int64(i))))
		check(t, in.Reject(Reject{SourcePosition: 9, Reason: "bad", Raw: []byte("x")}))
		_, err = in.Commit(t.Context(), identity(fmt.Sprint(i)))
		check(t, err)
	}
	reader := open(t, folder, Options{})
	check(t, reader.Refresh(t.Context()))
	remove := func(key string) { check(t, folder.Delete(t.Context(), key)) }
	expired := false
	sweep := func(key string) {
		if !expired {
			expired = true
			expire(t, s, Retain{Bytes: s.all()[1].Bytes})
			remove(key)
		}
	}
	rejects := func(after func(key string)) (sources string, err error) {
		files := localfile.New(storetest.Finding{Folder: folder, After: after}, t.TempDir(), localfile.DefaultMaxBytes)
		err = reader.Rejects(t.Context(), files, func(r LandedReject) error { sources += r.Source; return nil })
		return sources, err
	}
	if got, err := rejects(sweep); got != "1" || err != nil {
		t.Errorf("rejects of %q, %v; want those that have not expired", got, err)
	}
	if _, err := rejects(remove); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("of a file that is lost: %v", err)
	}
}

func TestAnExpiryThatContradictsTheLogIsCorrupt(t *testing.T) {
	for name, change := range map[string]func(*Expiry){
		"nothing":                 func(*Expiry) {},
		"no segment":              func(e *Expiry) { e.Segments, e.To = nil, e.From },
		"another beginning":       func(e *Expiry) { e.From++ },
		"another end":             func(e *Expiry) { e.To-- },
		"another segment":         func(e *Expiry) { e.Segments[1] = "other" },
		"others than the oldest":  func(e *Expiry) { e.Segments = e.Segments[1:] },
		"the newest among them":   func(e *Expiry) { *e = Expiry{} },
		"more than there are":     func(e *Expiry) { e.Segments = append(e.Segments, "a", "b", "c") },
		"segments in other order": func(e *Expiry) { slices.Reverse(e.Segments) },
	} {
		s, c := hourly(t, objstore.NewMemory(), 4)
		s.View(func(state *State) {
			e := state.Expirable(Retain{Age: 2*time.Hour - 1}, c.now, math.MaxInt64)
			if change(&e); name == "the newest among them" {
				e = state.expiry(4)
			}
			body, err := json.Marshal(record{Expiry: &e})
			if err != nil {
				t.Fatal(err)
			}
			err = state.Apply(log.Entry{Body: body})
			if errors.Is(err, log.ErrCorrupt) == (name == "nothing") || (err == nil) != (name == "nothing") {
				t.Errorf("with %s: %v", name, err)
			}
		})
	}
}

// Whoever expires and whoever lands, positions expire once, in order, and no
// input changes by it.
func TestRacingExpiriesTakeTurns(t *testing.T) {
	for seed := range uint64(10) {
		memory := objstore.NewMemory()
		store := objstore.NewFault(memory, objstore.SeededFaults(seed, 0.1))
		var group errgroup.Group
		for w := range 2 {
			s := open(t, store, Options{})
			random := rand.New(rand.NewPCG(seed, uint64(w)))
			group.Go(func() error {
				for i := range 10 {
					if _, err := land(s, fmt.Sprint(w, "/", i), randomRows(random, 1+random.IntN(9))...); errors.Is(err, log.ErrCorrupt) {
						return err
					}
				}
				return nil
			})
		}
		for range 2 {
			s := open(t, store, Options{})
			group.Go(func() error {
				for range 10 {
					if _, err := s.Expire(t.Context(), Retain{Bytes: 2000}, fixedClock(), allSpent); errors.Is(err, log.ErrCorrupt) {
						return err
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		s := open(t, memory, Options{})
		check(t, s.Refresh(t.Context()))
		s.View(func(state *State) {
			if in := state.InputOf(drawnHours); in.Rows != int64(s.Next()) {
				t.Errorf("seed %d: the input has %d rows, %d landed", seed, in.Rows, s.Next())
			}
			if gone := state.Expired(drawnHours); gone != int64(state.ExpiredUpTo()) {
				t.Errorf("seed %d: %d rows expired up to position %d", seed, gone, state.ExpiredUpTo())
			}
		})
	}
}

// An expiry asks what is needed of the very state that its entry follows.
func TestRowsThatBecameNeededMeanwhileStay(t *testing.T) {
	store := objstore.NewMemory()
	s, _ := hourly(t, store, 3)
	other := open(t, store, Options{})
	asked := 0
	e, err := s.Expire(t.Context(), Retain{Age: 1}, s.opts.Now(), func(state *State) (Position, error) {
		if asked++; asked == 1 {
			if _, err := land(other, "meanwhile", row(0, 1)); err != nil {
				return 0, err
			}
			return math.MaxInt64, nil
		}
		return 0, nil // what landed needs them all
	})
	if err != nil || asked != 2 || e.Rows() != 0 {
		t.Fatalf("asked %d times, %d rows expired, %v; want 2 times and none", asked, e.Rows(), err)
	}
	refused := errors.New("needed")
	if _, err := s.Expire(t.Context(), Retain{Age: 1}, s.opts.Now(), func(*State) (Position, error) { return 0, refused }); !errors.Is(err, refused) {
		t.Errorf("got %v, want what was said of need", err)
	}
}

// A compaction in flight whose segments expire is outrun, and leaves nothing.
func TestACompactionOfSegmentsThatExpiredYields(t *testing.T) {
	for _, swept := range []bool{false, true} {
		store := objstore.NewMemory()
		s, _ := hourly(t, store, 5)
		other := open(t, store, Options{})
		check(t, other.Refresh(t.Context()))
		segments := s.all()
		e := expire(t, s, Retain{Age: 4 * time.Hour})
		if swept {
			for _, id := range e.Segments {
				check(t, store.Delete(t.Context(), s.SegmentKey(id)))
			}
		}
		was, before := inputs(s), len(objects(t, s))
		files := localfile.New(store, t.TempDir(), localfile.DefaultMaxBytes)
		if _, err := other.Compact(t.Context(), files, segments[:3]); !errors.Is(err, ErrOutrun) {
			t.Errorf("swept %v: %v, want ErrOutrun", swept, err)
		}
		check(t, s.Refresh(t.Context()))
		if got := inputs(s); !slices.Equal(got, was) || len(objects(t, s)) != before {
			t.Errorf("swept %v: inputs %v, %d objects; want %v, %d", swept, got, len(objects(t, s)), was, before)
		}
	}
}
