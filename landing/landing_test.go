package landing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/localfile"
	"strandline/internal/log"
	"strandline/internal/objstore"
)

var spec = Spec{
	Stream:    "s",
	EventTime: EventTime{Column: "at", Unit: UnitMicros},
	Columns:   []datafile.Column{{Name: "v", Type: datafile.Type{Kind: datafile.BigInt}}},
}

func open(t *testing.T, store objstore.Store, o Options) *Stream {
	t.Helper()
	o.Scratch = t.TempDir()
	return Open(store, spec, o)
}

func row(at, v int64) Row {
	return Row{EventTime: at, SourcePosition: v, Values: []datafile.Value{parquet.Int64Value(v)}}
}

func identity(text string) Identity {
	return Identity{Digest: digest.OfBytes([]byte(text)), Size: int64(len(text))}
}

// land lands rows under a name that is also their identity.
func land(s *Stream, name string, rows ...Row) (Result, error) {
	return landAs(s, name, name, rows...)
}

// landAs lands rows as some of those of one source, whatever their identity.
func landAs(s *Stream, source, id string, rows ...Row) (Result, error) {
	in, err := s.Begin(Source{Name: source})
	if err != nil {
		return Result{}, err
	}
	for _, r := range rows {
		if err := in.Add(r); err != nil {
			return Result{}, err
		}
	}
	return in.Commit(context.Background(), identity(id))
}

func randomRows(r *rand.Rand, n int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = row(r.Int64N(10*microsPerHour)-5*microsPerHour, int64(i))
	}
	return rows
}

