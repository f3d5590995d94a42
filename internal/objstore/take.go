package objstore

import "context"

// Taker is implemented by stores that can keep a local file itself, where another
// has to be sent a copy.
type Taker interface {
	// Take is Upload of a file that nobody writes to any more: the store may keep the
	// file itself. The name at path is still the caller's, to remove or to rename.
	Take(ctx context.Context, key, path string) error
}

// Take brings the file at path up, as Taker.Take does where the store can, and as
// Upload does where it can't.
func Take(ctx context.Context, store Store, key, path string) error {
	if taker, ok := store.(Taker); ok {
		return taker.Take(ctx, key, path)
	}
	return store.Upload(ctx, key, path)
}
