package landing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strandline/internal/digest"
	"strandline/internal/localfile"
	"strandline/internal/log"
	"strandline/internal/objstore"
)

// arrivals lists all that has landed.
func arrivals(t *testing.T, s *Stream) (list []Arrival) {
	t.Helper()
	check(t, s.Refresh(t.Context()))
	check(t, s.Arrivals(t.Context(), 0, s.Next(), func(a Arrival) error {
		list = append(list, a)
		return nil
	}))
	return list
}

// archiving lands n arrivals of a row each in a stream that archives 4 at a time.
func archiving(t *testing.T, store objstore.Store, n int) *Stream {
	t.Helper()
	s := open(t, store, Options{ArchiveArrivals: 4})
	for i := range n {
		landNth(t, s, i)
	}
	return s
}

func landNth(t *testing.T, s *Stream, i int) Result {
	t.Helper()
	result, err := land(s, fmt.Sprint("arrival ", i), row(int64(i), int64(i)))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func archivesOf(s *Stream) (archives []Archive, left int) {
	s.View(func(state *State) { archives, left = state.Archives(), len(state.arrivals) })
	return archives, left
}

func TestWhatIsArchivedStaysKnown(t *testing.T) {
	store := objstore.NewMemory()
	s := archiving(t, store, 30)
	archives, left := archivesOf(s)
	if len(archives) != 6 || left != 6 {
		t.Fatalf("of 30 arrivals %d archives were made and %d are left, want 6 and 6", len(archives), left)
	}
	for who, stream := range map[string]*Stream{"who archived": s, "who comes later": open(t, store, Options{})} {
		list := arrivals(t, stream)
		for i := range 30 {
			name := fmt.Sprint("arrival ", i)
			if list[i].Name != name || list[i].From != Position(i) || list[i].To != Position(i+1) {
				t.Errorf("%s lists %+v as arrival %d", who, list[i], i)
			}
			if as, landed, err := stream.Landed(t.Context(), identity(name)); err != nil || !landed || as != name {
				t.Errorf("%s knows arrival %d as %q, %v (%v)", who, i, as, landed, err)
			}
			if again := landNth(t, stream, i); !again.Duplicate || again.DuplicateOf != name {
				t.Errorf("%s lands arrival %d twice: %+v", who, i, again)
			}
		}
		if _, landed, err := stream.Landed(t.Context(), identity("another")); err != nil || landed {
			t.Errorf("%s knows what never landed (%v)", who, err)
		}
		stream.View(func(state *State) {
			if n, _ := state.Arrived(); n != 30 || len(list) != 30 {
				t.Errorf("%s counts %d arrivals and lists %d, want 30", who, n, len(list))
			}
		})
	}
}

// Other content under a name that came before is told, also where that is archived.
func TestANameInAnArchiveIsKnown(t *testing.T) {
	s := archiving(t, objstore.NewMemory(), 8)
	for name, want := range map[string]bool{"arrival 0": true, "arrival 7": true, "arrival 8": false} {
		in, err := s.Begin(Source{Name: name})
		check(t, err)
		check(t, in.Add(row(1, 1)))
		result, err := in.Commit(t.Context(), identity("other content of "+name))
		if err != nil || result.SameName != want {
			t.Errorf("%s came before: %v, want %v (%v)", name, result.SameName, want, err)
		}
	}
}

// Only the archives that hold the positions are read.
func TestArrivalsOfPositionsReadTheirArchivesAlone(t *testing.T) {
	memory := objstore.NewMemory()
	archives, _ := archivesOf(archiving(t, memory, 30))
	store := objstore.NewFault(memory, func(_ objstore.Op, key string) objstore.Action {
		if strings.Contains(key, "/archive/") && !strings.Contains(key, archives[2].ID) {
			return objstore.Fail
		}
		return objstore.Pass
	})
	s := open(t, store, Options{})
	check(t, s.Refresh(t.Context()))
	var names []string
	check(t, s.Arrivals(t.Context(), 9, 10, func(a Arrival) error {
		names = append(names, a.Name)
		return nil
	}))
	if !slices.Contains(names, "arrival 9") {
		t.Errorf("positions [9, 10) came by %v", names)
	}
}

// Rejects are listed and their files named as before, and go with their rows.
func TestRejectsOfArchivedArrivalsStay(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{ArchiveArrivals: 2})
	for i := range 7 {
		in, err := s.Begin(Source{Name: fmt.Sprint(i)})
		check(t, err)
		check(t, errors.Join(in.Add(row(int64(i), 1)), in.Reject(Reject{SourcePosition: 1, Reason: "no"})))
		_, err = in.Commit(t.Context(), identity(fmt.Sprint(i)))
		check(t, err)
	}
	files := localfile.New(store, t.TempDir(), localfile.DefaultMaxBytes)
	for who, stream := range map[string]*Stream{"who archived": s, "who comes later": open(t, store, Options{})} {
		check(t, stream.Refresh(t.Context()))
		var sources []string
		check(t, stream.Rejects(t.Context(), files, func(r LandedReject) error { sources = append(sources, r.Source); return nil }))
		if got := strings.Join(sources, ""); got != "0123456" {
			t.Errorf("%s lists rejects of %s", who, got)
		}
		named, err := stream.Files(t.Context())
		check(t, err)
		for _, a := range arrivals(t, stream) {
			if !named.Names(a.RejectFiles[0]) {
				t.Errorf("%s does not name the rejects of %s", who, a.Name)
			}
		}
		archives, _ := archivesOf(stream)
		if len(archives) != 2 || !named.Names(archives[0].ID) {
			t.Errorf("%s does not name its %d archives", who, len(archives))
		}
	}
}

