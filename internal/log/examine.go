package log

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// examineBatch is how many entries an examination holds in memory at once.
const examineBatch = 128

// Examination reads every object of one log, and goes on whatever it finds.
// It writes nothing. What others append, trim or checkpoint meanwhile is no
// fault.
type Examination[S State] struct {
	Log   *Log
	Empty func() S
	// Found is told each fault, and Entry each sound entry, in order, with the
	// state that they fold to. folded is false where the entry is not part of
	// that state, since a fault lies between. Entry must not keep the state.
	Found func(Finding)
	Entry func(e Entry, state S, folded bool)
	// Step is told after each object that was read.
	Step func(key string)
}

// Examined is what a log came to.
type Examined[S State] struct {
	State S // as of Head
	Head  Head
	// Known is false if a fault hides what some entries came to, so that State
	// lacks the newest ones.
	Known bool
	First uint64 // the oldest entry that is there; 0 if there is none
	Last  uint64 // the newest
	// Base is the number that folding starts after: 0 for the first entry, or
	// the number of the checkpoint that it starts from.
	Base uint64
	// Oldest is the oldest entry that was the log's when the examination began, by the
	// records of trims; 0 if that can't be told.
	Oldest uint64
}

// examiner is an examination under way.
type examiner[S State] struct {
	Examination[S]
	out         Examined[S]
	checkpoints []uint64 // those not reached yet, ascending
	all         []uint64
	oldest      uint64      // the oldest entry that is the log's; 0 if that can't be told
	begun       uint64      // oldest as it was when the examination began
	below       int         // entries that are there below it
	shown       uint64      // the newest entry that was listed
	next        uint64      // the entry that should come
	prev        digest.Hash // of entry next-1
	chained     bool        // prev is known
	adopted     bool        // folding has begun
	hidden      bool        // by a fault that was told
}

// Run examines. It errs only where the store can't be listed or ctx ends; all
// else is told to Found.
func (x Examination[S]) Run(ctx context.Context) (Examined[S], error) {
	e := &examiner[S]{Examination: x}
	e.out.State = x.Empty()
	// Checkpoints first: what they were made at is there when entries are listed.
	if err := e.listAll(ctx, checkpointFolder, func(_ context.Context, numbers []uint64) error {
		e.all = append(e.all, numbers...)
		return nil
	}); err != nil {
		return e.out, err
	}
	e.checkpoints = e.all
	if err := e.begin(ctx); err != nil {
		return e.out, err
	}
	if err := e.listAll(ctx, entryFolder, e.entries); err != nil {
		return e.out, err
	}
	err := e.finish(ctx)
	e.out.Oldest = e.begun
	return e.out, err
}

// listAll hands the numbers of the objects under a part of the log to use, a
// batch at a time.
func (e *examiner[S]) listAll(ctx context.Context, f folder, use func(context.Context, []uint64) error) error {
	prefix := e.Log.prefix + "/" + f.name + "/"
	for after := ""; ; {
		listed, err := e.Log.store.List(ctx, prefix, after, pageSize)
		if err != nil {
			return fmt.Errorf("list %s: %w", prefix, err)
		}
		var numbers []uint64
		for _, object := range listed {
			after = object.Key
			n, err := number(object.Key, f.suffix)
			if err != nil {
				e.Found(Finding{Fault: StrangeObject, Key: object.Key, Err: err})
				continue
			}
			numbers = append(numbers, n)
		}
		for len(numbers) > 0 {
			n := min(len(numbers), examineBatch)
			if err := use(ctx, numbers[:n]); err != nil {
				return err
			}
			numbers = numbers[n:]
		}
		if len(listed) < pageSize {
			return nil
		}
	}
}

// entries examines the entries of these numbers.
func (e *examiner[S]) entries(ctx context.Context, numbers []uint64) error {
	objects, errs := e.Log.readAll(ctx, numbers)
	for i, n := range numbers {
		if err := ctx.Err(); err != nil {
			return err
		}
		if n < e.oldest {
			e.superfluous(n)
			continue
		}
		e.shown = n
		if errors.Is(errs[i], objstore.ErrNotFound) {
			// Trimmed meanwhile, or a gap for the next entry to see.
			if _, err := e.trimmed(ctx, n); err != nil {
				return err
			}
			continue
		}
		if err := e.gap(ctx, n); err != nil {
			return err
		}
		if n < e.next { // trimmed while the gap was looked at
			continue
		}
		if errs[i] != nil {
			e.lost(Finding{Fault: Unreadable, Key: e.Log.key(n), First: n, Last: n, Err: errs[i]})
		} else {
			e.entry(n, objects[i])
		}
		e.seen(n)
		e.Step(e.Log.key(n))
		if err := e.checkpoint(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (e *examiner[S]) seen(n uint64) {
	if e.out.First == 0 {
		e.out.First = n
	}
	e.next, e.out.Last = n+1, n
}

// readAll reads entries by number, a few at a time, each with its own error.
func (l *Log) readAll(ctx context.Context, numbers []uint64) ([][]byte, []error) {
	objects, errs := make([][]byte, len(numbers)), make([]error, len(numbers))
	var next atomic.Int64
	var group errgroup.Group
	for range min(readers, len(numbers)) {
		group.Go(func() error {
			for i := next.Add(1) - 1; i < int64(len(numbers)); i = next.Add(1) - 1 {
				objects[i], errs[i] = l.store.Read(ctx, l.key(numbers[i]))
			}
			return nil
		})
	}
	_ = group.Wait() // nil: each has its own
	return objects, errs
}

// lost tells a fault that hides what the entries from here on come to.
func (e *examiner[S]) lost(f Finding) {
	e.Found(f)
	e.chained, e.out.Known, e.hidden = false, false, true
}

// entry examines the object of entry n.
func (e *examiner[S]) entry(n uint64, object []byte) {
	key := e.Log.key(n)
	entry, prev, err := e.Log.open(object, n)
	if err != nil {
		fault := DamagedEntry
		if errors.Is(err, ErrNewer) {
			fault = NewerFormat
		}
		e.lost(Finding{Fault: fault, Key: key, First: n, Last: n, Err: err})
		return
	}
	if e.chained && prev != e.prev {
		e.lost(Finding{Fault: BrokenChain, Key: key, First: n, Last: n,
			Err: fmt.Errorf("it follows an entry %d with digest %s, and the one that is there has %s", n-1, prev.Short(), e.prev.Short())})
	}
	if e.out.Known {
		if err := e.out.State.Apply(entry); err != nil {
			e.lost(Finding{Fault: RefusedEntry, Key: key, First: n, Last: n, Err: err})
		} else {
			e.out.Head = entry.Head()
		}
	}
	e.prev, e.chained = entry.Digest, true
	e.Entry(entry, e.out.State, e.out.Known)
}
