package log

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"strandline/internal/objstore"
)

// fullStore is a store that says for sure that it did not write, as a full disk does.
type fullStore struct {
	Store
	full bool
}

func (s *fullStore) Create(ctx context.Context, key string, body []byte) error {
	if s.full {
		return fmt.Errorf("create %s: %w", key, objstore.ErrNotWritten)
	}
	return s.Store.Create(ctx, key, body)
}

func TestWhatWasSurelyNotWrittenIsNotAskedFor(t *testing.T) {
	fault := objstore.NewFault(objstore.NewMemory(), nil)
	store := &fullStore{Store: fault, full: true}
	l := New(store, "t", Options{Pause: noPause})
	_, err := l.Append(t.Context(), Head{}, "a")
	if !errors.Is(err, objstore.ErrNotWritten) || errors.Is(err, ErrUnknown) {
		t.Errorf("got %v, want ErrNotWritten", err)
	}
	if reads := fault.Calls(objstore.OpRead); reads != 0 {
		t.Errorf("the slot was read %d times", reads)
	}
	store.full = false
	if _, err := l.Append(t.Context(), Head{}, "a"); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