// Whatever happens to an archive, what it holds is known or its damage is told.
func TestADamagedArchiveIsFoundOut(t *testing.T) {
	store := objstore.NewMemory()
	archives, _ := archivesOf(archiving(t, store, 8))
	key := ArchiveKey("s", archives[0].ID)
	good, err := store.Read(t.Context(), key)
	check(t, err)
	for at := range good {
		bad := slices.Clone(good)
		bad[at] ^= 1
		damaged := objstore.NewMemory()
		check(t, copyStore(t.Context(), store, damaged, key))
		check(t, damaged.Create(t.Context(), key, bad))
		s := open(t, damaged, Options{})
		check(t, s.Refresh(t.Context()))
		err := s.Arrivals(t.Context(), 0, s.Next(), func(Arrival) error { return nil })
		if !errors.Is(err, log.ErrCorrupt) || !strings.Contains(err.Error(), key) || strings.Count(err.Error(), "strandline check-lake") != 1 {
			t.Fatalf("byte %d is another: %v", at, err)
		}
		if as, landed, err := s.Landed(t.Context(), identity("arrival 0")); err == nil && (!landed || as != "arrival 0") {
			t.Fatalf("byte %d is another, and arrival 0 is known as %q, %v", at, as, landed)
		}
	}
}

func TestALostArchiveSaysWhatToDo(t *testing.T) {
	store := objstore.NewMemory()
	archives, _ := archivesOf(archiving(t, store, 8))
	check(t, store.Delete(t.Context(), ArchiveKey("s", archives[0].ID)))
	s := open(t, store, Options{})
	check(t, s.Refresh(t.Context()))
	_, _, landed := s.Landed(t.Context(), identity("arrival 0"))
	for _, err := range []error{landed, s.Arrivals(t.Context(), 0, s.Next(), func(Arrival) error { return nil })} {
		if !errors.Is(err, objstore.ErrNotFound) || strings.Count(err.Error(), "restore it from a copy of the lake") != 1 {
			t.Errorf("got %v", err)
		}
	}
}

func copyStore(ctx context.Context, from, to *objstore.Memory, but string) error {
	listed, err := from.List(ctx, "", "", 1<<20)
	for _, o := range listed {
		body, readErr := from.Read(ctx, o.Key)
		err = errors.Join(err, readErr)
		if o.Key != but {
			err = errors.Join(err, to.Create(ctx, o.Key, body))
		}
	}
	return err
}

// A landing that had looked before another process archived looks again.
func TestTheSameContentLandsOnceWhateverIsArchivedMeanwhile(t *testing.T) {
	store := objstore.NewMemory()
	slow, fast := open(t, store, Options{ArchiveArrivals: 2}), open(t, store, Options{ArchiveArrivals: 2})
	in, err := slow.Begin(Source{Name: "twin"})
	check(t, err)
	check(t, in.Add(row(1, 1)))
	before, err := slow.lookUp(t.Context(), content{id: identity("twin"), name: "twin"})
	check(t, err)
	if _, err := land(fast, "twin", row(1, 1)); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		landNth(t, fast, i)
	}
	if archives, _ := archivesOf(fast); len(archives) == 0 {
		t.Fatal("nothing was archived")
	}
	if _, err := in.appendAfter(t.Context(), Claim{Identity: identity("twin")}, slow.opts.Now(), before); !errors.Is(err, errArchived) {
		t.Fatalf("what was known before it was archived was taken for true: %v", err)
	}
	result, err := in.Commit(t.Context(), identity("twin"))
	if err != nil || !result.Duplicate || result.DuplicateOf != "twin" {
		t.Fatalf("landed twice: %+v (%v)", result, err)
	}
}

