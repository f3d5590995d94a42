package log

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"strandline/internal/objstore"
)

// asleep is a store whose user falls asleep at the first call that a hook picks,
// right before it is done. Meanwhile others go on to entry 157, and trim all
// that they can.
func asleep(t *testing.T, store *objstore.Memory, picks func(objstore.Op, string) bool) Store {
	slept := false
	return objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
		if !slept && picks(op, key) {
			slept = true
			grow(t, store, 157)
			trim(t, store, atOnce)
		}
		return objstore.Pass
	})
}

func creates(op objstore.Op, key string) bool {
	return op == objstore.OpCreate && strings.Contains(key, "/log/")
}

func looksForCheckpoints(op objstore.Op, key string) bool {
	return op == objstore.OpList && strings.Contains(key, "/checkpoints/")
}

// appendAt appends the next number to a log that ends with entry n.
func appendAt(t *testing.T, store *objstore.Memory, n uint64, through Store) (Entry, error) {
	t.Helper()
	grow(t, store, n)
	f := followShort(store)
	reads(t, f, n)
	return short(through).Append(t.Context(), headOf(f), "58")
}

func TestAWriterThatSleptOverATrimIsFenced(t *testing.T) {
	store := objstore.NewMemory()
	if _, err := appendAt(t, store, 57, asleep(t, store, creates)); !errors.Is(err, ErrFenced) {
		t.Fatalf("got %v, want ErrFenced", err)
	}
	reads(t, followShort(store), 157)
}

// It had won, and others have built on its entry. Nobody can tell any more.
func TestAWinnerThatSleptOverATrimIsNotToldThatItLost(t *testing.T) {
	for _, n := range []uint64{57, 59} { // the latter entry has a checkpoint made at it
		store := objstore.NewMemory()
		_, err := appendAt(t, store, n, asleep(t, store, looksForCheckpoints))
		if !errors.Is(err, ErrUnknown) || errors.Is(err, ErrFenced) {
			t.Errorf("after entry %d: got %v, want ErrUnknown", n, err)
		}
	}
}

// Its request got no answer, though it was done; the entry was known to others
// and trimmed. Its slot, free again or taken by another sleeper, tells nothing.
func TestAWriterWithoutAnAnswerIsNotToldThatItLostATrimmedSlot(t *testing.T) {
	for name, then := range map[string]func(*objstore.Memory, string) error{
		"free":  func(*objstore.Memory, string) error { return nil },
		"taken": func(m *objstore.Memory, key string) error { return m.Create(t.Context(), key, []byte("{}")) },
	} {
		store := objstore.NewMemory()
		inner := objstore.NewFault(store, onCreate(1, objstore.LoseAnswer))
		slept := false
		store2 := objstore.NewFault(inner, func(op objstore.Op, key string) objstore.Action {
			if op == objstore.OpRead && !slept {
				slept = true
				grow(t, store, 157)
				trim(t, store, atOnce)
				if err := then(store, short(store).key(58)); err != nil {
					t.Error(err)
				}
			}
			return objstore.Pass
		})
		_, err := appendAt(t, store, 57, store2)
		if !errors.Is(err, ErrUnknown) || errors.Is(err, ErrFenced) || errors.Is(err, ErrConflict) {
			t.Errorf("%s: got %v, want ErrUnknown", name, err)
		}
	}
}

// A commit that was fenced was not made, so it is decided anew from where the
// log is now.
func TestAFollowerThatSleptOverATrimCommitsAtTheNewHead(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 57)
	f := followShort(asleep(t, store, creates))
	var seen []uint64
	e, err := f.Commit(t.Context(), func(v *values) (any, error) {
		seen = append(seen, uint64(len(v.List)))
		return "158", nil
	})
	if err != nil || e.Number != 158 || !slices.Equal(seen, []uint64{57, 157}) {
		t.Fatalf("committed %d, having decided at %v: %v", e.Number, seen, err)
	}
	reads(t, f, 158)
	reads(t, followShort(store), 158)
}

// Sleepers have left entries in slots that were freed: at and after the one
// that a follower stands on.
func TestAFollowerIsNotMisledByEntriesOfFencedWriters(t *testing.T) {
	for _, ghosts := range [][]uint64{{57}, {58}, {57, 58}, {56, 57, 58, 59}, span(50, 139), {139}, span(1, 139)} {
		store := objstore.NewMemory()
		heads := map[uint64]Head{}
		for n := range uint64(140) {
			grow(t, store, n)
			f := followShort(store)
			reads(t, f, n)
			heads[n] = headOf(f)
		}
		early := map[uint64]*Follower[*values]{}
		for _, n := range []uint64{55, 57, 58, 138} {
			f := followShort(store)
			state, head, err := f.At(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			f.state, f.head, f.opened = state, head, true
			early[n] = f
		}
		grow(t, store, 157)
		trim(t, store, atOnce)
		for _, n := range ghosts {
			if _, err := short(store).Append(t.Context(), heads[n-1], "ghost"); !errors.Is(err, ErrFenced) {
				t.Fatalf("ghost %d: got %v, want ErrFenced", n, err)
			}
		}
		for _, f := range early {
			reads(t, f, 157)
		}
		reads(t, followShort(store), 157)
		trim(t, store, atOnce)
		holdsEntries(t, store, span(140, 157)...)
	}
}

// It would decide and be fenced for ever.
func TestACheckpointOfAnotherLogEndsACommit(t *testing.T) {
	store, longer := objstore.NewMemory(), objstore.NewMemory()
	grow(t, longer, 60)
	grow(t, store, 35)
	f := followShort(store)
	reads(t, f, 35)
	key := short(store).checkpointKey(60)
	body, err := longer.Read(t.Context(), key)
	if err == nil {
		err = store.Create(t.Context(), key, body)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := put(f, "36"); !errors.Is(err, ErrFenced) {
		t.Fatalf("got %v, want ErrFenced", err)
	}
}

// Between finding out that entry 58 is there and reading it a reader sleeps;
// meanwhile it is trimmed, and a writer that slept, too, has put another in its
// slot. It even follows what the reader knows.
func TestASlowReaderIsNotMisledByASlowWriter(t *testing.T) {
	store, slow, at57 := slowAt58(t)
	f := followShort(slow)
	f.state, f.head, f.opened = &values{upTo(57)}, at57, true
	reads(t, f, 157)
	reads(t, followShort(store), 157)

	_, slow, _ = slowAt58(t)
	if state, _, err := followShort(slow).At(t.Context(), 58); !errors.Is(err, ErrTrimmed) {
		t.Errorf("at 58: got %v, %v, want ErrTrimmed", state, err)
	}
}

func slowAt58(t *testing.T) (store *objstore.Memory, slow Store, at57 Head) {
	store = objstore.NewMemory()
	grow(t, store, 57)
	writer := followShort(store)
	reads(t, writer, 57)
	at57 = headOf(writer)
	grow(t, store, 58)
	slept := false
	return store, objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpRead && key == writer.log.key(58) && !slept {
			slept = true
			grow(t, store, 157)
			trim(t, store, atOnce)
			if _, err := writer.log.Append(t.Context(), at57, "ghost"); !errors.Is(err, ErrFenced) {
				t.Errorf("got %v, want ErrFenced", err)
			}
		}
		return objstore.Pass
	}), at57
}
