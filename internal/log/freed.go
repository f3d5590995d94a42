package log

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"strandline/internal/objstore"
)

// abreast is how many entries a trim removes at a time.
//
// The order in which entries go tells a writer that slept whether its slot had been
// freed before it wrote into it, which no record of a trim can. So an entry is
// removed once all are gone that lie abreast below it, or further; and of those that
// lie no further than that below the oldest that stays, each once the one before it is.
const abreast = 64

// removeEntries removes what t says, in that order, and returns how many are known to be gone.
func (l *Log) removeEntries(ctx context.Context, t Trim) (gone int, err error) {
	for rest := t.Entries; len(rest) > 0; {
		n := l.together(rest, t.Oldest)
		group, ctx := errgroup.WithContext(ctx)
		for _, number := range rest[:n] {
			group.Go(func() error { return l.remove(ctx, entryFolder, number) })
		}
		if err := group.Wait(); err != nil {
			return gone, err
		}
		rest, gone = rest[n:], gone+n
	}
	return gone, nil
}

// together is how many of the entries, which ascend and lie below the oldest that
// stays, may be removed at the same time.
func (l *Log) together(entries []uint64, oldest uint64) int {
	n := 0
	for n < len(entries) && entries[n]-entries[0] < l.abreast && oldest-entries[n] > l.abreast {
		n++
	}
	return max(n, 1)
}

// checkFreed is nil if e has come into a slot that a trim had freed, though the entry
// after it was gone when we looked. The sign is that e is there, and one is gone that
// every trim removes only after e. Which one that is the newest record tells: a trim that
// removes e along with the next one was recorded before the next one was gone.
func (l *Log) checkFreed(ctx context.Context, e Entry) error {
	oldest, err := l.Oldest(ctx)
	if err != nil {
		return err
	}
	if oldest > e.Number+l.abreast {
		after := l.key(e.Number + l.abreast)
		_, err := l.store.Read(ctx, after)
		if err == nil {
			return fmt.Errorf("%s is there, so %s may be being trimmed", after, l.key(e.Number))
		}
		if !errors.Is(err, objstore.ErrNotFound) {
			return fmt.Errorf("read %s: %w", after, err)
		}
	}
	return l.holds(ctx, e.Head())
}
