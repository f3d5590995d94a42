package objstore

import (
	"context"
	"fmt"
	"time"
)

// Clock reads the store's own clock, which is what the age of its objects is to be
// held against. It makes an object for that, and removes it.
func Clock(ctx context.Context, store Store) (now time.Time, err error) {
	key := freshKey("clock")
	defer func() {
		if cleanErr := clean(ctx, store, key); err == nil {
			err = cleanErr
		}
	}()
	if err := store.Create(ctx, key, nil); err != nil {
		return time.Time{}, fmt.Errorf("read the clock of the store at %s: %w", store.URL(""), err)
	}
	found, err := store.List(ctx, key, "", 1)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the clock of the store at %s: %w", store.URL(""), err)
	}
	if len(found) != 1 || found[0].Modified.IsZero() {
		return time.Time{}, fmt.Errorf("read the clock of the store at %s: it does not tell when %s was written", store.URL(""), key)
	}
	return found[0].Modified, nil
}
