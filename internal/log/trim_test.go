package log

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"strandline/internal/objstore"
)

// atOnce trims all that is not needed to open the log.
var atOnce = Keep{From: math.MaxUint64}

// short is a log with a checkpoint every ten entries.
func short(store Store) *Log {
	return New(store, "t", Options{Pause: noPause, CheckpointEvery: 10})
}

func followShort(store Store) *Follower[*values] {
	return Follow(short(store), func() *values { return &values{} })
}

// grow commits entries until the log ends with number n; their values are their
// numbers.
func grow(t testing.TB, store Store, n uint64) {
	t.Helper()
	f := followShort(store)
	err := f.Refresh(t.Context())
	for err == nil && headOf(f).Number < n {
		err = put(f, fmt.Sprint(headOf(f).Number+1))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func headOf(f *Follower[*values]) (head Head) {
	f.View(func(_ *values, h Head) { head = h })
	return head
}

// upTo is the state of a log that grew to n entries.
func upTo(n uint64) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint(i+1))
	}
	return list
}

func trim(t *testing.T, store Store, keep Keep) Trim {
	t.Helper()
	done, err := short(store).Trim(t.Context(), keep)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// reads checks that a follower reads the log as it is when it has n entries.
func reads(t *testing.T, f *Follower[*values], n uint64) {
	t.Helper()
	if err := f.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.View(func(v *values, _ Head) {
		if !slices.Equal(v.List, upTo(n)) {
			t.Fatalf("the log is %v, want the numbers up to %d", v.List, n)
		}
	})
}

// holdsEntries checks which entries there are, by number.
func holdsEntries(t *testing.T, store Store, want ...uint64) {
	t.Helper()
	if got := present(t, store, entryFolder); !slices.Equal(got, want) {
		t.Fatalf("the entries are %v, want %v", got, want)
	}
}

func present(t *testing.T, store Store, f folder) (numbers []uint64) {
	t.Helper()
	listed, err := short(store).between(t.Context(), f, 1, math.MaxUint64)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range listed {
		numbers = append(numbers, o.number)
	}
	return numbers
}

func span(first, last uint64) (numbers []uint64) {
	for n := first; n <= last; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}

func TestATrimmedLogIsReadAndWrittenAsBefore(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 15)
	early := followShort(store)
	reads(t, early, 15)
	grow(t, store, 57)
	done := trim(t, store, atOnce)
	if done.Oldest != 40 || len(done.Entries) != 39 || done.Bytes == 0 {
		t.Fatalf("trimmed %+v", done)
	}
	holdsEntries(t, store, span(40, 57)...)
	if got := present(t, store, checkpointFolder); !slices.Equal(got, []uint64{40, 50}) {
		t.Fatalf("the checkpoints are %v", got)
	}
	reads(t, followShort(store), 57)
	reads(t, early, 57)
	grow(t, store, 73)
	reads(t, early, 73)
	if again := trim(t, store, atOnce); again.Oldest != 60 {
		t.Fatalf("trimmed again: %+v", again)
	}
	reads(t, followShort(store), 73)
}

func TestADryTrimRemovesNothingAndSaysWhatATrimDoes(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 57)
	plan, err := short(store).PlanTrim(t.Context(), atOnce)
	if err != nil {
		t.Fatal(err)
	}
	holdsEntries(t, store, span(1, 57)...)
	done := trim(t, store, atOnce)
	if fmt.Sprint(plan.Entries, plan.Checkpoints, plan.Bytes) != fmt.Sprint(done.Entries, done.Checkpoints, done.Bytes) {
		t.Errorf("planned %+v, did %+v", plan, done)
	}
	if rest, err := short(store).PlanTrim(t.Context(), atOnce); err != nil || !rest.Empty() {
		t.Errorf("after a trim is left %+v, %v", rest, err)
	}
}

func TestALogWithoutTwoCheckpointsIsNotTrimmed(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 19)
	if done := trim(t, store, atOnce); !done.Empty() {
		t.Fatalf("trimmed %+v", done)
	}
}

