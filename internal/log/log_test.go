package log

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/internal/objstore"
)

// values is a state that keeps what was appended.
type values struct{ List []string }

func (v *values) Apply(e Entry) error {
	var s string
	if err := json.Unmarshal(e.Body, &s); err != nil {
		return fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	v.List = append(v.List, s)
	return nil
}

func (v *values) AppendBinary(b []byte) ([]byte, error) {
	text, err := json.Marshal(v)
	return append(b, text...), err
}

func (v *values) UnmarshalBinary(data []byte) error { return json.Unmarshal(data, v) }

func noPause(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func follower(store Store) *Follower[*values] {
	l := New(store, "t", Options{Pause: noPause, Deadline: 5 * time.Second})
	return Follow(l, func() *values { return &values{} })
}

func put(f *Follower[*values], value string) error {
	_, err := f.Commit(context.Background(), func(*values) (any, error) { return value, nil })
	return err
}

func list(t *testing.T, store Store) []string {
	t.Helper()
	f := follower(store)
	if err := f.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out []string
	f.View(func(v *values, _ Head) { out = slices.Clone(v.List) })
	return out
}

// onCreate makes the nth Create (from 1) of an entry go wrong.
func onCreate(nth int64, action objstore.Action) func(objstore.Op, string) objstore.Action {
	var seen atomic.Int64
	return func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpCreate && strings.Contains(key, "/log/") && seen.Add(1) == nth {
			return action
		}
		return objstore.Pass
	}
}

func TestAnAppendWhoseAnswerWasLostIsFoundToHaveWon(t *testing.T) {
	for _, action := range []objstore.Action{objstore.LoseAnswer, objstore.Fail, objstore.DoLate} {
		store := objstore.NewMemory()
		fault := objstore.NewFault(store, onCreate(1, action))
		if err := put(follower(fault), "a"); err != nil {
			t.Fatalf("action %d: %v", action, err)
		}
		fault.Release() // the late write must not land beside the second one
		if got := list(t, store); !slices.Equal(got, []string{"a"}) {
			t.Fatalf("action %d: log is %v, want [a]", action, got)
		}
	}
}

func TestASlotThatAnotherTookMeanwhileIsLostNotWon(t *testing.T) {
	store := objstore.NewMemory()
	other := follower(store)
	first := true
	fault := objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
		if op != objstore.OpCreate || !first {
			return objstore.Pass
		}
		first = false
		if err := put(other, "other"); err != nil {
			t.Error(err)
		}
		return objstore.Fail // no answer, and the slot is not ours
	})
	l := New(fault, "t", Options{Pause: noPause})
	if _, err := l.Append(t.Context(), Head{}, "mine"); !errors.Is(err, ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	if err := put(follower(fault), "mine"); err != nil {
		t.Fatal(err)
	}
	if got := list(t, store); !slices.Equal(got, []string{"other", "mine"}) {
		t.Fatalf("log is %v", got)
	}
}

func TestNoAnswerBeforeTheDeadlineIsUnknown(t *testing.T) {
	down := objstore.NewFault(objstore.NewMemory(), func(op objstore.Op, _ string) objstore.Action {
		if op == objstore.OpList {
			return objstore.Pass
		}
		return objstore.Fail
	})
	l := New(down, "t", Options{Deadline: time.Millisecond})
	_, err := l.Append(t.Context(), Head{}, "a")
	if !errors.Is(err, ErrUnknown) || !errors.Is(err, objstore.ErrFault) {
		t.Fatalf("got %v, want ErrUnknown with its cause", err)
	}
}

