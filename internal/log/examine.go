package log

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	// Found is told each fault, and Entry each sound entry, in order. folded
	// tells whether the entry is part of a state that is known.
	Found func(Finding)
	Entry func(e Entry, folded bool)
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
}

// examiner is an examination under way.
type examiner[S State] struct {
	Examination[S]
	out         Examined[S]
	checkpoints []uint64 // those not reached yet, ascending
	all         []uint64
	shown       uint64      // the newest entry that was listed
	next        uint64      // the entry that should come
	prev        digest.Hash // of entry next-1
	chained     bool        // prev is known
	adopted     bool        // folding has begun
	oldest      uint64      // what a trim meanwhile has left
	hidden      bool        // by a fault that was told
}

// Run examines. It errs only where the store can't be listed or ctx ends; all
// else is told to Found.
func (x Examination[S]) Run(ctx context.Context) (Examined[S], error) {
	e := &examiner[S]{Examination: x, next: 1, chained: true, adopted: true}
	e.out.State, e.out.Known = x.Empty(), true
	// Checkpoints first: what they were made at is there when entries are listed.
	if err := e.listAll(ctx, "/checkpoints/", func(_ context.Context, numbers []uint64) error {
		e.all = append(e.all, numbers...)
		return nil
	}); err != nil {
		return e.out, err
	}
	e.checkpoints = e.all
	if err := e.listAll(ctx, "/log/", e.entries); err != nil {
		return e.out, err
	}
	return e.out, e.finish(ctx)
}