// Whatever a trim keeps reads as it was, and the rest says that it is gone.
func TestTheStateAtAnyKeptEntryIsAsItWas(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 137)
	f := followShort(store)
	for _, from := range []uint64{0, 1, 9, 47, 100, 135} {
		done := trim(t, store, Keep{From: from})
		if done.Oldest > max(from, 1) {
			t.Fatalf("keeping %d, the log begins with %d", from, done.Oldest)
		}
		for n := range uint64(138) {
			state, head, err := f.At(t.Context(), n)
			switch {
			case n > 0 && n < done.Oldest:
				if !errors.Is(err, ErrTrimmed) {
					t.Fatalf("at %d, below %d: got %v, want ErrTrimmed", n, done.Oldest, err)
				}
			case err != nil || head.Number != n || !slices.Equal(state.List, upTo(n)):
				t.Fatalf("keeping %d, at %d: got %d, %v, %v", from, n, head.Number, state.List, err)
			}
		}
	}
}

func TestBackwardGoesFromTheHeadToTheOldest(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 137)
	f := followShort(store)
	reads(t, f, 137)
	for from, oldest := range []uint64{1, 120, 130} {
		var got []uint64
		for e, err := range f.log.Backward(t.Context(), headOf(f), uint64(from)*65) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Number)
		}
		want := span(oldest, 137)
		slices.Reverse(want)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		trim(t, store, atOnce)
	}
}

func TestBackwardFindsOutWhatIsNotTheHeadsPast(t *testing.T) {
	store, other := objstore.NewMemory(), objstore.NewMemory()
	grow(t, store, 60)
	grow(t, other, 60)
	f := followShort(store)
	reads(t, f, 60)
	for name, becomes := range map[string]func(key string) error{
		"missing": func(string) error { return nil },
		"of another log": func(key string) error {
			body, err := other.Read(t.Context(), key)
			return errors.Join(err, store.Create(t.Context(), key, body))
		},
	} {
		if err := errors.Join(store.Delete(t.Context(), f.log.key(30)), becomes(f.log.key(30))); err != nil {
			t.Fatal(err)
		}
		var last error
		for e, err := range f.log.Backward(t.Context(), headOf(f), 0) {
			if last = err; err == nil && e.Number <= 30 {
				t.Errorf("%s: entry %d was told", name, e.Number)
			}
		}
		if !errors.Is(last, ErrCorrupt) {
			t.Errorf("%s: got %v, want ErrCorrupt", name, last)
		}
	}
}

// The second of two trims may need less to be kept, or another checkpoint as
// its base than the first is about to remove.
func TestATrimCountsOnNoCheckpointThatAnotherIsYetToRemove(t *testing.T) {
	for base := uint64(10); base <= 480; base += 10 {
		store := objstore.NewMemory()
		grow(t, store, 505)
		asleep := objstore.NewFault(store, func(op objstore.Op, _ string) objstore.Action {
			if op != objstore.OpDelete {
				return objstore.Pass
			}
			trim(t, store, Keep{From: base}) // while the first is about to thin
			return objstore.Pass
		})
		if _, err := short(asleep).Trim(t.Context(), Keep{From: 1}); err != nil {
			t.Fatal(err)
		}
		f := followShort(store)
		for _, n := range []uint64{base, base + 5, 505} {
			if state, _, err := f.At(t.Context(), n); err != nil || !slices.Equal(state.List, upTo(n)) {
				t.Fatalf("base %d: at %d: %v", base, n, err)
			}
		}
	}
}

func TestTrimsThatRecordAtOnceFollowOneAnother(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 155)
	first := true
	racing := objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpCreate && first {
			first = false
			trim(t, store, Keep{From: 55})
		}
		return objstore.Pass
	})
	if done, err := short(racing).Trim(t.Context(), atOnce); err != nil || done.Oldest != 140 {
		t.Fatalf("got %+v, %v", done, err)
	}
	if got := present(t, store, trimFolder); !slices.Equal(got, []uint64{1, 2}) {
		t.Fatalf("the records are %v", got)
	}
	holdsEntries(t, store, span(140, 155)...)
}

// claims checks that a trim says of nothing that is left that it removed it.
func claims(t *testing.T, done Trim, entries, checkpoints []uint64) {
	t.Helper()
	for _, n := range done.Entries {
		if slices.Contains(entries, n) {
			t.Errorf("entry %d is there, and was told as removed", n)
		}
	}
	for _, n := range done.Checkpoints {
		if slices.Contains(checkpoints, n) {
			t.Errorf("checkpoint %d is there, and was told as removed", n)
		}
	}
	if done.Empty() != (done.Bytes == 0) {
		t.Errorf("%d bytes of %v and %v were removed", done.Bytes, done.Entries, done.Checkpoints)
	}
}