func TestPositionsAreDenseWhateverWritersRaceAndAnswersGetLost(t *testing.T) {
	for seed := range uint64(10) {
		store := objstore.NewFault(objstore.NewMemory(), objstore.SeededFaults(seed, 0.1))
		var group errgroup.Group
		landed := make([][]Result, 4)
		for w := range landed {
			s := open(t, store, Options{})
			random := rand.New(rand.NewPCG(seed, uint64(w)))
			group.Go(func() error {
				for i := range 10 {
					result, err := land(s, fmt.Sprint(w, "/", i), randomRows(random, 1+random.IntN(9))...)
					if errors.Is(err, log.ErrCorrupt) {
						return err
					}
					if err == nil {
						landed[w] = append(landed[w], result)
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		all := slices.SortedFunc(slices.Values(slices.Concat(landed...)), func(a, b Result) int { return int(a.From - b.From) })
		for i := 1; i < len(all); i++ {
			if all[i].From < all[i-1].To {
				t.Fatalf("seed %d: positions [%d, %d) were given twice", seed, all[i].From, all[i-1].To)
			}
		}
	}
}

func TestTheSameContentLandsOnceWhoeverBringsIt(t *testing.T) {
	store := objstore.NewMemory()
	var group errgroup.Group
	results := make([]Result, 8)
	for w := range results {
		s := open(t, store, Options{})
		group.Go(func() (err error) {
			results[w], err = land(s, "same", row(1, 1), row(2, 2))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	won := 0
	for _, r := range results {
		if !r.Duplicate {
			won++
		} else if r.DuplicateOf != "same" || r.Rows() != 0 {
			t.Errorf("a duplicate is answered with %+v", r)
		}
	}
	s := open(t, store, Options{})
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if won != 1 || s.Next() != 2 {
		t.Fatalf("%d writers landed it and the head is %d, want 1 and 2", won, s.Next())
	}
	// What the losers brought up was taken back: one data file and no more.
	if objects, err := store.List(t.Context(), "landing/s/data/", "", 10); err != nil || len(objects) != 1 {
		t.Fatalf("data files: %v, %v; want one", objects, err)
	}
}

func TestInputDigestDependsOnRowsAndPositionsAndNotOnSegments(t *testing.T) {
	rows := randomRows(rand.New(rand.NewPCG(3, 3)), 500)
	for i := range rows { // one source and line for each, however it is cut
		rows[i].SourcePosition = int64(i)
	}
	hours := Hours{From: -5, To: 5}
	digestOf := func(segmentBytes int64, rows []Row) Input {
		s := open(t, objstore.NewMemory(), Options{SegmentBytes: segmentBytes, Now: fixedClock})
		if _, err := land(s, "a", rows...); err != nil {
			t.Fatal(err)
		}
		var in Input
		s.View(func(state *State) { in = state.InputOf(hours) })
		return in
	}
	whole := digestOf(1<<30, rows)
	if whole.Rows != 500 {
		t.Fatalf("counted %d rows, want 500", whole.Rows)
	}
	if cut := digestOf(3000, rows); cut != whole {
		t.Errorf("cut into segments the input is %+v, want %+v", cut, whole)
	}
	swapped := slices.Clone(rows)
	swapped[10], swapped[400] = swapped[400], swapped[10]
	if other := digestOf(1<<30, swapped); other.Digest == whole.Digest {
		t.Error("two rows changed their positions and the digest did not")
	}
	if other := digestOf(1<<30, rows[:499]); other.Digest == whole.Digest {
		t.Error("a row is gone and the digest did not change")
	}
}

func TestACheckpointHoldsTheWholeState(t *testing.T) {
	s := open(t, objstore.NewMemory(), Options{})
	random := rand.New(rand.NewPCG(1, 1))
	for i := range 20 {
		if _, err := land(s, fmt.Sprint(i), randomRows(random, random.IntN(20))...); err != nil {
			t.Fatal(err)
		}
	}
	s.View(func(state *State) {
		data, err := state.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		read := newState()
		if err := read.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(read.sumsOf(everyHour), state.sumsOf(everyHour)) || !reflect.DeepEqual(read.hours.expired, state.hours.expired) || len(read.arrivals) != len(state.arrivals) || read.Next() != state.Next() {
			t.Fatal("the state of a checkpoint is another")
		}
		for _, a := range state.arrivals {
			if same, landed := read.landedAs(a.Identity); !landed || same.Name != a.Name {
				t.Fatalf("of %v it knows %v, %v", a, same, landed)
			}
		}
		for h := int64(-5); h < 5; h++ {
			hours := Hours{From: h, To: h + 1}
			if read.InputOf(hours) != state.InputOf(hours) {
				t.Fatalf("hour %d has other input", h)
			}
		}
	})
}

func TestWhatWasTrueUpToAPositionStaysTrue(t *testing.T) {
	s := open(t, objstore.NewMemory(), Options{})
	random := rand.New(rand.NewPCG(2, 2))
	hours := Hours{From: -5, To: 5}
	type fact struct {
		upTo Position
		in   Input
	}
	var facts []fact
	for i := range 12 {
		if _, err := land(s, fmt.Sprint(i), randomRows(random, 10)...); err != nil {
			t.Fatal(err)
		}
		s.View(func(state *State) { facts = append(facts, fact{state.Next(), state.InputOf(hours)}) })
	}
	s.View(func(state *State) {
		for _, f := range facts {
			if least, most := state.InputBounds(hours, f.upTo); least != f.in || most != f.in {
				t.Errorf("the input up to position %d was %+v and is now from %+v to %+v", f.upTo, f.in, least, most)
			}
		}
	})
}

func TestRejectsAreKeptWithReasonAndBytes(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{})
	in, err := s.Begin(Source{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	raw := []byte{'{', 0xff, 0}
	if err := errors.Join(in.Add(row(1, 1)), in.Reject(Reject{SourcePosition: 2, Reason: "bad", Raw: raw})); err != nil {
		t.Fatal(err)
	}
	result, err := in.Commit(t.Context(), identity("f"))
	if err != nil || result.Rejects != 1 || result.Rows() != 1 {
		t.Fatalf("got %+v, %v; want a row and a reject", result, err)
	}
	var got []LandedReject
	files := localfile.New(store, t.TempDir(), localfile.DefaultMaxBytes)
	err = s.Rejects(t.Context(), files, func(r LandedReject) error { got = append(got, r); return nil })
	if err != nil || len(got) != 1 {
		t.Fatalf("got %+v, %v; want one reject", got, err)
	}
	if r := got[0]; r.Source != "f" || r.SourcePosition != 2 || r.Reason != "bad" || !slices.Equal(r.Raw, raw) {
		t.Fatalf("got %+v", r)
	}
}

func TestAnAbortedIntakeLeavesNothing(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{SegmentBytes: 100})
	in, err := s.Begin(Source{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(20) {
		if err := in.Add(row(i, i)); err != nil {
			t.Fatal(err)
		}
	}
	in.Abort()
	if objects, err := store.List(t.Context(), "", "", 10); err != nil || len(objects) > 0 {
		t.Fatalf("the lake holds %v, %v", objects, err)
	}
	if _, err := in.Commit(t.Context(), identity("f")); err == nil {
		t.Fatal("an aborted intake was committed")
	}
}

func TestRowsAreClusteredByBucketHourAndKeepTheirOffsets(t *testing.T) {
	b := gather(spec.Columns, "s", fixedClock())
	random := rand.New(rand.NewPCG(9, 9))
	for _, r := range randomRows(random, 300) {
		if err := b.filler.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	data, buckets := written(t, b)
	n := 0
	for _, bucket := range buckets {
		last := int64(-1)
		for range bucket.Rows {
			if hour := floorHour(data[n][1].Int64()); hour != bucket.Hour {
				t.Fatalf("row %d is of hour %d, in the bucket of %d", n, hour, bucket.Hour)
			}
			if offset := data[n][0].Int64(); offset <= last {
				t.Fatalf("row %d has offset %d after %d", n, offset, last)
			} else {
				last = offset
			}
			if data[n][0].Int64() != data[n][5].Int64() { // v was its number
				t.Fatalf("row %d is not at the offset at which it came", n)
			}
			n++
		}
	}
	if n != 300 {
		t.Fatalf("buckets count %d rows", n)
	}
}

func TestRowGroupsCoverAllRowsAndKeepLargeBucketsApart(t *testing.T) {
	for _, rows := range [][]int64{{1}, {10, 20, 30}, {rowGroupRows, 1}, {1, 5 * rowGroupRows, 1}, {20 * rowGroupRows}} {
		var buckets []Bucket
		total := 0
		for _, n := range rows {
			buckets = append(buckets, Bucket{Rows: n})
			total += int(n)
		}
		ends := rowGroups(buckets)
		if !slices.IsSorted(ends) || len(ends) == 0 || ends[len(ends)-1] != total || ends[0] <= 0 {
			t.Errorf("%v gives %v", rows, ends)
		}
	}
}

func fixedClock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
