package objstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Holds tells whether the bucket is the very one that store writes to, by whatever
// names of a server the two are reached: whether it holds an object that store has just
// made, under a key which is removed again.
func (b *Bucket) Holds(ctx context.Context, store Store) (holds bool, err error) {
	key := freshKey("same")
	whole, inBucket := strings.CutPrefix(store.URL(key), b.URL(""))
	if !inBucket {
		return false, nil
	}
	if err := store.Create(ctx, key, []byte(key)); err != nil {
		return false, fmt.Errorf("look whether %s is where %s lies: %w", b.where, store.URL(""), err)
	}
	defer func() { err = errors.Join(err, clean(ctx, store, key)) }()
	_, err = b.Look(ctx, whole)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