// A trim dies at any of its calls, before or after the store has acted. What is
// there then is whole, has no gap, and the next trim finishes.
func TestATrimThatDiesAnywhereHarmsNothingAndIsFinishedByTheNext(t *testing.T) {
	for _, how := range []objstore.Action{objstore.Fail, objstore.LoseAnswer} {
		for nth := 1; ; nth++ {
			store := objstore.NewMemory()
			grow(t, store, 57)
			calls := 0
			dying := objstore.NewFault(store, func(objstore.Op, string) objstore.Action {
				if calls++; calls < nth {
					return objstore.Pass
				}
				if calls == nth {
					return how
				}
				return objstore.Fail
			})
			done, err := short(dying).Trim(t.Context(), atOnce)
			if err == nil {
				break
			}
			left := present(t, store, entryFolder)
			claims(t, done, left, present(t, store, checkpointFolder))
			if !slices.Equal(left, span(left[0], 57)) {
				t.Fatalf("call %d: the entries have a gap: %v", nth, left)
			}
			for _, c := range present(t, store, checkpointFolder) {
				if c < left[0] {
					t.Fatalf("call %d: checkpoint %d is there, and entries only from %d", nth, c, left[0])
				}
			}
			reads(t, followShort(store), 57)
			trim(t, store, atOnce)
			holdsEntries(t, store, span(40, 57)...)
			reads(t, followShort(store), 57)
		}
	}
}

func TestATrimKeepsWhatIsYoungAndLeavesNoGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := objstore.NewMemory()
		grow(t, store, 25)
		time.Sleep(time.Hour)
		grow(t, store, 57)
		trim(t, store, Keep{From: math.MaxUint64, Grace: 2 * time.Hour})
		holdsEntries(t, store, span(1, 57)...)
		if done := trim(t, store, Keep{From: math.MaxUint64, Grace: 30 * time.Minute}); done.Oldest != 26 {
			t.Errorf("the log begins with entry %d, want 26", done.Oldest)
		}
		holdsEntries(t, store, span(26, 57)...)
		// A writer that slept takes a slot that was freed: it is young, too.
		old, err := short(store).encode(Head{Number: 6}, "ghost")
		if err == nil {
			err = store.Create(t.Context(), short(store).key(7), old)
		}
		if err != nil {
			t.Fatal(err)
		}
		reads(t, followShort(store), 57)
		time.Sleep(time.Hour)
		trim(t, store, Keep{From: math.MaxUint64, Grace: 30 * time.Minute})
		holdsEntries(t, store, span(40, 57)...)
	})
}

func TestOldRecordsOfTrimsAreRemovedButForTheNewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := objstore.NewMemory()
		for day := range uint64(20) {
			grow(t, store, 20*(day+2))
			trim(t, store, atOnce)
			time.Sleep(24 * time.Hour)
		}
		if got := present(t, store, trimFolder); !slices.Equal(got, span(13, 20)) {
			t.Fatalf("the records are %v", got)
		}
		reads(t, followShort(store), 420)
	})
}

// What is left to read after a trim is looked at before anything is removed.
func TestATrimOntoADamagedCheckpointRemovesNothing(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 57)
	key := short(store).checkpointKey(40)
	if err := errors.Join(store.Delete(t.Context(), key), store.Create(t.Context(), key, []byte("{}"))); err != nil {
		t.Fatal(err)
	}
	done, err := short(store).Trim(t.Context(), atOnce)
	if !done.Empty() || done.Bytes != 0 {
		t.Errorf("told as removed: %+v", done)
	}
	if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), key) {
		t.Fatalf("got %v, want ErrCorrupt that names %s", err, key)
	}
	holdsEntries(t, store, span(1, 57)...)
}

// A reader has listed the newest checkpoint; before it reads it others go on
// and trim it away.
func TestACheckpointThatIsTrimmedBeforeItIsReadIsNoTrouble(t *testing.T) {
	for _, what := range []string{"/checkpoints/", "/log/"} {
		store := objstore.NewMemory()
		grow(t, store, 27)
		first := true
		slow := objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
			if op == objstore.OpRead && strings.Contains(key, what) && first {
				first = false
				grow(t, store, 157)
				trim(t, store, atOnce)
			}
			return objstore.Pass
		})
		reads(t, followShort(slow), 157)
	}
}

