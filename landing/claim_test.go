package landing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/internal/digest"
	"strandline/internal/log"
	"strandline/internal/objstore"
)

// claim lands rows as what they claim to be.
func claim(s *Stream, name string, c Claim, rows ...Row) (Result, error) {
	in, err := s.Begin(Source{Name: name})
	if err != nil {
		return Result{}, err
	}
	for _, r := range rows {
		if err := in.Add(r); err != nil {
			return Result{}, err
		}
	}
	return in.CommitAs(context.Background(), c)
}

func keyOf(text string) digest.Hash { return digest.OfBytes([]byte(text)) }

func TestAnOrderedSourceIsReadOnWhereTheStreamIs(t *testing.T) {
	store := objstore.NewMemory()
	s, other := open(t, store, Options{}), open(t, store, Options{})
	_, known, err := s.Progress(t.Context(), "p")
	if err != nil || known {
		t.Fatalf("a new source is known: %v, %v", known, err)
	}
	read := func(s *Stream, from, to int64) error {
		_, err := claim(s, "k", Claim{Progress: []Progress{{Source: "p", From: from, To: to}}}, row(from, from))
		return err
	}
	check(t, read(s, 7, 10))
	check(t, read(other, 10, 12))
	for _, from := range []int64{7, 10, 11, 13} {
		err := read(s, from, 20)
		var moved *MovedError
		if !errors.Is(err, ErrMoved) || !errors.As(err, &moved) || moved.Source != "p" || moved.At != 12 {
			t.Errorf("from %d: %v", from, err)
		}
	}
	at, known, err := s.Progress(t.Context(), "p")
	if err != nil || !known || at != 12 || s.Next() != 2 {
		t.Fatalf("the stream is at %d (%v, %v) with %d rows", at, known, err, s.Next())
	}
}

func TestWhatIsLostOfASourceIsRecordedForEver(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{ArchiveArrivals: 2})
	gap := Progress{Source: "p", From: 0, To: 9, Gap: &Gap{From: 0, To: 9, Reason: "retention"}}
	_, err := claim(s, "k", Claim{Progress: []Progress{gap}})
	check(t, err)
	for i := range 6 {
		landNth(t, s, i)
	}
	if archives, _ := archivesOf(s); len(archives) == 0 {
		t.Fatal("nothing was archived")
	}
	list := arrivals(t, open(t, store, Options{}))
	if !reflect.DeepEqual(list[0].Gaps, []Progress{gap}) || list[1].Gaps != nil {
		t.Fatalf("of the gap there is %+v", list[0].Gaps)
	}
}

func TestAPostWithItsKeyLandsOnceAndItsAnswerIsKept(t *testing.T) {
	store := objstore.NewMemory()
	s, other := open(t, store, Options{}), open(t, store, Options{})
	landNth(t, s, 0)
	post := Key{Digest: keyOf("a"), Body: keyOf("body"), From: 1, To: 3, Rejects: 1, Reasons: []Reason{{2, "no JSON"}}}
	_, err := claim(s, "http", Claim{Keys: []Key{{Digest: keyOf("b"), To: 1}, post}}, row(1, 1), row(2, 2), row(3, 3))
	check(t, err)
	_, err = claim(other, "http", Claim{Keys: []Key{{Digest: keyOf("c")}, post}}, row(9, 9))
	var landed *KeysLandedError
	if !errors.As(err, &landed) || !errors.Is(err, ErrKeysLanded) || len(landed.Keys) != 1 {
		t.Fatalf("a key landed twice: %v", err)
	}
	want := post
	want.From, want.To, want.Until = 2, 4, landed.Keys[0].Until
	got, known, err := other.Key(t.Context(), keyOf("a"))
	if err != nil || !known || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(landed.Keys[0], want) {
		t.Fatalf("of the key is known %+v and %+v, want %+v", got, landed.Keys[0], want)
	}
	if _, known, err := open(t, store, Options{}).Key(t.Context(), keyOf("c")); err != nil || known {
		t.Fatalf("a key of a refused claim is known: %v, %v", known, err)
	}
}

