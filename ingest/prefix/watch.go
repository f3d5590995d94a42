package prefix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"strandline/ingest"
	"strandline/internal/objstore"
	"strandline/internal/trouble"
	"strandline/landing"
)

// Watcher lands the objects of a Source in a Target. It is used by one goroutine.
type Watcher struct {
	source Source
	to     Target
	page   int              // how many objects are looked at, and held in memory, at once
	marks  map[string]*mark // by key, of objects that could not land
	pass   int              // the listing under way
	told   string           // what was reported of the prefix last
}

// mark is what came of an object that did not land.
type mark struct {
	etag  string
	since time.Time // when the bucket took it
	pass  int       // the listing that had it last
	retry bool      // it may land another time
	told  string    // what was reported of it
}

// NewWatcher returns a Watcher.
func NewWatcher(source Source, to Target) (*Watcher, error) {
	if err := source.Validate(); err != nil {
		return nil, err
	}
	if source.Every <= 0 {
		source.Every = 30 * time.Second
	}
	to.Options.Way = ingest.WayS3
	return &Watcher{source: source, to: to, page: pageSize, marks: map[string]*mark{}}, nil
}

// Run lists the prefix again and again and lands what is new, until ctx ends. What is
// wrong is reported once, and tried again, at longer and longer intervals where it is
// not of a single object.
func (w *Watcher) Run(ctx context.Context) error {
	for failed := 0; ; {
		wait := w.source.Every
		if err := w.list(ctx); err == nil {
			failed = 0
			w.tellOver()
		} else if ctx.Err() == nil {
			wait = backoff(failed, wait)
			failed++
			w.tellOnce(&w.told, w.source.Bucket.URL(w.source.Prefix), err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// tellOver says that trouble with the prefix as a whole, if some was told of, has passed.
func (w *Watcher) tellOver() {
	if w.told != "" && w.to.Over != nil {
		w.to.Over()
	}
	w.told = ""
}

// backoff is how long to wait after failures in a row: from a second on, and in the
// end ten times as long as after a success.
func backoff(failed int, every time.Duration) time.Duration {
	return min(time.Second<<min(failed, 20), 10*every)
}

// Once lands what the prefix holds now. What is wrong with single objects is
// reported, and is no error.
func (w *Watcher) Once(ctx context.Context) error { return w.list(ctx) }

// pageSize is what a server lists at once.
const pageSize = 1000

// list goes through the prefix once.
func (w *Watcher) list(ctx context.Context) error {
	w.pass++
	for after, more := "", true; more; {
		page, err := w.source.Bucket.Page(ctx, w.source.Prefix, after, w.page)
		if err != nil {
			return err
		}
		if more = len(page) == w.page; more {
			after = page[len(page)-1].Key
		}
		if err := w.landPage(ctx, page); err != nil {
			return err
		}
	}
	w.forget()
	w.tellOldest(nil)
	return nil
}

// tellOldest tells since when the object is there that has waited longest to land, of
// those that could not and those that are about to.
func (w *Watcher) tellOldest(fresh []objstore.Version) {
	if w.to.Oldest == nil {
		return
	}
	var oldest time.Time
	older := func(at time.Time) {
		if oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
	}
	for _, m := range w.marks {
		older(m.since)
	}
	for _, v := range fresh {
		older(v.Modified)
	}
	w.to.Oldest(oldest)
}

// forget drops the marks of objects that are gone.
func (w *Watcher) forget() {
	for key, m := range w.marks {
		if m.pass != w.pass {
			delete(w.marks, key)
		}
	}
}

// tooMany is how many objects in a row may fail by no fault of theirs before the
// listing is given up: then it is the bucket or the lake that does not answer.
const tooMany = 3

// landPage lands those objects of a page that are new. The landing log is asked about
// all at once.
func (w *Watcher) landPage(ctx context.Context, page []objstore.Version) error {
	fresh, err := w.fresh(ctx, page)
	if err != nil {
		return err
	}
	w.tellOldest(fresh)
	pieces := make([]ingest.Piece, len(fresh))
	for i, v := range fresh {
		pieces[i] = w.piece(v)
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	failed := 0
	ingest.LandPieces(ctx, w.to.Stream, pieces, w.to.Options, func(i int, o ingest.Outcome, err error) {
		if err = w.took(ctx, fresh[i], o, err); err == nil {
			failed = 0
		} else if failed++; failed == tooMany {
			giveUp(err)
		}
	})
	return context.Cause(ctx)
}

// piece is an object as one of those that may land together.
func (w *Watcher) piece(v objstore.Version) ingest.Piece {
	return ingest.Piece{
		Name: w.source.Bucket.URL(v.Key), Version: v.ETag,
		Read: func(ctx context.Context) ([]byte, error) {
			if v.Size > ingest.SmallPiece {
				return nil, ingest.ErrNotSmall
			}
			body, err := w.source.Bucket.Open(ctx, v)
			if err != nil {
				return nil, err
			}
			defer body.Close()
			return io.ReadAll(body)
		},
		Alone: func(ctx context.Context) (ingest.Outcome, error) {
			return Land(ctx, w.source.Bucket, v, w.to.Stream, w.to.Options)
		},
	}
}

// fresh returns the objects that are to be read.
func (w *Watcher) fresh(ctx context.Context, page []objstore.Version) (fresh []objstore.Version, err error) {
	var asked []landing.Version
	for _, v := range page {
		if w.source.takes(v) && !w.isMarked(v) {
			fresh = append(fresh, v)
			asked = append(asked, landing.Version{Name: w.source.Bucket.URL(v.Key), Version: v.ETag})
		}
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	known, err := w.to.Stream.HasVersions(ctx, asked)
	if err != nil {
		return nil, err
	}
	unknown := fresh[:0]
	for i, v := range fresh {
		if !known[i] {
			unknown = append(unknown, v)
		}
	}
	return unknown, nil
}

// isMarked tells whether an object is known to need no reading.
func (w *Watcher) isMarked(v objstore.Version) bool {
	m := w.marks[v.Key]
	if m == nil || m.etag != v.ETag {
		return false
	}
	m.pass = w.pass
	return !m.retry
}

// took notes what came of an object. Its error is not the object's fault.
func (w *Watcher) took(ctx context.Context, v objstore.Version, outcome ingest.Outcome, err error) error {
	switch {
	case err == nil:
		delete(w.marks, v.Key)
		return w.to.Landed(outcome)
	case errors.Is(err, objstore.ErrReplaced), errors.Is(err, objstore.ErrNotFound):
		return nil // the next listing tells what there is now
	case ctx.Err() != nil:
		return err
	}
	m := w.mark(v)
	m.retry = !errors.Is(err, ingest.ErrInput)
	w.tellOnce(&m.told, w.source.Bucket.URL(v.Key), err)
	if m.retry {
		return err
	}
	return nil
}

// mark returns the mark of an object in this version.
func (w *Watcher) mark(v objstore.Version) *mark {
	m := w.marks[v.Key]
	if m == nil || m.etag != v.ETag {
		m = &mark{etag: v.ETag, since: v.Modified}
		w.marks[v.Key] = m
	}
	m.pass = w.pass
	return m
}

// tellOnce reports trouble that is another than what was told last.
func (w *Watcher) tellOnce(last *string, name string, err error) {
	if text := trouble.Text(err); text != *last {
		*last = text
		w.to.Report(name, err)
	}
}

// Land lands one object, in the version that was listed, whole and by one commit. Its
// name in the stream is its address. Beside those of ingest.LandReader errors are
// objstore.ErrReplaced and objstore.ErrNotFound.
func Land(ctx context.Context, bucket Bucket, v objstore.Version, stream *landing.Stream, opts ingest.Options) (ingest.Outcome, error) {
	name := bucket.URL(v.Key)
	body, err := bucket.Open(ctx, v)
	if err != nil {
		return ingest.Outcome{}, err
	}
	defer body.Close()
	outcome, err := ingest.LandVersion(ctx, stream, body, name, v.ETag, opts)
	if err != nil {
		return ingest.Outcome{}, fmt.Errorf("land %s: %w", name, err)
	}
	return outcome, nil
}
