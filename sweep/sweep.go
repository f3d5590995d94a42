// Package sweep removes from a lake what nobody needs any more: files that no log
// entry names, versions that are not kept, and the parts of logs that nobody reads.
//
// The write order is: an entry that condemns the files is appended to the log of
// their stream or table; only then are they deleted. Invariants:
//
//   - No file goes that a kept version of a table names, published or held, or that
//     a landing log names. That is judged against the newest state at the append.
//   - A version that the plan of a request reads is kept, with those after it, until the request has ended.
//   - No entry names a file that is gone: who commits is refused a condemned file.
//     So no clock is needed to be safe. The grace spares attempts that run now
//     from being made in vain.
//   - A landing log that has lost entries, as tables show that were computed from
//     them, is not swept, nor is a table that reads it: a restore needs both.
//   - A plan goes once no request that is listed is of it, and it is older than the
//     grace. Nothing but a request of it is hit if one is entered in that moment: who
//     submits looks for the plan again afterwards, and it can be submitted once more.
//   - What Strandline did not write is never touched.
//
// A sweep that is broken off anywhere is gone on with by the next: condemned files
// that are still there are deleted.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/manifests"
)

// Options say what a sweep may remove. The zero value has no grace, and keeps all
// versions.
type Options struct {
	// Grace is how old a file must be, by the store's clock, to be removed. It is
	// also how long the versions of a table are kept at least once they are replaced.
	Grace time.Duration
	// Retention says which versions of a table are kept; nil keeps all of all.
	Retention func(table string) manifests.Retention
	// Readers are the declared tables. One that contradicts the landing log of its
	// stream keeps both from being swept. Other tables do so by their positions.
	Readers []Reader
	// Expire, if not nil, lets raw rows of a stream expire, before its files are
	// looked at, by the store's clock. In a dry run it does not, and returns which
	// files nothing would name then.
	Expire func(ctx context.Context, stream string, now time.Time) (freed []string, err error)
	// Writer names this process in edits, for people.
	Writer string
	// DryRun only tells what would be done. Then the store's clock is taken to be
	// that of this machine, since asking for it is a write.
	DryRun bool
	// Tell, if not nil, is told of each object that goes or would go, and of each
	// foreign one.
	Tell func(Found)
	// Now is this machine's clock. Default time.Now.
	Now func() time.Time
	Log log.Options
}

// Found is an object that a sweep has something to say of.
type Found struct {
	Key      string    `json:"key"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	Verdict  Verdict   `json:"verdict"`
}

// Run sweeps every stream and table whose log is found in the lake. Trouble with one
// of them does not stop the others, and is part of the error.
func Run(ctx context.Context, store objstore.Store, o Options) (Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &sweeper{store: store, options: o}
	var err error
	if s.now, err = s.clock(ctx); err == nil {
		err = s.doubt(ctx)
	}
	if err == nil {
		err = s.walk(ctx)
	}
	return s.report, errors.Join(append(s.trouble, err)...)
}

// sweeper is one sweep on its way through the lake.
type sweeper struct {
	store   objstore.Store
	options Options
	now     time.Time // by the store's clock
	doubts  doubts
	wanted  wanted
	at      *place // the stream or table whose objects come now
	report  Report
	trouble []error
}

func (s *sweeper) clock(ctx context.Context) (time.Time, error) {
	if s.options.DryRun {
		return s.options.Now(), nil
	}
	return objstore.Clock(ctx, s.store)
}

// pageSize is how many objects one listing shows. A folder is read whole for each.
const pageSize = 10_000

// walk looks at every object, in order of the keys, so those of a stream or a
// table come together.
func (s *sweeper) walk(ctx context.Context) error {
	for after := ""; ; {
		listed, err := s.store.List(ctx, "", after, pageSize)
		if err != nil {
			return fmt.Errorf("list the lake: %w", err)
		}
		for _, o := range listed {
			if err := s.see(ctx, o); err != nil {
				return err
			}
			after = o.Key
		}
		if len(listed) < pageSize {
			return s.leave(ctx)
		}
	}
}

func (s *sweeper) see(ctx context.Context, o objstore.Object) error {
	key, ours := ParseKey(o.Key)
	if ours && key.Area != "" && !s.at.is(key) {
		if err := s.enter(ctx, key); err != nil {
			return err
		}
	}
	switch {
	case !ours:
		s.found(o, Foreign)
	case key.Kind == SelfTest:
		return s.proof(ctx, o)
	case key.Kind == Lookup: // receipts of any version may need it
		return nil
	default:
		return s.judge(ctx, key, o)
	}
	return nil
}

// enter comes to another stream or table.
func (s *sweeper) enter(ctx context.Context, key Key) error {
	if err := s.leave(ctx); err != nil {
		return err
	}
	s.at = &place{Key: Key{Area: key.Area, Owner: key.Owner}}
	s.at.part = Part{Area: key.Area, Name: key.Owner}
	if err := s.doubts.of(s.at.Key); err != nil {
		s.at.part.Trouble = err.Error()
		return nil
	}
	var err error
	s.at.owner, err = s.open(ctx, key)
	return s.note(ctx, err)
}

func (s *sweeper) open(ctx context.Context, key Key) (owner, error) {
	switch key.Area {
	case AreaTables:
		return s.openTable(ctx, key.Owner)
	case AreaRequests:
		return s.openRequests(ctx)
	}
	return s.openStream(ctx, key.Owner)
}

// leave ends the stream or table that s is at.
func (s *sweeper) leave(ctx context.Context) error {
	if s.at == nil {
		return nil
	}
	if s.at.owner != nil {
		err := s.flush(ctx)
		if err == nil && s.at.owner != nil {
			err = s.note(ctx, s.at.owner.finish(ctx, &s.at.part))
		}
		if err != nil {
			return err
		}
	}
	s.report.Parts = append(s.report.Parts, s.at.part)
	s.at = nil
	return nil
}

// note remembers trouble with the stream or table that s is at, which is left as it
// is from there on. What it returns ends the sweep.
func (s *sweeper) note(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	s.trouble = append(s.trouble, fmt.Errorf("sweep %s: %w", s.at.Area.Called(s.at.Owner), err))
	s.at.owner = nil
	s.at.part.Trouble = err.Error()
	return nil
}

func (s *sweeper) found(o objstore.Object, v Verdict) {
	if v == Foreign {
		s.report.Foreign.add(o.Size)
	}
	if s.options.Tell != nil && (v == Foreign || v.goes()) {
		s.options.Tell(Found{o.Key, o.Size, o.Modified, v})
	}
}
