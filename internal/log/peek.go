package log

import (
	"context"
	"fmt"
)

// Peek tells at the price of one call to the store whether there is an entry after the
// newest that was read. Where it sees none there is nothing new, or the log was trimmed
// over our head: so who goes by it must Refresh now and then all the same. It says true
// where nothing was read yet.
func (f *Follower[S]) Peek(ctx context.Context) (more bool, err error) {
	f.mu.RLock()
	head, listed := f.head, f.listed
	f.mu.RUnlock()
	if !listed {
		return true, nil
	}
	if f.log.looker != nil {
		return f.log.isThere(ctx, head.Number+1)
	}
	after, err := f.log.store.List(ctx, f.log.prefix+"/log/", f.log.key(head.Number), 1)
	if err != nil {
		return false, fmt.Errorf("list %s/log/: %w", f.log.prefix, err)
	}
	return len(after) > 0, nil
}
