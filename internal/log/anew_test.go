package log

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"strandline/internal/objstore"
)

// swap takes the newest entry of a log away, and has another process append some in its place.
func swap(t *testing.T, store Store, newest, others uint64) {
	t.Helper()
	if err := store.Delete(t.Context(), short(store).key(newest)); err != nil {
		t.Fatal(err)
	}
	grow(t, store, newest-1+others)
}

// What a process has read may be lost, and come again as another's entry, with nothing after it that would show.
func TestAFollowerThatMayBeginAnewTakesTheLogAsItIs(t *testing.T) {
	for _, others := range []uint64{0, 1, 2, 30} {
		beginsAnew(t, objstore.NewMemory(), others)
		folder, err := objstore.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		beginsAnew(t, folder, others)
	}
}

func beginsAnew(t *testing.T, store Store, others uint64) {
	t.Helper()
	grow(t, store, 27)
	told := 0
	f := followAnew(store, func(why error) {
		if told++; !errors.Is(why, ErrCorrupt) {
			t.Errorf("begun anew for %v", why)
		}
	})
	reads(t, f, 27)
	swap(t, store, 27, others)
	reads(t, f, 26+others)
	reads(t, f, 26+others)
	if told != 1 {
		t.Errorf("with %d others in place of the newest it began anew %d times", others, told)
	}
}

func followAnew(store Store, anew func(error)) *Follower[*values] {
	return FollowAnew(short(store), func() *values { return &values{} }, anew)
}

// Else the chain would be broken for all.
func TestAFollowerThatMayBeginAnewAppendsToNothingElse(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 27)
	f := followAnew(store, func(error) {})
	reads(t, f, 27)
	swap(t, store, 27, 1)
	if err := put(f, "28"); err != nil {
		t.Fatal(err)
	}
	reads(t, followShort(store), 28)
}

func TestDamageOfTheLogItselfIsNoReasonToBeginAnew(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 27)
	f := followAnew(store, func(why error) { t.Errorf("it began anew for %v", why) })
	reads(t, f, 27)
	grow(t, store, 29)
	if err := store.Delete(t.Context(), short(store).key(28)); err != nil {
		t.Fatal(err)
	}
	if err := f.Refresh(t.Context()); !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v, want ErrCorrupt", err)
	}
}

func TestAnyOtherFollowerRefusesALogThatWentAnotherWay(t *testing.T) {
	for _, others := range []uint64{0, 1, 2} {
		for name, store := range manyStores(t) {
			grow(t, store, 27)
			f := followShort(store)
			reads(t, f, 27)
			swap(t, store, 27, others)
			if err := f.Refresh(t.Context()); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s, with %d others in place of the newest: got %v, want ErrCorrupt", name, others, err)
			}
		}
	}
}

// It appends nothing to an entry that it has not read, whether it has read or written the one that was there:
// what comes after would be of no chain, and the log broken for all.
func TestAFollowerAppendsToNoOtherEntryThanItHasRead(t *testing.T) {
	for _, from := range []uint64{26, 27, 30} { // and of a checkpoint
		for name, store := range manyStores(t) {
			grow(t, store, from)
			f := followShort(store)
			reads(t, f, from)
			if from == 26 {
				if err := put(f, "27"); err != nil {
					t.Fatal(err)
				}
			}
			newest := max(from, 27)
			_ = store.Delete(t.Context(), short(store).checkpointKey(newest))
			swap(t, store, newest, 1)
			if err := put(f, "lost"); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "another was written in its place") {
				t.Errorf("%s, from %d: got %v, want ErrCorrupt", name, from, err)
			}
			reads(t, followShort(store), newest)
		}
	}
}

func manyStores(t *testing.T) map[string]Store {
	t.Helper()
	folder, err := objstore.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Store{"memory": objstore.NewMemory(), "folder": folder, "strange": tagged{objstore.NewMemory(), "of its own "}, "silent": tagged{objstore.NewMemory(), ""}}
}

// That costs nothing where the store lists what is known; else a call for each new entry.
func TestToAppendToWhatWasReadTakesNoCallMore(t *testing.T) {
	for kind, want := range map[string]int{"": 0, "of its own ": 1} {
		reads := 0
		memory := objstore.NewMemory()
		count := objstore.NewFault(memory, func(op objstore.Op, _ string) objstore.Action {
			if op == objstore.OpRead {
				reads++
			}
			return objstore.Pass
		})
		store := Store(count)
		if kind != "" {
			store = tagged{count, kind}
		}
		f := followShort(store)
		for n := range 7 {
			if err := put(f, strconv.Itoa(n+1)); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if err := f.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if reads != want*(n+1) {
				t.Errorf("with tags %q it has read %d times by entry %d", kind, reads, n+1)
			}
		}
	}
}

// tagged lists with tags of a kind of its own, or with none.
type tagged struct {
	Store
	kind string
}

func (s tagged) List(ctx context.Context, prefix, after string, max int) ([]objstore.Object, error) {
	listed, err := s.Store.List(ctx, prefix, after, max)
	for i := range listed {
		if listed[i].Tag = s.kind + listed[i].Tag; s.kind == "" {
			listed[i].Tag = ""
		}
	}
	return listed, err
}
