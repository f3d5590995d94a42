package log

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"strandline/internal/objstore"
)

const (
	pageSize = 1000
	readers  = 16
)

// ReadAfter returns the entries after head, in order, each checked against the
// one before it. No entries is no error. ErrTrimmed if the log begins above head
// by now, so that the way from there is not whole any more; a gap, a broken
// chain or an unreadable entry is ErrCorrupt otherwise.
func (l *Log) ReadAfter(ctx context.Context, head Head) ([]Entry, error) {
	return l.readAfter(ctx, head, func(objstore.Object) error { return nil })
}

// readAfter is ReadAfter. Where nothing follows head, which would show what it follows, still tells whether head's
// own entry, which was listed, is what was read of it.
func (l *Log) readAfter(ctx context.Context, head Head, still func(objstore.Object) error) ([]Entry, error) {
	var all []Entry
	at := head
	for more := true; more; {
		var page []Entry
		var err error
		if page, more, err = l.page(ctx, at, still); err != nil {
			return nil, advised(l.judge(ctx, head.Number, err))
		}
		if all = append(all, page...); len(page) > 0 {
			at, still = page[len(page)-1].Head(), func(objstore.Object) error { return nil } // it was read a moment ago
		}
	}
	// A listing leaves out what is no object, such as a link in place of the newest entry.
	if l.looker != nil {
		if _, err := l.isThere(ctx, at.Number+1); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 && head.Number > 0 {
		return nil, nil
	}
	// Of a log that seems to be empty too: where a record of a trim says that it was not, all of it is lost.
	if err := l.judge(ctx, head.Number, nil); err != nil {
		return nil, err
	}
	return all, nil
}

// told is an error that says what helps.
type told struct{ error }

func (t told) Unwrap() error { return t.error }

// FromCopy says of an object that is damaged or lost what helps, once.
func FromCopy(err error) error {
	if errors.As(err, new(told)) {
		return err
	}
	return told{fmt.Errorf("%w; restore it from a copy of the lake: strandline check-lake tells all that is damaged or lost, and what that hits", err)}
}

// advised says what to do about entries that can't be read. What is none of them is only to be
// moved away, which is said already.
func advised(err error) error {
	if !errors.Is(err, ErrCorrupt) || errors.Is(err, ErrStray) {
		return err
	}
	return FromCopy(err)
}

// page reads what one listing shows, and tells whether there may be more.
//
// A listing may miss an entry that was made while it ran and still show a later
// one. So it only tells how far to read; that nothing is missing is seen by key.
func (l *Log) page(ctx context.Context, head Head, still func(objstore.Object) error) (entries []Entry, more bool, err error) {
	listed, more, err := l.listFrom(ctx, head)
	if err == nil && head.Number > 0 {
		if len(listed) == 1 {
			err = still(listed[0])
		}
		listed = listed[1:]
	}
	if err != nil || len(listed) == 0 {
		return nil, false, err
	}
	newest := head.Number
	for _, object := range listed {
		if newest, err = number(object.Key, entrySuffix); err != nil {
			return nil, false, err
		}
	}
	last := min(newest, head.Number+pageSize)
	entries, err = l.span(ctx, head, last)
	return entries, more || newest > last, err
}

// span reads the entries after head up to last, which are known to be there.
func (l *Log) span(ctx context.Context, head Head, last uint64) ([]Entry, error) {
	objects, err := l.fetch(ctx, head.Number+1, last)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(objects))
	for _, object := range objects {
		entry, err := l.decode(object, head)
		if err != nil {
			return nil, err
		}
		entries, head = append(entries, entry), entry.Head()
	}
	if n := len(entries); n > 0 {
		entries[n-1].tag = objstore.TagOf(objects[n-1])
	}
	return entries, nil
}

// listFrom lists what comes after head. It lists head's own entry too, first, which
// must still be there: where a trim has removed it, ErrCorrupt is not the last word.
func (l *Log) listFrom(ctx context.Context, head Head) (listed []objstore.Object, more bool, err error) {
	after := l.key(head.Number)
	if head.Number > 0 {
		after = l.key(head.Number - 1)
	}
	listed, err = l.store.List(ctx, l.prefix+"/log/", after, pageSize)
	if err != nil {
		return nil, false, fmt.Errorf("list %s/log/: %w", l.prefix, err)
	}
	more = len(listed) == pageSize
	if head.Number == 0 {
		return listed, more, nil
	}
	if len(listed) == 0 || listed[0].Key != l.key(head.Number) {
		return nil, false, l.taken(head)
	}
	return listed, more, nil
}

func (l *Log) taken(head Head) error {
	return fmt.Errorf("%w: %s was read before and is gone", ErrCorrupt, l.key(head.Number))
}

// fetch reads the entries first … last, a few at a time. One that is not there
// while a later one is, is a fault and not an end.
func (l *Log) fetch(ctx context.Context, first, last uint64) ([][]byte, error) {
	out := make([][]byte, last-first+1)
	var next atomic.Uint64
	group, ctx := errgroup.WithContext(ctx)
	for range min(readers, len(out)) {
		group.Go(func() error {
			for i := next.Add(1) - 1; i < uint64(len(out)); i = next.Add(1) - 1 {
				key := l.key(first + i)
				body, err := l.store.Read(ctx, key)
				if errors.Is(err, objstore.ErrNotFound) {
					return fmt.Errorf("%w: %s is missing, but later entries exist", ErrCorrupt, key)
				}
				if err != nil {
					return fmt.Errorf("read %s: %w", key, err)
				}
				out[i] = body
			}
			return nil
		})
	}
	return out, group.Wait()
}
