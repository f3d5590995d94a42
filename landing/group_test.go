package landing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"strandline/internal/localfile"
	"strandline/internal/log"
	"strandline/internal/objstore"
)

// landTogether lands contents by one entry, each of as many rows as its number and as many
// rejects as that divides by 3, in a version that is its name.
func landTogether(s *Stream, numbers ...int) ([]Result, error) {
	in, err := s.Begin(Source{Name: "all"})
	if err != nil {
		return nil, err
	}
	var members []Member
	for _, n := range numbers {
		name := fmt.Sprint(n)
		if err := in.BeginMember(name); err != nil {
			return nil, err
		}
		for i := range n {
			if err := in.Add(row(int64(n), int64(i))); err != nil {
				return nil, err
			}
		}
		for i := range n / 3 {
			if err := in.Reject(Reject{SourcePosition: int64(i), Reason: "why of " + name, Raw: []byte(name)}); err != nil {
				return nil, err
			}
		}
		members = append(members, Member{Name: name, Identity: identity(name), Version: name, Rows: int64(n)})
	}
	return in.CommitMembers(context.Background(), members)
}

func TestSeveralArrivalsLandByOneEntryEachKnownByItself(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{Log: log.Options{CheckpointEvery: 2}})
	if _, err := land(s, "first", row(1, 1)); err != nil {
		t.Fatal(err)
	}
	results, err := landTogether(s, 3, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := [][2]Position{{1, 4}, {4, 4}, {4, 6}}
	for i, r := range results {
		if [2]Position{r.From, r.To} != want[i] || r.Duplicate || r.SameName {
			t.Errorf("result %d is %+v, want positions %v", i, r, want[i])
		}
	}
	if n := len(entries(t, store)); n != 2 {
		t.Errorf("there are %d entries, want 2", n)
	}
	again := open(t, store, Options{}) // from the checkpoint
	list := arrivals(t, again)
	for i, name := range []string{"3", "0", "2"} {
		a := list[i+1]
		if a.Name != name || a.Identity != identity(name) || a.From != want[i][0] || a.To != want[i][1] {
			t.Errorf("arrival %d is %+v", i, a)
		}
		if known, err := again.HasVersion(t.Context(), name, name); err != nil || !known {
			t.Errorf("version %q is known: %v (%v)", name, known, err)
		}
		if r, err := land(again, name, row(1, 1)); err != nil || !r.Duplicate || r.DuplicateOf != name {
			t.Errorf("%q lands again: %+v (%v)", name, r, err)
		}
	}
	if files, err := store.List(t.Context(), "landing/s/data/", "", 10); err != nil || len(files) != 2 {
		t.Errorf("the rows are in %d files (%v), want 2", len(files), err)
	}
}

