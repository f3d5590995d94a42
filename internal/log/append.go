package log

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"strandline/internal/objstore"
)

const (
	firstPause = 20 * time.Millisecond
	maxPause   = 2 * time.Second
)

// Append commits body as the entry after head.
//
// Errors: ErrConflict if the slot is another writer's; ErrUnknown if the store
// gave no answer in time; ErrFenced; or what the store says. With ErrConflict,
// ErrFenced and objstore.ErrNotWritten nothing was committed.
func (l *Log) Append(ctx context.Context, head Head, body any) (Entry, error) {
	object, err := l.encode(head, body)
	if err != nil {
		return Entry{}, err
	}
	key := l.key(head.Number + 1)
	// Once the store has been asked, leaving without an answer would leave the
	// caller not knowing. So a cancelled caller still gets one, in bounded time.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.opts.Deadline)
	defer cancel()
	unanswered, err := l.take(ctx, key, object)
	if err != nil {
		return Entry{}, fmt.Errorf("append %s: %w", key, l.doubt(ctx, head.Number+1, unanswered, err))
	}
	entry, err := l.decode(object, head)
	if err != nil {
		return Entry{}, err
	}
	entry.tag = objstore.TagOf(object)
	return entry, l.doubt(ctx, entry.Number, unanswered, l.checkNotFolded(ctx, entry))
}

// doubt takes back that entry n is not in the log, where that can't be told: a
// request for it got no answer, and its slot has been trimmed since. It may
// have been there, read by others, and folded.
func (l *Log) doubt(ctx context.Context, n uint64, unanswered bool, told error) error {
	if !unanswered || !errors.Is(told, ErrConflict) && !errors.Is(told, ErrFenced) {
		return told
	}
	oldest, err := l.Oldest(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("look whether %s was trimmed: %w (%w)", l.key(n), ErrUnknown, err)
	case n < oldest:
		return fmt.Errorf("%s was trimmed meanwhile: %w", l.key(n), ErrUnknown)
	}
	return told
}

// take makes key hold object, or finds out who holds it. It tells whether its
// first request got no answer.
//
// Only a refusal of the very first attempt is a plain loss. After an attempt
// without an answer the object there may be our own; and one that is not there
// yet may still arrive, so the same bytes are put again: whichever of the
// copies lands, it is our entry.
func (l *Log) take(ctx context.Context, key string, object []byte) (unanswered bool, err error) {
	err = l.store.Create(ctx, key, object)
	switch {
	case err == nil:
		return false, nil
	case errors.Is(err, objstore.ErrExists):
		return false, ErrConflict
	case errors.Is(err, objstore.ErrBadKey), errors.Is(err, objstore.ErrNotWritten):
		return false, err
	}
	first := err
	for wait := firstPause; ; wait = min(2*wait, maxPause) {
		there, err := l.store.Read(ctx, key)
		switch {
		case err == nil && bytes.Equal(there, object):
			return true, nil
		case err == nil:
			return true, ErrConflict
		case errors.Is(err, objstore.ErrNotFound):
			if err := l.store.Create(ctx, key, object); err == nil {
				return true, nil
			}
		}
		if err := l.opts.Pause(ctx, wait); err != nil {
			return true, fmt.Errorf("%w (the first answer was: %w)", ErrUnknown, first)
		}
	}
}

// checkNotFolded is the writer's last look: a checkpoint at or above its slot
// must have been made by somebody who read this very entry.
func (l *Log) checkNotFolded(ctx context.Context, e Entry) error {
	newer, err := l.between(ctx, checkpointFolder, e.Number, math.MaxUint64)
	if err != nil {
		return fmt.Errorf("look for checkpoints above %s: %w (%w)", l.key(e.Number), ErrUnknown, err)
	}
	if len(newer) == 0 {
		return nil
	}
	known, err := l.isKnown(ctx, e, newer[0].number)
	switch {
	case err != nil: // it is in the log or not: we could not see
		return fmt.Errorf("look whether %s is known above: %w (%w)", l.key(e.Number), ErrUnknown, err)
	case !known:
		return fmt.Errorf("%s: %w", l.key(e.Number), ErrFenced)
	}
	return nil
}

// isKnown tells whether those who made the checkpoint at number at, which is at
// or above e, had read e: the checkpoint itself names it, or the entry after it
// does.
//
// Where that one is not there, e was trimmed as well, or came into a slot that had
// been freed.
func (l *Log) isKnown(ctx context.Context, e Entry, at uint64) (bool, error) {
	if at == e.Number {
		c, err := l.readCheckpoint(ctx, at)
		if !errors.Is(err, objstore.ErrNotFound) { // a trim removes checkpoints, too
			return c.Digest == e.Digest, err
		}
	}
	next, err := l.store.Read(ctx, l.key(e.Number+1))
	if errors.Is(err, objstore.ErrNotFound) {
		return false, l.checkFreed(ctx, e)
	}
	if err != nil {
		return false, err
	}
	_, err = l.decode(next, e.Head())
	if errors.Is(err, ErrCorrupt) {
		return false, nil
	}
	return err == nil, err
}
