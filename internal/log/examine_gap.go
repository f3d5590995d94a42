package log

import (
	"context"
	"fmt"
	"slices"
)

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
	e.oldest, err = number(listed[0].Key, entrySuffix)
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
