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
// one before it. No entries is no error. A gap, a broken chain or an unreadable
// entry is ErrCorrupt.
func (l *Log) ReadAfter(ctx context.Context, head Head) ([]Entry, error) {
	var all []Entry
	for {
		page, err := l.page(ctx, head)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < pageSize {
			return all, nil
		}
		head = page[len(page)-1].Head()
	}
}

func (l *Log) page(ctx context.Context, head Head) ([]Entry, error) {
	listed, err := l.store.List(ctx, l.prefix+"/log/", l.key(head.Number), pageSize)
	if err != nil {
		return nil, fmt.Errorf("list %s/log/: %w", l.prefix, err)
	}
	for i, object := range listed {
		n, err := number(object.Key)
		if err != nil {
			return nil, err
		}
		if want := head.Number + 1 + uint64(i); n != want {
			return nil, fmt.Errorf("%w: %s exists, but entry %d before it is missing", ErrCorrupt, object.Key, want)
		}
	}
	objects, err := l.fetch(ctx, listed)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(objects))
	for i, object := range objects {
		if entries[i], err = l.decode(object, head); err != nil {
			return nil, err
		}
		head = entries[i].Head()
	}
	return entries, nil
}

// fetch reads the listed objects, a few at a time. An entry that was listed
// and is gone is a fault, not an end.
func (l *Log) fetch(ctx context.Context, listed []objstore.Object) ([][]byte, error) {
	out := make([][]byte, len(listed))
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(readers, len(listed)) {
		group.Go(func() error {
			for i := next.Add(1) - 1; i < int64(len(listed)); i = next.Add(1) - 1 {
				body, err := l.store.Read(ctx, listed[i].Key)
				if errors.Is(err, objstore.ErrNotFound) {
					return fmt.Errorf("%w: %s was listed and is gone", ErrCorrupt, listed[i].Key)
				}
				if err != nil {
					return fmt.Errorf("read %s: %w", listed[i].Key, err)
				}
				out[i] = body
			}
			return nil
		})
	}
	return out, group.Wait()
}