func TestALostCheckpointOfATrimmedLogIsNoHarmWhileTheOtherIsThere(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 57)
	trim(t, store, atOnce)
	if err := store.Delete(t.Context(), short(store).checkpointKey(50)); err != nil {
		t.Fatal(err)
	}
	reads(t, followShort(store), 57)
	if err := store.Delete(t.Context(), short(store).checkpointKey(40)); err != nil {
		t.Fatal(err)
	}
	err := followShort(store).Refresh(context.Background())
	if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "bring t/checkpoints/ back") {
		t.Fatalf("got %v, want ErrCorrupt and what to do", err)
	}
}

// Nothing but the record of a trim is left of a log: it is no empty one, to which somebody could append.
func TestALogOfWhichOnlyATrimIsLeftIsNotEmpty(t *testing.T) {
	store := objstore.NewMemory()
	grow(t, store, 57)
	trim(t, store, atOnce)
	for _, f := range []folder{entryFolder, checkpointFolder} {
		for _, n := range present(t, store, f) {
			if err := store.Delete(t.Context(), short(store).keyIn(f, n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := followShort(store).Refresh(t.Context()); !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v, want ErrCorrupt", err)
	}
}

func TestCheckpointsGrowRareWithAgeAndNeverTooRare(t *testing.T) {
	const every = 10
	h := holdings{every: every}
	for n := uint64(1); n <= 100_000; n++ {
		h.checkpoints = append(h.checkpoints, object{number: n * every})
		if n%500 == 0 {
			gone := h.plan(Keep{From: 1}, nil).Checkpoints
			h.checkpoints = slices.DeleteFunc(h.checkpoints, func(c object) bool { return slices.Contains(gone, c.number) })
		}
	}
	if n := len(h.checkpoints); n > 200 {
		t.Errorf("of a log of a million entries %d checkpoints are left", n)
	}
	last := uint64(0)
	for _, c := range h.checkpoints {
		if back := 100_000*every - last; c.number-last > max(sparse*every, back/share) {
			t.Errorf("none is between %d and %d, %d entries back", last, c.number, back)
		}
		last = c.number
	}
}

func FuzzATrimRecordIsWholeOrRefused(f *testing.F) {
	f.Add(seal([]byte(`{"format":1,"number":3,"oldest":40,"checkpoints":[10,20]}`)))
	f.Add(seal([]byte(`{"format":1,"number":3,"oldest":0}`)))
	f.Add([]byte(`{"format":2,"number":3}`))
	f.Fuzz(func(t *testing.T, object []byte) {
		r, err := decodeTrim(object, "t/trims/3", 3)
		switch {
		case err == nil && (r.Number != 3 || r.Oldest == 0 || checkSeal(object) != nil):
			t.Fatalf("accepted %+v with seal %v", r, checkSeal(object))
		case err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNewer):
			t.Fatalf("an error without a name: %v", err)
		}
	})
}

// Who meets a damaged or lost entry is told what to do; who meets what is none, that alone.
func TestTroubleWithAnEntrySaysWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(store Store, l *Log) error
		want string
	}{
		"lost":    {func(store Store, l *Log) error { return store.Delete(t.Context(), l.key(5)) }, "strandline check-lake"},
		"damaged": {func(store Store, l *Log) error { return replace(t, store, l.key(5), []byte("{}")) }, "strandline check-lake"},
		"another": {func(store Store, l *Log) error {
			other, err := store.Read(t.Context(), l.key(4))
			return errors.Join(err, replace(t, store, l.key(5), other))
		}, "strandline check-lake"},
		"stray": {func(store Store, l *Log) error { return store.Create(t.Context(), "t/log/0note.txt", nil) }, "move it out of the lake"},
	} {
		store := objstore.NewMemory()
		grow(t, store, 7)
		if err := c.harm(store, short(store)); err != nil {
			t.Fatal(name, err)
		}
		err := followShort(store).Refresh(t.Context())
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.want) || name == "stray" && strings.Contains(err.Error(), "restore") {
			t.Errorf("%s: got %v, want that it says %q", name, err, c.want)
		}
	}
}

func replace(t *testing.T, store Store, key string, body []byte) error {
	return errors.Join(store.Delete(t.Context(), key), store.Create(t.Context(), key, body))
}