// The store's time is that of the bubble, in which the store is in memory.
func TestKeysAreForgottenByTheLogAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := objstore.NewMemory()
		time.Sleep(30 * time.Minute)
		o := Options{MaxKeys: 3}
		s := open(t, store, o)
		post := func(name string) error {
			_, err := claim(s, "http", Claim{Keys: []Key{{Digest: keyOf(name)}}, KeepKeys: time.Hour})
			return err
		}
		check(t, post("a"))
		time.Sleep(20 * time.Minute)
		check(t, post("b"))
		time.Sleep(time.Hour + 9*time.Minute) // a is over, and so is not the hour in which it was
		check(t, post("c"))
		if err := post("a"); !errors.Is(err, ErrKeysLanded) {
			t.Fatalf("a key was forgotten too early: %v", err)
		}
		if err := post("d"); !errors.Is(err, ErrTooManyKeys) {
			t.Fatalf("more keys are remembered than may be: %v", err)
		}
		time.Sleep(time.Minute)
		check(t, post("d")) // of the next hour, in which a and b are over
		fresh := open(t, store, o)
		check(t, fresh.Refresh(t.Context()))
		for _, stream := range []*Stream{s, fresh} {
			for name, want := range map[string]bool{"a": false, "b": false, "c": true, "d": true} {
				if _, known, err := stream.Key(t.Context(), keyOf(name)); err != nil || known != want {
					t.Errorf("key %s is known: %v (%v), want %v", name, known, err, want)
				}
			}
		}
	})
}

func TestLongReasonsCountAsKeys(t *testing.T) {
	s := open(t, objstore.NewMemory(), Options{MaxKeys: 4})
	long := Reason{1, string(make([]byte, 3*reasonsPerKey))}
	if _, err := claim(s, "http", Claim{Keys: []Key{{Digest: keyOf("a"), Reasons: []Reason{long, long}}}}); !errors.Is(err, ErrTooManyKeys) {
		t.Fatalf("reasons take memory that nobody counts: %v", err)
	}
	_, err := claim(s, "http", Claim{Keys: []Key{{Digest: keyOf("a"), Reasons: []Reason{long}}}})
	check(t, err)
	if _, err := claim(s, "http", Claim{Keys: []Key{{Digest: keyOf("b")}}}); !errors.Is(err, ErrTooManyKeys) {
		t.Fatalf("reasons that were remembered take memory that nobody counts: %v", err)
	}
}

func TestAVersionIsKnownWhereverItsArrivalIs(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{ArchiveArrivals: 2})
	for i := range 7 {
		_, err := claim(s, fmt.Sprint(i), Claim{Identity: identity(fmt.Sprint(i)), Version: "v"}, row(1, 1))
		check(t, err)
	}
	if archives, left := archivesOf(s); len(archives) == 0 || left == 0 {
		t.Fatal("want versions in archives and in the state")
	}
	other := open(t, store, Options{})
	var wanted []Version
	for i := range 8 {
		wanted = append(wanted, Version{fmt.Sprint(i), "v"}, Version{fmt.Sprint(i), "w"}, Version{fmt.Sprint(i), ""}, Version{"", "v"})
	}
	has, err := other.HasVersions(t.Context(), wanted)
	check(t, err)
	for i, w := range wanted {
		if want := w.Name != "" && w.Name != "7" && w.Version == "v"; has[i] != want {
			t.Errorf("%v is known: %v, want %v", w, has[i], want)
		}
	}
	for i := range 7 { // whatever its bytes are said to be now
		result, err := claim(other, fmt.Sprint(i), Claim{Identity: identity("else"), Version: "v"}, row(1, 1))
		if err != nil || !result.Duplicate || result.DuplicateOf != fmt.Sprint(i) {
			t.Errorf("version %d landed twice: %+v (%v)", i, result, err)
		}
	}
}

func TestAnotherVersionOfAContentIsNotedAndLandsNoRow(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{ArchiveArrivals: 2})
	for i := range 5 {
		landNth(t, s, i)
	}
	for _, of := range []string{"arrival 0", "arrival 4"} { // archived, and not
		for _, version := range []string{"v", "w", "w"} {
			result, err := claim(s, "copy", Claim{Identity: identity(of), Version: of + version})
			if err != nil || !result.Duplicate || result.Rows() != 0 {
				t.Fatalf("%s of %s: %+v (%v)", version, of, result, err)
			}
			if has, err := s.HasVersion(t.Context(), "copy", of+version); err != nil || !has {
				t.Fatalf("%s of %s is not known (%v)", version, of, err)
			}
		}
	}
	if list := arrivals(t, s); len(list) != 5+4 || s.Next() != 5 {
		t.Fatalf("%d arrivals and %d rows, want 9 and 5", len(list), s.Next())
	}
}