// listAll hands the numbers of the objects under a part of the log to use, a
// batch at a time.
func (e *examiner[S]) listAll(ctx context.Context, part string, use func(context.Context, []uint64) error) error {
	prefix := e.Log.prefix + part
	for after := ""; ; {
		listed, err := e.Log.store.List(ctx, prefix, after, pageSize)
		if err != nil {
			return fmt.Errorf("list %s: %w", prefix, err)
		}
		var numbers []uint64
		for _, object := range listed {
			after = object.Key
			n, err := number(object.Key)
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
		e.shown = n
		if errors.Is(errs[i], objstore.ErrNotFound) {
			if err := e.removed(ctx, n); err != nil {
				return err
			}
			continue
		}
		if err := e.gap(ctx, n); err != nil {
			return err
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

// removed looks at entry n, which was listed and is not there. Where it was not
// trimmed, it is left for gap to see.
func (e *examiner[S]) removed(ctx context.Context, n uint64) error {
	trimmed, err := e.trimmed(ctx, n)
	if trimmed {
		e.skipTo(n + 1)
	}
	return err
}

// trimmed tells whether entry n has been trimmed since the examination began.
func (e *examiner[S]) trimmed(ctx context.Context, n uint64) (bool, error) {
	if n < e.oldest {
		return true, nil
	}
	listed, err := e.Log.store.List(ctx, e.Log.prefix+"/log/", "", 1)
	if err != nil {
		return false, fmt.Errorf("list %s/log/: %w", e.Log.prefix, err)
	}
	if len(listed) == 0 || listed[0].Key <= e.Log.key(n) {
		return false, nil
	}
	e.oldest, err = number(listed[0].Key)
	return err == nil, err
}

// skipTo leaves aside what was trimmed below entry n.
func (e *examiner[S]) skipTo(n uint64) {
	e.out.First, e.next = 0, n
	e.unfold()
}

// gap looks at what lies between the entry that should come and n, the next
// that is there. A listing may miss what was made while it ran; a new one
// does not.
func (e *examiner[S]) gap(ctx context.Context, n uint64) error {
	for e.next < n {
		if e.out.First == 0 { // nothing was read: the log may begin later
			return e.begin(ctx, n)
		}
		listed, err := e.Log.store.List(ctx, e.Log.prefix+"/log/", e.Log.key(e.next-1), 1)
		if err != nil {
			return fmt.Errorf("list %s/log/: %w", e.Log.prefix, err)
		}
		late := e.next
		if len(listed) > 0 && listed[0].Key == e.Log.key(late) {
			err = e.entries(ctx, []uint64{late})
		}
		if err != nil {
			return err
		}
		if e.next == late {
			return e.absent(ctx, n)
		}
	}
	return nil
}

// absent looks why the entries from next to n are not there.
func (e *examiner[S]) absent(ctx context.Context, n uint64) error {
	trimmed, err := e.trimmed(ctx, e.next)
	switch {
	case err != nil:
		return err
	case trimmed:
		e.skipTo(n)
		return nil
	}
	return e.missing(ctx, n-1)
}

// unfold forgets the state: it is to be taken up at the next checkpoint.
func (e *examiner[S]) unfold() {
	e.chained, e.adopted, e.out.Known = false, false, false
}

// missing tells that the entries from next to last are not there, and takes up
// the state again from the newest checkpoint that was made at one of them.
func (e *examiner[S]) missing(ctx context.Context, last uint64) error {
	first := e.next
	e.lost(Finding{Fault: MissingEntry, Key: e.Log.key(first), First: first, Last: last,
		Err: fmt.Errorf("%s missing, but later ones exist", entries(first, last))})
	err := e.lonely(ctx, last)
	e.next = last + 1
	return err
}

// lonely examines the checkpoints up to last, whose entries are missing. Only
// one that was made at the last of them tells what came before the next entry.
func (e *examiner[S]) lonely(ctx context.Context, last uint64) error {
	for len(e.checkpoints) > 0 && e.checkpoints[0] <= last {
		e.chained, e.out.Known = false, false
		if err := e.checkpoint(ctx, e.checkpoints[0]); err != nil {
			return err
		}
	}
	if e.out.Head.Number != last {
		e.chained, e.out.Known = false, false
	}
	return nil
}

// begin starts at entry n, which is not the first. That is as it should be in a
// log that was trimmed: it keeps the entries from a checkpoint on, and never
// fewer than two checkpoints. A trim that was interrupted leaves some more.
func (e *examiner[S]) begin(ctx context.Context, n uint64) error {
	i, at := slices.BinarySearch(e.checkpoints, n)
	if n <= e.oldest {
		at = true // trimmed a moment ago, so there are newer checkpoints
	}
	if !at && len(e.checkpoints)-i < 2 {
		return e.missing(ctx, n-1)
	}
	e.checkpoints = e.checkpoints[i:]
	if !at {
		e.Found(Finding{Fault: UnfinishedTrim, Key: e.Log.key(n), First: n, Last: e.checkpoints[0] - 1,
			Err: fmt.Errorf("the log begins with entry %d, and can be folded from entry %d on", n, e.checkpoints[0])})
	}
	e.next = n
	e.unfold()
	return nil
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
	e.Entry(entry, e.out.Known)
}

// checkpoint examines the checkpoint at n if there is one, after entry n.
func (e *examiner[S]) checkpoint(ctx context.Context, n uint64) error {
	for len(e.checkpoints) > 0 && e.checkpoints[0] < n { // trimmed away under them
		e.checkpoints = e.checkpoints[1:]
	}
	if len(e.checkpoints) == 0 || e.checkpoints[0] != n {
		return nil
	}
	e.checkpoints = e.checkpoints[1:]
	defer e.Step(e.Log.checkpointKey(n))
	c, err := e.Log.readCheckpoint(ctx, n)
	state := e.Empty()
	if err == nil {
		if bad := json.Unmarshal(c.State, state); bad != nil {
			err = fmt.Errorf("%w: its state: %v", ErrCorrupt, bad)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, objstore.ErrNotFound): // thinned away meanwhile
	case errors.Is(err, ErrCorrupt):
		e.Found(Finding{Fault: DamagedCheckpoint, Key: e.Log.checkpointKey(n), Err: err})
	case errors.Is(err, ErrNewer):
		e.Found(Finding{Fault: NewerFormat, Key: e.Log.checkpointKey(n), Err: err})
	case err != nil:
		e.Found(Finding{Fault: Unreadable, Key: e.Log.checkpointKey(n), Err: err})
	default:
		e.compare(c, state)
	}
	return nil
}

// compare holds a checkpoint against what was folded, or takes it up where that
// is not known.
func (e *examiner[S]) compare(c checkpoint, state S) {
	switch {
	case e.chained && c.Digest != e.prev:
		e.Found(Finding{Fault: WrongCheckpoint, Key: e.Log.checkpointKey(c.Number),
			Err: fmt.Errorf("it was made at an entry %d with digest %s, and the one that is there has %s", c.Number, c.Digest.Short(), e.prev.Short())})
	case e.out.Known && !same(e.out.State, c.State, state):
		e.Found(Finding{Fault: WrongCheckpoint, Key: e.Log.checkpointKey(c.Number),
			Err: fmt.Errorf("its state is not what the entries up to %d fold to", c.Number)})
	case !e.out.Known:
		e.out.State, e.out.Head, e.out.Known = state, c.Head, true
		e.prev, e.chained = c.Digest, true
		if !e.adopted {
			e.adopted, e.out.Base = true, c.Number
		}
	}
}

// same tells whether a folded state is the one that a checkpoint stored as text.
// Where the texts differ, how an older program wrote them may be all that does:
// then what was read of the text decides.
func same[S State](folded S, text json.RawMessage, stored S) bool {
	a, err := json.Marshal(folded)
	if err != nil || bytes.Equal(a, text) {
		return err == nil
	}
	b, err := json.Marshal(stored)
	return err == nil && bytes.Equal(a, b)
}

// finish looks at what is known to have been there beyond the last entry.
func (e *examiner[S]) finish(ctx context.Context) error {
	newest, why := e.shown, "it was listed a moment ago"
	if n := len(e.all); n > 0 && e.all[n-1] > newest {
		newest = e.all[n-1]
		why = fmt.Sprintf("%s was made at entry %d", e.Log.checkpointKey(newest), newest)
	}
	if newest < e.next {
		e.due()
		return e.folded()
	}
	e.lost(Finding{Fault: MissingEntry, Key: e.Log.key(e.next), First: e.next, Last: newest,
		Err: fmt.Errorf("%s missing, but %s", entries(e.next, newest), why)})
	return e.lonely(ctx, newest)
}

// entries says in words which ones, and begins a sentence about them.
func entries(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("entry %d is", first)
	}
	return fmt.Sprintf("entries %d to %d are", first, last)
}

// folded errs where the log was trimmed under the examination, past the
// checkpoints that it knew.
func (e *examiner[S]) folded() error {
	if !e.adopted && !e.hidden {
		return fmt.Errorf("%s/log/ was trimmed while it was examined: examine it again", e.Log.prefix)
	}
	return nil
}

// due tells if the newest checkpoint that should have been made is not there.
func (e *examiner[S]) due() {
	every := e.Log.opts.CheckpointEvery
	n := e.out.Last / every * every
	if n == 0 || len(e.all) > 0 && e.all[len(e.all)-1] >= n {
		return
	}
	e.Found(Finding{Fault: MissingCheckpoint, Key: e.Log.checkpointKey(n),
		Err: fmt.Errorf("the log has entries up to %d, and no checkpoint at entry %d or later", e.out.Last, n)})
}