// Of two who archive the same arrivals one wins, and the other leaves nothing.
func TestTwoWhoArchiveLeaveOneArchive(t *testing.T) {
	store := objstore.NewMemory()
	archiving(t, store, 7)
	list, err := store.List(t.Context(), "landing/s/archive/", "", 10)
	check(t, err)
	one, other := open(t, store, Options{ArchiveArrivals: 3}), open(t, store, Options{ArchiveArrivals: 3})
	check(t, errors.Join(one.Refresh(t.Context()), other.Refresh(t.Context())))
	check(t, one.archive(t.Context()))
	if err := other.archive(t.Context()); err == nil {
		t.Error("the second one says that it archived")
	}
	now, err := store.List(t.Context(), "landing/s/archive/", "", 10)
	check(t, err)
	if len(list) != 0 || len(now) != 1 || len(arrivals(t, other)) != 7 {
		t.Errorf("there were %d archives and are %d", len(list), len(now))
	}
}

func TestAnArchiveThatContradictsTheLogIsCorrupt(t *testing.T) {
	for name, change := range map[string]func(*Archive){
		"of arrivals that are not there": func(a *Archive) { a.Arrivals = 9 },
		"of none":                        func(a *Archive) { a.Arrivals = 0 },
		"that leaves arrivals out":       func(a *Archive) { a.First++ },
		"of other positions":             func(a *Archive) { a.To++ },
		"from another position":          func(a *Archive) { a.From++ },
		"of other rejects":               func(a *Archive) { a.Rejects++ },
		"without an index":               func(a *Archive) { a.Index = a.Bytes },
		"that is sound":                  func(*Archive) {},
	} {
		s := archiving(t, objstore.NewMemory(), 5)
		s.View(func(state *State) {
			_, a := encodeArchive(state.arrivals[:3])
			a.ID, a.To = "a", 3
			change(&a)
			if err := a.follows(state); (err == nil) != (name == "that is sound") {
				t.Errorf("an archive %s: %v", name, err)
			}
		})
	}
}

func FuzzAnIndexIsReadOrCorrupt(f *testing.F) {
	object, a := encodeArchive([]Arrival{{Name: "a", To: 1}, {Identity: identity("b"), Name: "b", From: 1, To: 2}})
	f.Add(object[a.Index:], a.Index)
	f.Fuzz(func(t *testing.T, data []byte, index int64) {
		said := a
		said.Index, said.IndexDigest = index, digest.OfBytes(data)
		x, err := decodeIndex(data, said)
		if err != nil {
			if !errors.Is(err, log.ErrCorrupt) {
				t.Fatalf("an error without a name: %v", err)
			}
			return
		}
		x.mayHold(identity("b"))
		x.holdsName("b")
	})
}

func TestAnArchiveHoldsItsArrivals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []Arrival
		for i := range rapid.IntRange(1, 3*archiveBlock).Draw(t, "arrivals") {
			name := fmt.Sprint(rapid.IntRange(0, 50).Draw(t, "name"))
			list = append(list, Arrival{Identity: identity(fmt.Sprint(i)), Name: name, LandedAt: fixedClock(), From: Position(i), To: Position(i + 1)})
		}
		object, a := encodeArchive(list)
		x, err := decodeIndex(object[a.Index:], a)
		if err != nil {
			t.Fatal(err)
		}
		var read []Arrival
		for _, span := range x.blocks {
			block, err := decodeBlock(object[span.from:span.to], span)
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, block...)
		}
		if !slices.EqualFunc(read, list, func(a, b Arrival) bool { return a.Identity == b.Identity && a.Name == b.Name && a.From == b.From }) {
			t.Fatalf("%d arrivals are read as %d others", len(list), len(read))
		}
		for i, arrival := range list {
			if spans := x.mayHold(arrival.Identity); !slices.Contains(spans, x.blocks[i/archiveBlock]) || !x.holdsName(arrival.Name) {
				t.Fatalf("arrival %d is not found", i)
			}
		}
	})
}