func TestAClaimThatCanNotBeIsRefused(t *testing.T) {
	s := open(t, objstore.NewMemory(), Options{})
	for name, c := range map[string]Claim{
		"content and progress": {Identity: identity("a"), Progress: []Progress{{Source: "p", To: 1}}},
		"version and keys":     {Version: "a", Keys: []Key{{}}},
		"a source twice":       {Progress: []Progress{{Source: "p", To: 1}, {Source: "p", From: 1, To: 2}}},
		"backwards":            {Progress: []Progress{{Source: "p", From: 2, To: 1}}},
		"below 0":              {Progress: []Progress{{Source: "p", From: -1, To: 1}}},
		"a gap elsewhere":      {Progress: []Progress{{Source: "p", From: 1, To: 2, Gap: &Gap{From: 0, To: 2}}}},
		"a gap of nothing":     {Progress: []Progress{{Source: "p", From: 1, To: 2, Gap: &Gap{From: 1, To: 1}}}},
		"a key twice":          {Keys: []Key{{Digest: keyOf("a")}, {Digest: keyOf("a")}}},
		"rows backwards":       {Keys: []Key{{From: 1}}},
		"rows that are not":    {Keys: []Key{{To: 2}}},
		"no rejects":           {Retried: []Retried{{File: "a"}}},
		"rejects twice":        {Retried: []Retried{{File: "a", Records: []Span{{0, 2}, {1, 3}}}}},
		"rejects of nowhere":   {Retried: []Retried{{File: "a", Records: []Span{{0, 2}}}}},
	} {
		if _, err := claim(s, "a", c, row(1, 1)); err == nil || errors.Is(err, log.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	check(t, s.Refresh(t.Context()))
	if s.Next() != 0 {
		t.Errorf("%d rows landed", s.Next())
	}
}

// rejecting lands rejects in a source of its own, and returns their file.
func rejecting(t *testing.T, s *Stream, name string, n int) string {
	t.Helper()
	in, err := s.Begin(Source{Name: name})
	check(t, err)
	check(t, in.Add(row(1, 1)))
	for i := range n {
		check(t, in.Reject(Reject{SourcePosition: int64(i + 1), Reason: "why", Raw: []byte("{")}))
	}
	_, err = in.Commit(t.Context(), identity(name))
	check(t, err)
	return in.rejected[0]
}

func TestARejectLandsAgainOnce(t *testing.T) {
	store := objstore.NewMemory()
	s, other := open(t, store, Options{}), open(t, store, Options{})
	file := rejecting(t, s, "a", 10)
	retry := func(s *Stream, records ...Span) error {
		_, err := claim(s, "rejects", Claim{Retried: []Retried{{File: file, Records: records}}}, row(1, 1))
		return err
	}
	check(t, retry(s, Span{2, 4}, Span{6, 7}))
	for _, again := range []Span{{2, 3}, {3, 5}, {0, 3}, {0, 10}, {6, 8}} {
		if err := retry(other, again); !errors.Is(err, ErrRetried) {
			t.Errorf("%v lands again: %v", again, err)
		}
	}
	if err := retry(other, Span{9, 11}); err == nil || errors.Is(err, ErrRetried) {
		t.Errorf("rejects that never were land: %v", err)
	}
	check(t, retry(other, Span{0, 2}, Span{4, 6}, Span{7, 10}))
	check(t, s.Refresh(t.Context()))
	s.View(func(state *State) {
		if state.RetriedRejects() != 10 || state.PendingRejects() != 0 || len(state.retried[file]) != 1 {
			t.Errorf("%d landed again and %d are pending, by %v", state.RetriedRejects(), state.PendingRejects(), state.retried)
		}
	})
}

func TestWhatLandedAgainExpiresWithItsFile(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{ArchiveArrivals: 1})
	file := rejecting(t, s, "a", 10)
	_, err := claim(s, "rejects", Claim{Retried: []Retried{{File: file, Records: []Span{{0, 4}}}}}, row(1, 1))
	check(t, err)
	landNth(t, s, 0)
	s.View(func(state *State) {
		if state.PendingRejects() != 6 {
			t.Errorf("%d are pending, want 6", state.PendingRejects())
		}
		e := state.Expirable(Retain{Bytes: 1}, time.Now(), 1)
		if n := state.PendingOf(e); n != 6 {
			t.Errorf("%d pending rejects go with %+v, want 6", n, e)
		}
	})
	_, err = s.Expire(t.Context(), Retain{Bytes: 1}, time.Now(), func(state *State) (Position, error) { return 1, nil })
	check(t, err)
	s.View(func(state *State) {
		if len(state.retried) > 0 || state.PendingRejects() != 0 || state.ExpiredRejects() != 10 {
			t.Errorf("of 10 rejects that expired %d are pending, %v landed again", state.PendingRejects(), state.retried)
		}
	})
	if _, err := claim(s, "rejects", Claim{Retried: []Retried{{File: file, Records: []Span{{4, 5}}}}}); !errors.Is(err, ErrRetried) {
		t.Errorf("an expired reject lands: %v", err)
	}
}

// Writers race for offsets, keys and rejects, and answers get lost: whatever they are
// told, each landed once, and all who read the log agree.
func TestWhatIsClaimedLandsOnceWhateverWritersRaceAndAnswersGetLost(t *testing.T) {
	for seed := range uint64(6) {
		memory := objstore.NewMemory()
		clock := func() time.Time { return time.UnixMicro(int64(seed) * 1e15) }
		options := Options{ArchiveArrivals: 4, Now: clock, Log: log.Options{CheckpointEvery: 8}}
		file := rejecting(t, open(t, memory, options), "a", 40)
		store := objstore.NewFault(memory, objstore.SeededFaults(seed, 0.05))
		var group errgroup.Group
		for w := range uint64(4) {
			s := open(t, store, options)
			random := rand.New(rand.NewPCG(seed, w))
			group.Go(func() error {
				for range 15 {
					if err := claimSomething(s, random, file); errors.Is(err, log.ErrCorrupt) {
						return err
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checkClaims(t, seed, memory, options)
	}
}

// claimSomething claims offsets, keys or rejects that another may have landed.
func claimSomething(s *Stream, random *rand.Rand, file string) error {
	var c Claim
	n := random.Int64N(3) + 1
	switch random.IntN(3) {
	case 0:
		for _, source := range []string{"p", "q"} {
			at, _, err := s.Progress(context.Background(), source)
			if err != nil {
				return err
			}
			c.Progress = append(c.Progress, Progress{Source: source, From: at, To: at + n})
		}
		n *= 2
	case 1:
		for i := range n {
			c.Keys = append(c.Keys, Key{Digest: keyOf(fmt.Sprint(random.IntN(60), "/", i)), From: i, To: i + 1})
		}
	case 2:
		from := random.Int64N(40 - n)
		c.Retried = []Retried{{File: file, Records: []Span{{from, from + n}}}}
	}
	_, err := claim(s, "w", c, randomRows(random, int(n))...)
	return err
}

// checkClaims reads the log from its first entry and from its newest checkpoint, and
// wants each row to stand for one offset, key or reject.
func checkClaims(t *testing.T, seed uint64, store objstore.Store, o Options) {
	t.Helper()
	whole := newState()
	rows := int64(1) // beside the rejects
	for _, e := range entries(t, store) {
		check(t, whole.Apply(e))
		change, err := decodeChange(e.Body)
		check(t, err)
		if c, landed := change.(*Commit); landed {
			rows += int64(len(c.Keys))
		}
	}
	rows += whole.progress["p"] + whole.progress["q"] + whole.RetriedRejects()
	if int64(whole.Next()) != rows || rows < 10 {
		t.Fatalf("seed %d: %d rows landed, for %d offsets, keys and rejects", seed, whole.Next(), rows)
	}
	s := open(t, store, o)
	check(t, s.Refresh(t.Context()))
	s.View(func(state *State) {
		if !reflect.DeepEqual(state.progress, whole.progress) || !reflect.DeepEqual(state.keys, whole.keys) || !reflect.DeepEqual(state.retried, whole.retried) {
			t.Fatalf("seed %d: a checkpoint leads to\n%+v %+v %+v, the entries to\n%+v %+v %+v", seed, state.progress, state.keys, state.retried, whole.progress, whole.keys, whole.retried)
		}
	})
}

// entries reads the whole log of the stream.
func entries(t *testing.T, store objstore.Store) []log.Entry {
	t.Helper()
	list, err := log.New(store, "landing/s", log.Options{}).ReadAfter(t.Context(), log.Head{})
	check(t, err)
	return list
}
