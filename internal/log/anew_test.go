package log

import (
	"errors"
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
	for _, others := range []uint64{0, 2} {
		store := objstore.NewMemory()
		grow(t, store, 27)
		f := followShort(store)
		reads(t, f, 27)
		swap(t, store, 27, others)
		if err := f.Refresh(t.Context()); !errors.Is(err, ErrCorrupt) {
			t.Errorf("with %d others in place of the newest: got %v, want ErrCorrupt", others, err)
		}
	}
}
