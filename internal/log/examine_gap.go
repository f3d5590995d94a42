package log

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"strandline/internal/objstore"
)

// begin learns from the records of trims where the log begins.
func (e *examiner[S]) begin(ctx context.Context) error {
	e.oldest = 1
	err := e.listAll(ctx, trimFolder, func(ctx context.Context, numbers []uint64) error {
		for _, n := range numbers {
			e.trim(ctx, n)
		}
		return ctx.Err()
	})
	e.begun = e.oldest
	e.startAt(e.oldest)
	return err
}

// startAt has the log begin with entry n. Only before the first is the state known.
func (e *examiner[S]) startAt(n uint64) {
	e.next = n
	e.chained, e.adopted, e.out.Known = n == 1, n == 1, n == 1
}

// trim examines the record of a trim. The newest says where the log begins.
func (e *examiner[S]) trim(ctx context.Context, n uint64) {
	key := e.Log.keyIn(trimFolder, n)
	r, err := e.Log.readTrim(ctx, n)
	switch {
	case err == nil:
		e.oldest = r.Oldest
	case ctx.Err() != nil || errors.Is(err, objstore.ErrNotFound): // removed meanwhile, since there is a newer one
	case errors.Is(err, ErrNewer):
		e.oldest = 0
		e.Found(Finding{Fault: NewerFormat, Key: key, Err: err})
	case errors.Is(err, ErrCorrupt):
		e.oldest = 0
		e.Found(Finding{Fault: DamagedTrim, Key: key, Err: err})
	default:
		e.oldest = 0
		e.Found(Finding{Fault: Unreadable, Key: key, Err: err})
	}
}

// superfluous tells of the first entry that lies below where the log began when
// the examination did.
func (e *examiner[S]) superfluous(n uint64) {
	if n < e.begun && e.below == 0 {
		e.Found(Finding{Fault: UnfinishedTrim, Key: e.Log.key(n), First: n, Last: e.begun - 1,
			Err: fmt.Errorf("entry %d is there, and the log was trimmed below entry %d", n, e.begun)})
	}
	e.below++
}

// trimmed tells whether entry n has been trimmed since the examination began,
// and then goes on at the entry where the log begins now.
func (e *examiner[S]) trimmed(ctx context.Context, n uint64) (bool, error) {
	if e.oldest == 0 {
		return false, nil
	}
	oldest, err := e.Log.Oldest(ctx)
	if err != nil || oldest <= n {
		return false, err
	}
	e.oldest, e.out.First = oldest, 0
	e.startAt(oldest)
	return true, nil
}

// gap looks at what lies between the entry that should come and n, the next
// that is there. A listing may miss what was made while it ran; a new one
// does not.
func (e *examiner[S]) gap(ctx context.Context, n uint64) error {
	if e.next == 0 { // nobody can tell where the log begins
		e.startAt(n)
	}
	for e.next < n {
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
	if trimmed, err := e.trimmed(ctx, e.next); err != nil || trimmed && e.next >= n {
		return err
	}
	return e.missing(ctx, n-1)
}

// missing tells that the entries from next to last are not there, and takes up
// the state again from the newest checkpoint that was made at one of them.
func (e *examiner[S]) missing(ctx context.Context, last uint64) error {
	f := Finding{Fault: MissingEntry, Key: e.Log.key(e.next), First: e.next, Last: last,
		Err: fmt.Errorf("%s missing, but later ones exist", entries(e.next, last))}
	if e.out.First == 0 && slices.Contains(e.all, last+1) { // as a trim leaves it
		f.Fault, f.Key = MissingTrim, e.Log.prefix+"/trims/"
		f.Err = fmt.Errorf("the log begins with entry %d and the checkpoint made at it, as a trim leaves it, and the record of that trim is not there; or it was not trimmed, and %s lost", last+1, entries(e.next, last))
	}
	e.lost(f)
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

// finish looks at what is known to have been there beyond the last entry.
func (e *examiner[S]) finish(ctx context.Context) error {
	e.next = max(e.next, 1)
	newest, why := e.shown, "it was listed a moment ago"
	if n := len(e.all); n > 0 && e.all[n-1] > newest {
		newest = e.all[n-1]
		why = fmt.Sprintf("%s was made at entry %d", e.Log.checkpointKey(newest), newest)
	}
	if newest < e.next {
		if !e.adopted && !e.hidden {
			return e.baseless()
		}
		return errors.Join(e.due(ctx), e.spare(ctx))
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

// baseless tells that no checkpoint is there to fold a trimmed log from. It errs where
// the log was trimmed under the examination, past the checkpoints that it knew.
func (e *examiner[S]) baseless() error {
	if e.oldest != e.begun {
		return fmt.Errorf("%s/log/ was trimmed while it was examined: %w; examine it again", e.Log.prefix, ErrTrimmed)
	}
	first := cmp.Or(e.out.First, e.oldest) // none may be there at all
	e.lost(Finding{Fault: MissingBase, Key: e.Log.checkpointKey(first), First: first, Last: max(first, e.out.Last),
		Err: fmt.Errorf("the log begins with entry %d, and no checkpoint is there to fold it from", first)})
	return nil
}

// spare tells if a trimmed log has one checkpoint alone: a trim leaves two, so that
// the log can be opened though one of them is lost.
func (e *examiner[S]) spare(ctx context.Context) error {
	if e.oldest <= 1 || len(e.all) != 1 {
		return nil
	}
	listed, err := e.Log.between(ctx, checkpointFolder, 1, math.MaxUint64) // others may be there by now
	if err != nil || len(listed) != 1 {
		return err
	}
	lost := e.oldest
	if listed[0].number == lost { // the newer one, which due told
		return nil
	}
	e.Found(Finding{Fault: MissingCheckpoint, Key: e.Log.checkpointKey(lost),
		Err: fmt.Errorf("the log was trimmed below entry %d, which leaves two checkpoints, and only %s is there", lost, listed[0].Key)})
	return nil
}

// due tells if the checkpoint is not there that should follow the newest one.
func (e *examiner[S]) due(ctx context.Context) error {
	var newest object
	if n := len(e.all); n > 0 {
		listed, err := e.Log.between(ctx, checkpointFolder, e.all[n-1], e.all[n-1]+1)
		if err != nil {
			return err
		}
		if len(listed) == 0 {
			return nil // trimmed meanwhile, so there are newer ones
		}
		newest = listed[0]
	}
	every := e.Log.opts.CheckpointEvery
	if n := e.out.Last / every * every; e.Log.dueAfter(newest) <= n { // it is due till it is made
		e.Found(Finding{Fault: MissingCheckpoint, Key: e.Log.checkpointKey(n),
			Err: fmt.Errorf("the log has entries up to %d, and no checkpoint at entry %d or later", e.out.Last, n)})
	}
	return nil
}
