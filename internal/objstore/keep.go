package objstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// Keep makes key hold body, where the key says what the bytes are, as by their digest. Whoever keeps it has
// the same bytes, so what is there already is left alone, unless it is damaged: cut off, or changed. Then it is
// removed and written anew, also by several at once; who is killed in between leaves nothing there, and keeping it again
// is safe. An answer that was lost is made up for by a look.
//
// It is not for what is decided by who comes first, such as an entry of a log.
func Keep(ctx context.Context, store Store, key string, body []byte) error {
	var damaged error
	for range keepTries {
		err := store.Create(ctx, key, body)
		if err == nil {
			return nil
		}
		if errors.Is(err, ErrBadKey) || errors.Is(err, ErrNotWritten) {
			return errors.Join(damaged, err)
		}
		found, looked := store.Read(ctx, key)
		switch {
		case looked == nil && bytes.Equal(found, body):
			return nil
		case errors.Is(looked, ErrNotFound) && errors.Is(err, ErrExists): // another has removed it, to write it anew
			continue
		case looked != nil && !errors.Is(err, ErrExists): // what was written may still arrive
			return errors.Join(damaged, err)
		case looked != nil:
			return fmt.Errorf("look whether the %s that is there is damaged: %w", store.URL(key), looked)
		}
		damaged = fmt.Errorf("%s was damaged", store.URL(key))
		if err := store.Delete(ctx, key); err != nil {
			return fmt.Errorf("%w, remove it: %w", damaged, err)
		}
	}
	return fmt.Errorf("%s was damaged, and %w when it had been removed %d times: another writes other bytes there", store.URL(key), ErrExists, keepTries)
}

// keepTries is how often Keep tries: each time after the first something damaged was removed, by this or by
// another that writes the same anew.
const keepTries = 10