// Writers race under seeded faults. Every value they were told is in must be
// there once, and none twice.
func TestRacingWritersUnderFaultsLoseAndDoubleNothing(t *testing.T) {
	for seed := range uint64(60) {
		store := objstore.NewMemory()
		fault := objstore.NewFault(store, objstore.SeededFaults(seed, 0.3))
		acked := make([][]string, 4)
		var group errgroup.Group
		for w := range acked {
			group.Go(func() error {
				f := follower(fault)
				for i := range 12 {
					value := fmt.Sprintf("%d/%d", w, i)
					switch err := put(f, value); {
					case err == nil:
						acked[w] = append(acked[w], value)
					case errors.Is(err, ErrCorrupt) || errors.Is(err, ErrFenced):
						return err
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for fault.Release() > 0 {
		}
		got := list(t, store)
		count := map[string]int{}
		for _, value := range got {
			count[value]++
			if count[value] > 1 {
				t.Fatalf("seed %d: %s is in the log twice: %v", seed, value, got)
			}
		}
		for w := range acked {
			for _, value := range acked[w] {
				if count[value] != 1 {
					t.Fatalf("seed %d: %s was acknowledged and is gone: %v", seed, value, got)
				}
			}
		}
	}
}

// lacking is a store whose listings leave out one object, as they may where it
// was made while the listing ran.
type lacking struct {
	*objstore.Memory
	key string
}

func (s lacking) List(ctx context.Context, prefix, after string, most int) ([]objstore.Object, error) {
	listed, err := s.Memory.List(ctx, prefix, after, most)
	return slices.DeleteFunc(listed, func(o objstore.Object) bool { return o.Key == s.key }), err
}

func TestAnEntryThatAListingMissedIsReadAllTheSame(t *testing.T) {
	store := objstore.NewMemory()
	f := follower(store)
	for i := range 4 {
		if err := put(f, fmt.Sprint(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if got := list(t, lacking{store, f.log.key(2)}); !slices.Equal(got, []string{"1", "2", "3", "4"}) {
		t.Fatalf("log is %v", got)
	}
}

func TestHistoryThatWasTamperedWithIsFoundOut(t *testing.T) {
	damage := map[string]func(*objstore.Memory, string) error{
		"missing": func(m *objstore.Memory, key string) error { return m.Delete(context.Background(), key) },
		"replaced": func(m *objstore.Memory, key string) error {
			body, err := m.Read(context.Background(), key)
			return errors.Join(err, m.Delete(context.Background(), key),
				m.Create(context.Background(), key, []byte(strings.Replace(string(body), `"2"`, `"9"`, 1))))
		},
		"cut short": func(m *objstore.Memory, key string) error {
			body, err := m.Read(context.Background(), key)
			return errors.Join(err, m.Delete(context.Background(), key), m.Create(context.Background(), key, body[:len(body)/2]))
		},
		"foreign name": func(m *objstore.Memory, _ string) error {
			return m.Create(context.Background(), "t/log/00000000000000000002.json.bak", nil)
		},
	}
	for name, act := range damage {
		t.Run(name, func(t *testing.T) {
			store := objstore.NewMemory()
			f := follower(store)
			for i := range 4 {
				if err := put(f, fmt.Sprint(i+1)); err != nil {
					t.Fatal(err)
				}
			}
			if err := act(store, f.log.key(2)); err != nil {
				t.Fatal(err)
			}
			if err := follower(store).Refresh(t.Context()); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("got %v, want ErrCorrupt", err)
			} else {
				t.Log(err)
			}
		})
	}
}

func TestOpeningReadsOneCheckpointAndAShortTail(t *testing.T) {
	store := objstore.NewMemory()
	f := follower(store)
	var want []string
	for i := range 2*checkpointEvery + 7 {
		want = append(want, fmt.Sprint(i))
		if err := put(f, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	counted := objstore.NewFault(store, nil)
	if got := list(t, counted); !slices.Equal(got, want) {
		t.Fatalf("folded %v", got)
	}
	if n := counted.Calls(objstore.OpRead); n != 2+7 {
		t.Fatalf("read %d objects, want the checkpoint, its entry and 7 entries", n)
	}
}

func TestTwoWhoOpenAtTheSameTimeReadOnce(t *testing.T) {
	store := objstore.NewMemory()
	f := follower(store)
	for i := range checkpointEvery {
		if err := put(f, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	var reads atomic.Int32
	var other sync.WaitGroup
	var both *Follower[*values]
	both = follower(objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpRead && strings.Contains(key, "/checkpoints/") {
			if reads.Add(1) == 1 {
				other.Go(func() {
					if err := both.Refresh(t.Context()); err != nil {
						t.Error(err)
					}
				})
				runtime.Gosched()
			}
		}
		return objstore.Pass
	}))
	if err := both.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	other.Wait()
	if n := reads.Load(); n != 1 {
		t.Fatalf("read %d checkpoints", n)
	}
}

func TestAWriterThatSleptOverARemovalIsFenced(t *testing.T) {
	store := objstore.NewMemory()
	sleeper := New(store, "t", Options{})
	first, err := sleeper.Append(t.Context(), Head{}, "0")
	if err != nil {
		t.Fatal(err)
	}
	f := follower(store)
	for i := range checkpointEvery {
		if err := put(f, fmt.Sprint(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	// Somebody removes what lies below the checkpoint while the writer sleeps.
	if err := store.Delete(t.Context(), f.log.key(2)); err != nil {
		t.Fatal(err)
	}
	if _, err := sleeper.Append(t.Context(), first.Head(), "zombie"); !errors.Is(err, ErrFenced) {
		t.Fatalf("got %v, want ErrFenced", err)
	}
}

func TestACommitBelowACheckpointThatKnowsItStands(t *testing.T) {
	store := objstore.NewMemory()
	f := follower(store)
	for i := range checkpointEvery - 1 {
		if err := put(f, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	// Between our entry and our look for checkpoints others go on and fold.
	other := follower(store)
	racing := objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpList && strings.Contains(key, "checkpoints") {
			for other.Refresh(t.Context()) == nil {
				var head Head
				other.View(func(_ *values, h Head) { head = h })
				if head.Number >= checkpointEvery {
					break
				}
				if err := put(other, "other"); err != nil {
					t.Error(err)
				}
			}
		}
		return objstore.Pass
	})
	var head Head
	f.View(func(_ *values, h Head) { head = h })
	if _, err := New(racing, "t", Options{}).Append(t.Context(), head, "mine"); err != nil {
		t.Fatal(err)
	}
}

func FuzzDecodeNeverPanics(f *testing.F) {
	l := New(objstore.NewMemory(), "t", Options{})
	good, err := l.encode(Head{}, "a")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"format":1,"number":1,"prev":"","nonce":"x","body":null}`))
	f.Add([]byte(`{"format":-1}`))
	f.Fuzz(func(t *testing.T, object []byte) {
		e, err := l.decode(object, Head{})
		if err == nil && e.Number != 1 {
			t.Fatalf("accepted entry %d as entry 1", e.Number)
		}
	})
}

// A writer that wins below a checkpoint and then can't see whether it is known
// there must not say that it is not.
func TestNotSeeingWhetherACommitIsKnownIsUnknown(t *testing.T) {
	store := objstore.NewMemory()
	f := follower(store)
	for i := range checkpointEvery - 2 {
		if err := put(f, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	head := f.head
	other := follower(store)
	blind := objstore.NewFault(store, func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpList && strings.Contains(key, "checkpoints") {
			for other.head.Number < checkpointEvery { // others go on, and fold
				if err := put(other, "other"); err != nil {
					t.Error(err)
					break
				}
			}
		}
		if op == objstore.OpRead {
			return objstore.Fail
		}
		return objstore.Pass
	})
	_, err := New(blind, "t", Options{Pause: noPause}).Append(t.Context(), head, "mine")
	if !errors.Is(err, ErrUnknown) || errors.Is(err, ErrFenced) {
		t.Fatalf("got %v, want ErrUnknown", err)
	}
}
