package objstore_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"strandline/internal/objstore"
)

func faulty(store objstore.Store, action objstore.Action) *objstore.Fault {
	return objstore.NewFault(store, func(objstore.Op, string) objstore.Action { return action })
}

func TestFailedCallDoesNothing(t *testing.T) {
	store := objstore.NewMemory()
	if err := faulty(store, objstore.Fail).Create(t.Context(), "k", nil); !errors.Is(err, objstore.ErrFault) {
		t.Errorf("got %v, want ErrFault", err)
	}
	if _, err := store.Read(t.Context(), "k"); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("read: got %v, want ErrNotFound", err)
	}
}

func TestLateCallIsDoneAtRelease(t *testing.T) {
	store := objstore.NewMemory()
	late := faulty(store, objstore.DoLate)
	ctx, cancel := context.WithCancel(t.Context())
	body := []byte("late")
	if err := late.Create(ctx, "k", body); !errors.Is(err, objstore.ErrFault) {
		t.Errorf("got %v, want ErrFault", err)
	}
	cancel()
	copy(body, "reused by the caller")
	if _, err := store.Read(t.Context(), "k"); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("read before: got %v, want ErrNotFound", err)
	}
	if n := late.Release(); n != 1 {
		t.Errorf("released %d calls, want 1", n)
	}
	if got, err := store.Read(t.Context(), "k"); err != nil || string(got) != "late" {
		t.Errorf("read after: got %q, %v", got, err)
	}
	if n := late.Release(); n != 0 {
		t.Errorf("released %d calls again", n)
	}
}

func TestHungCallEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- faulty(objstore.NewMemory(), objstore.Hang).Delete(ctx, "k") }()
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("answered %v before its context ended", err)
		default:
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

func TestCallsAreCounted(t *testing.T) {
	store := objstore.NewFault(objstore.NewMemory(), nil)
	for range 3 {
		_, _ = store.Read(t.Context(), "k")
	}
	_, _ = store.List(t.Context(), "", "", 1)
	if r, l, c := store.Calls(objstore.OpRead), store.Calls(objstore.OpList), store.Calls(objstore.OpCreate); r != 3 || l != 1 || c != 0 {
		t.Errorf("counted %d reads, %d lists, %d creates, want 3, 1, 0", r, l, c)
	}
}

func TestSeededFaultsRepeat(t *testing.T) {
	draw := func(seed uint64) (actions []objstore.Action) {
		hook := objstore.SeededFaults(seed, 0.5)
		for range 200 {
			actions = append(actions, hook(objstore.OpCreate, "k"))
		}
		return actions
	}
	if !slices.Equal(draw(1), draw(1)) || slices.Equal(draw(1), draw(2)) {
		t.Error("want the same for the same seed only")
	}
	for _, action := range []objstore.Action{objstore.Pass, objstore.Fail, objstore.LoseAnswer, objstore.DoLate} {
		if !slices.Contains(draw(1), action) {
			t.Errorf("action %d never comes", action)
		}
	}
	if slices.Contains(draw(1), objstore.Hang) {
		t.Error("a seeded fault hangs")
	}
}

// overwriting is a store that ignores the condition, as some services do.
type overwriting struct{ *objstore.Memory }

func (o overwriting) Create(ctx context.Context, key string, body []byte) error {
	for {
		if err := o.Delete(ctx, key); err != nil {
			return err
		}
		if err := o.Memory.Create(ctx, key, body); !errors.Is(err, objstore.ErrExists) {
			return err
		}
	}
}

func TestStoreThatOverwritesIsRefused(t *testing.T) {
	store := overwriting{objstore.NewMemory()}
	if _, err := objstore.Prove(t.Context(), store); !errors.Is(err, objstore.ErrNotExclusive) {
		t.Errorf("prove: got %v, want ErrNotExclusive", err)
	}
	if first := objstore.Check(t.Context(), store)[0]; !errors.Is(first.Err, objstore.ErrNotExclusive) {
		t.Errorf("check of %s: got %v, want ErrNotExclusive", first.Property, first.Err)
	}
	if found, _ := store.List(t.Context(), "", "", 10); len(found) != 0 {
		t.Errorf("left behind: %v", found)
	}
}

func TestStoreThatCannotBeTriedIsNotCalledUnfit(t *testing.T) {
	_, err := objstore.Prove(t.Context(), faulty(objstore.NewMemory(), objstore.Fail))
	if !errors.Is(err, objstore.ErrFault) || errors.Is(err, objstore.ErrNotExclusive) {
		t.Errorf("got %v, want the fault and not ErrNotExclusive", err)
	}
}