func TestOfContentsThatOneHasLandedOfNoneLandsTogether(t *testing.T) {
	store := objstore.NewMemory()
	s, other := open(t, store, Options{}), open(t, store, Options{})
	if _, err := landTogether(s, 1, 2, 1); !errors.Is(err, ErrMemberLanded) {
		t.Errorf("one that is there twice: %v", err)
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := land(other, "2", row(1, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := landTogether(s, 1, 2); !errors.Is(err, ErrMemberLanded) || s.Next() != 1 {
		t.Errorf("one that has landed: %v, and the head is %d", err, s.Next())
	}
	if files, err := store.List(t.Context(), "landing/s/data/", "", 10); err != nil || len(files) != 1 {
		t.Errorf("there are %d files (%v), want that of what landed", len(files), err)
	}
	if _, err := landTogether(s, 1, 3); err != nil || s.Next() != 5 {
		t.Errorf("others: %v, and the head is %d", err, s.Next())
	}
}

// Rejects of what lands together are each arrival's own, in a file of its own, and told
// with it.
func TestSeveralArrivalsKeepTheirRejectsApart(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{})
	results, err := landTogether(s, 7, 1, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []int64{2, 0, 1, 0} {
		a := arrivals(t, s)[i]
		if results[i].Rejects != n || results[i].Classes[RejectForm] != n || a.Rejects != n || len(a.RejectFiles) != int(min(n, 1)) {
			t.Errorf("%q has %d rejects: %+v and %+v", a.Name, n, a, results[i])
		}
	}
	var got []string
	check(t, s.Rejects(t.Context(), localfile.New(store, t.TempDir(), localfile.DefaultMaxBytes), func(r LandedReject) error {
		got = append(got, fmt.Sprint(r.Source, " ", r.Record, " ", r.SourcePosition, " ", r.Reason, " ", string(r.Raw)))
		return nil
	}))
	if want := []string{"7 0 0 why of 7 7", "7 1 1 why of 7 7", "3 0 0 why of 3 3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Writers race for the same contents in other groups, and answers get lost: each content
// lands once, whole.
func TestContentsLandOnceWhateverGroupsRaceAndAnswersGetLost(t *testing.T) {
	for seed := range uint64(10) {
		memory := objstore.NewMemory()
		store := objstore.NewFault(memory, objstore.SeededFaults(seed, 0.05))
		options := Options{ArchiveArrivals: 4, Log: log.Options{CheckpointEvery: 8}}
		var group errgroup.Group
		for w := range uint64(4) {
			s := open(t, store, options)
			random := rand.New(rand.NewPCG(seed, w))
			group.Go(func() error {
				for range 15 {
					first := random.IntN(20)
					var err error
					if random.IntN(4) == 0 {
						_, err = land(s, fmt.Sprint(first), randomRows(random, first)...)
					} else {
						_, err = landTogether(s, first, first+1, first+2)
					}
					if errors.Is(err, log.ErrCorrupt) {
						return err
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		wantEachOnce(t, fmt.Sprint("seed ", seed), open(t, memory, options))
	}
}

// wantEachOnce wants that each arrival is of a content of its own, and has as many rows as
// its name says, after those of the one before.
func wantEachOnce(t *testing.T, what string, s *Stream) {
	t.Helper()
	var names []string
	next := Position(0)
	for _, a := range arrivals(t, s) {
		if a.Rejects != 0 && a.Rejects != a.Rows()/3 || (a.Rejects > 0) != (len(a.RejectFiles) > 0) {
			t.Errorf("%s: %+v has other rejects than it came with", what, a)
		}
		if a.From != next || fmt.Sprint(a.Rows()) != a.Name || slices.Contains(names, a.Name) {
			t.Errorf("%s: after position %d came %+v, after %v", what, next, a, names)
		}
		names, next = append(names, a.Name), a.To
	}
	if s.Next() != next {
		t.Errorf("%s: the head is %d, want %d", what, s.Next(), next)
	}
}

// Whoever lands several may die at any call, done or not: all have landed, or none has.
func TestDyingAtEveryCallOfAGroupLandsAllOfItOrNothing(t *testing.T) {
	for _, done := range []bool{false, true} {
		for at, died := int64(0), true; died; at++ {
			memory := objstore.NewMemory()
			var calls atomic.Int64
			store := objstore.NewFault(memory, func(objstore.Op, string) objstore.Action {
				switch n := calls.Add(1) - 1; {
				case n < at:
					return objstore.Pass
				case n == at && done:
					return objstore.LoseAnswer
				}
				return objstore.Fail
			})
			_, _ = landTogether(open(t, store, Options{Log: givesUp}), 1, 2, 3)
			died = calls.Load() > at
			s := open(t, memory, Options{})
			if n := len(arrivals(t, s)); n != 0 && n != 3 {
				t.Fatalf("died at call %d: %d of 3 have landed", at, n)
			}
			for n := 1; n <= 3; n++ {
				if _, err := land(s, fmt.Sprint(n), randomRows(rand.New(rand.NewPCG(1, 1)), n)...); err != nil {
					t.Fatal(err)
				}
			}
			wantEachOnce(t, fmt.Sprint("died at call ", at), s)
		}
	}
}

func TestAnEntryOfSeveralThatContradictsTheLogIsCorrupt(t *testing.T) {
	fine := func() *Commit {
		c := commitOf("a", 0)
		c.Arrival.To = 0
		c.With = []Arrival{{Identity: identity("b"), Name: "b", To: c.Segments[0].End()}}
		return c
	}
	if err := applied(newState(), &record{Grouped: fine()}); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Commit){
		"a gap between them":      func(c *Commit) { c.With[0].From++ },
		"an end before the rows'": func(c *Commit) { c.With[0].To-- },
		"an end before its start": func(c *Commit) { c.Arrival.To = -1; c.With[0].From = -1 },
		"the same content twice":  func(c *Commit) { c.With[0].Identity = c.Arrival.Identity },
		"progress of one of them": func(c *Commit) { c.Progress = []Progress{{Source: "p", To: 1}} },
	} {
		c := fine()
		spoil(c)
		if err := applied(newState(), &record{Grouped: c}); !errors.Is(err, log.ErrCorrupt) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
