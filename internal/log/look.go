package log

import (
	"context"
	"errors"
	"fmt"
)

// lookAfter returns the entries after head as ReadAfter does, for a follower that came to
// head by way of a listing. It looks for one entry after the other, and lists none, so
// that its price is that of what is new and does not grow with the log.
//
// Say that it has read up to entry m, and m+1 is not there when it looks. At that moment
// the log ended with m:
//
//   - Had m+1 been made before, somebody had removed it, and that is only done by a trim,
//     after a record of an oldest entry above m+1. The newest record stays, and its oldest
//     entry never falls, so judge would see it: it looks after we did.
//   - For the same reason no slot from head on had been freed, so what was read is the
//     log's, and not what a slow writer put into a slot.
//   - Above m+1 there is nothing, since a writer appends to what it has read.
//
// The entry of head tells none of that. Trims remove some entries at a time, so it may be
// there after m+1 has gone; and a late request may bring its very bytes back. It is
// read since it shows whether the newest entries were taken away, or others put in their place.
func (l *Log) lookAfter(ctx context.Context, head Head) ([]Entry, error) {
	entries, err := l.lookOn(ctx, head)
	if err := l.judge(ctx, head.Number, err); err != nil {
		return nil, err
	}
	return entries, nil
}

// lookOn reads the entries after head up to the first that is not there.
func (l *Log) lookOn(ctx context.Context, head Head) (entries []Entry, err error) {
	if head.Number > 0 {
		if err := l.isStill(ctx, head); err != nil {
			return nil, err
		}
	}
	for {
		there, err := l.isThere(ctx, head.Number+1)
		if err != nil || !there {
			return entries, err
		}
		next, err := l.span(ctx, head, head.Number+1)
		if err != nil {
			return nil, err
		}
		entries, head = append(entries, next...), next[0].Head()
	}
}

// isStill looks that head's entry is the one that was read of it. Who appended to another would break the chain for
// all.
func (l *Log) isStill(ctx context.Context, head Head) error {
	err := l.holds(ctx, head)
	switch {
	case errors.Is(err, errAbsent):
		return l.taken(head)
	case errors.Is(err, ErrCorrupt):
		return fmt.Errorf("%w: it was lost under this process, and another was written in its place: look at what strandline check-lake tells, and start this again, which takes the log as it is by then", err)
	}
	return err
}

func (l *Log) isThere(ctx context.Context, n uint64) (bool, error) {
	there, err := l.looker.Has(ctx, l.key(n))
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", l.key(n), err)
	}
	return there, nil
}
