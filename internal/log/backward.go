package log

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"strandline/internal/digest"
)

// Backward yields the entries from head down to from, or to the oldest that the log still
// has, newest first. Each must be the one that the entry after it names, so all
// are as sure as head is. It ends with an error, or where the caller stops.
func (l *Log) Backward(ctx context.Context, head Head, from uint64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		oldest, err := l.Oldest(ctx)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		d := descent{Log: l, oldest: max(oldest, from), next: head}
		for size := uint64(2 * readers); d.next.Number >= d.oldest; size = min(2*size, pageSize) {
			entries, err := d.down(ctx, size)
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
		}
	}
}

// descent is the way down under way.
type descent struct {
	*Log
	oldest uint64
	next   Head // the entry that comes next
}

// down returns the next entries, at most so many. There may be none where a trim
// has raised the end meanwhile.
func (d *descent) down(ctx context.Context, most uint64) ([]Entry, error) {
	first := max(d.oldest, d.next.Number-min(most, d.next.Number)+1)
	objects, err := d.fetch(ctx, first, d.next.Number)
	if err != nil {
		return nil, d.unlessTrimmed(ctx, first, err)
	}
	var entries []Entry
	for i := len(objects) - 1; i >= 0; i-- {
		entry, prev, err := d.open(objects[i], d.next.Number)
		if err == nil && entry.Digest != d.next.Digest {
			err = fmt.Errorf("%w: %s is %s, but the entry after it follows %s", ErrCorrupt, d.key(entry.Number), entry.Digest.Short(), d.next.Digest.Short())
		}
		if err != nil {
			return entries, d.unlessTrimmed(ctx, d.next.Number, err)
		}
		entries = append(entries, entry)
		d.next = before(entry, prev)
	}
	return entries, nil
}

func before(e Entry, prev digest.Hash) Head { return Head{Number: e.Number - 1, Digest: prev} }

// unlessTrimmed is nil if the trouble with entry n comes from a trim: then the
// descent ends higher.
func (d *descent) unlessTrimmed(ctx context.Context, n uint64, trouble error) error {
	if !errors.Is(trouble, ErrCorrupt) {
		return trouble
	}
	oldest, err := d.trimmedAbove(ctx, n, trouble)
	if err == nil {
		d.oldest = oldest
	}
	return err
}
