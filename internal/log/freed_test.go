package log

import (
	"errors"
	"strings"
	"testing"

	"strandline/internal/objstore"
)

// narrow is a log with a checkpoint every ten entries whose trims remove four at a
// time.
func narrow(store Store) *Log {
	l := short(store)
	l.abreast = 4
	return l
}

// What a sleeping writer goes by: see checkFreed. It holds as well for trims that die.
func TestATrimRemovesNoEntryBeforeThoseThatGoFirst(t *testing.T) {
	for every := range uint64(8) {
		store := objstore.NewMemory()
		grow(t, store, 57)
		watched := objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
			if op != objstore.OpDelete || !strings.Contains(key, "/log/") {
				return objstore.Pass
			}
			n, err := number(key, entrySuffix)
			if err != nil {
				t.Error(err)
			}
			first := n - min(n, 4)
			if n > 36 {
				first = n - 1
			}
			if _, err := store.Read(t.Context(), short(store).key(first)); first > 0 && !errors.Is(err, objstore.ErrNotFound) {
				t.Errorf("entry %d is removed before entry %d", n, first)
			}
			if every > 0 && n%every == 0 {
				return objstore.LoseAnswer
			}
			return objstore.Pass
		})
		_, err := narrow(watched).Trim(t.Context(), atOnce)
		for errors.Is(err, objstore.ErrFault) {
			_, err = narrow(watched).Trim(t.Context(), atOnce)
		}
		if err != nil {
			t.Fatal(err)
		}
		holdsEntries(t, store, span(40, 57)...)
	}
}

// Of the entries that a trim removes at the same time a winner's may be the last
// to go. That the next one is gone does not tell that it lost.
func TestAWinnerThatLooksWhileItIsBeingTrimmedIsNotToldThatItLost(t *testing.T) {
	for won := uint64(2); won < 140; won++ {
		store := objstore.NewMemory()
		slow := objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
			if !looksForCheckpoints(op, key) {
				return objstore.Pass
			}
			grow(t, store, 157)
			if err := trimAllTogetherBut(t, store, won); err != nil {
				t.Fatal(err)
			}
			return objstore.Pass
		})
		grow(t, store, won-1)
		f := followShort(store)
		reads(t, f, won-1)
		_, err := narrow(slow).Append(t.Context(), headOf(f), "won")
		if errors.Is(err, ErrFenced) {
			t.Fatalf("entry %d is in the log, and its writer was told %v", won, err)
		}
	}
}

// trimAllTogetherBut trims up to where one entry goes, and then all entries that
// may go at the same time but that one.
func trimAllTogetherBut(t *testing.T, store *objstore.Memory, last uint64) error {
	l := narrow(store)
	trim, err := l.PlanTrim(t.Context(), atOnce)
	if err == nil {
		err = l.announce(t.Context(), trim)
	}
	for rest := trim.Entries; err == nil && len(rest) > 0; {
		n := l.together(rest, trim.Oldest)
		for _, number := range rest[:n] {
			if number != last && err == nil {
				err = l.remove(t.Context(), entryFolder, number)
			}
		}
		if rest[0] <= last && last <= rest[n-1] {
			break
		}
		rest = rest[n:]
	}
	return err
}
