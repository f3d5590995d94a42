package log

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"strandline/internal/objstore"
)

// counted is a store that finds single keys, and how often each folder of t was listed.
func counted() (Store, func() map[string]int) {
	lists := map[string]int{}
	store := objstore.NewFault(objstore.NewMemory(), func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpList {
			lists[key]++
		}
		return objstore.Pass
	})
	return looking{store}, func() map[string]int { return lists }
}

func TestWhoFollowsAFolderListsTheLogOnce(t *testing.T) {
	store, lists := counted()
	mine, other := followShort(store), followShort(store)
	for i := range 95 {
		if err := errors.Join(put(mine, fmt.Sprint(2*i+1)), put(other, fmt.Sprint(2*i+2))); err != nil {
			t.Fatal(err)
		}
	}
	reads(t, mine, 190)
	if n := lists()["t/log/"]; n != 2 {
		t.Errorf("two followers listed the log %d times", n)
	}
}

// After a leap the way from the checkpoint is listed, as at the start.
func TestWhoLeapsListsTheLogOnceMore(t *testing.T) {
	store, lists := counted()
	f := followShort(store)
	grow(t, store, 5)
	reads(t, f, 5)
	grow(t, store, 57)
	trim(t, store, atOnce)
	before := lists()["t/log/"]
	reads(t, f, 57)
	reads(t, f, 57)
	if n := lists()["t/log/"] - before; n != 1 {
		t.Errorf("the log was listed %d times", n)
	}
}

// A late request may bring the newest entry that a follower has read back into its
// slot, long after that was trimmed. With nothing after it, it looks like the head.
func TestAnEntryThatCameBackAfterATrimIsNotTakenForTheHead(t *testing.T) {
	store := looking{objstore.NewMemory()}
	f := followShort(store)
	grow(t, store, 5)
	reads(t, f, 5)
	entry, err := store.Read(t.Context(), f.log.key(5))
	if err != nil {
		t.Fatal(err)
	}
	grow(t, store, 57)
	trim(t, store, atOnce)
	if err := store.Create(t.Context(), f.log.key(5), entry); err != nil {
		t.Fatal(err)
	}
	reads(t, f, 57)
}

func TestWhoLooksFindsOutThatTheNewestEntriesWereTakenAway(t *testing.T) {
	store := looking{objstore.NewMemory()}
	f := followShort(store)
	grow(t, store, 5)
	reads(t, f, 5)
	if err := store.Delete(t.Context(), f.log.key(5)); err != nil {
		t.Fatal(err)
	}
	err := f.Refresh(t.Context())
	if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), f.log.key(5)) {
		t.Errorf("got %v, want ErrCorrupt and the entry's key", err)
	}
	if _, err := f.Commit(t.Context(), func(*values) (any, error) { return "6", nil }); !errors.Is(err, ErrCorrupt) {
		t.Errorf("committing got %v, want ErrCorrupt", err)
	}
}

// Who has just opened the log has not seen that it is whole, so it lists.
func TestAHoleIsFoundByWhoOpensAFolder(t *testing.T) {
	store := looking{objstore.NewMemory()}
	grow(t, store, 19)
	if err := store.Delete(t.Context(), short(store).key(12)); err != nil {
		t.Fatal(err)
	}
	if err := followShort(store).Refresh(t.Context()); !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v, want ErrCorrupt", err)
	}
}

func TestWhoCanNotLookDoesNotTakeItForTheEnd(t *testing.T) {
	blind := false
	store := looking{objstore.NewFault(objstore.NewMemory(), func(op objstore.Op, key string) objstore.Action {
		if blind && op == objstore.OpRead && strings.HasPrefix(key, "t/log/") {
			return objstore.Fail
		}
		return objstore.Pass
	})}
	f := followShort(store)
	grow(t, store, 5)
	reads(t, f, 5)
	grow(t, store, 7)
	blind = true
	if err := f.Refresh(t.Context()); !errors.Is(err, objstore.ErrFault) {
		t.Errorf("got %v, want the store's error", err)
	}
	blind = false
	f.View(func(v *values, _ Head) {
		if !slices.Equal(v.List, upTo(5)) {
			t.Errorf("the state is %v", v.List)
		}
	})
	reads(t, f, 7)
}

// A link in place of the newest entry is no object, and no listing has it. Who took the log for one that ends before it
// would tell of a lake that it is not.
func TestALinkInPlaceOfTheNewestEntryIsNotTheEndOfTheLog(t *testing.T) {
	folder, err := objstore.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	grow(t, folder, 4)
	warm, cold := followShort(folder), followShort(folder)
	reads(t, warm, 4)
	grow(t, folder, 5)
	entry := folder.LocalPath("t/log/00000000000000000005.json")
	moved := folder.LocalPath("moved")
	if err := errors.Join(os.Rename(entry, moved), os.Symlink(moved, entry)); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*Follower[*values]{"warm": warm, "cold": cold} {
		if err := f.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), entry+" is a symbolic link where an object belongs: move it out of the lake") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
