package log

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"math"
	"sync"

	"strandline/internal/objstore"
)

// State is what a log's entries fold to. Apply must leave the state as it was
// when it errs. Checkpoints hold what AppendBinary makes, and UnmarshalBinary
// must make the same state of it; it may keep the bytes, which nobody changes.
type State interface {
	Apply(Entry) error
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// Follower keeps the state of one log as of the newest entry it has read, and
// commits by the only right loop: read on, decide, append, and decide anew if
// another writer was first, or if the log was trimmed over our head. It is safe for concurrent use.
type Follower[S State] struct {
	log   *Log
	empty func() S
	anew  func(why error) // of FollowAnew, else nil

	commits sync.Mutex // one commit at a time: our own would only conflict
	opening sync.Mutex // one opening at a time: the second has the first one's

	mu     sync.RWMutex // guards what follows; never held over a store call
	state  S
	head   Head
	tag    string // as the store lists head's entry; "" where that is not known
	listed bool   // a listing has shown that nothing was missing up to head
	opened bool
}

// Follow returns a follower that has read nothing yet. empty makes the state
// of a log without entries.
func Follow[S State](l *Log, empty func() S) *Follower[S] {
	return &Follower[S]{log: l, empty: empty, state: empty()}
}

// FollowAnew returns a follower of a log that may lose its newest entries and go on without them: where it
// has read what is not there, or not as it was, it takes the log as it is by now, from the beginning, and tells
// anew why. What is wrong with the log by itself stays an error.
func FollowAnew[S State](l *Log, empty func() S, anew func(why error)) *Follower[S] {
	f := Follow(l, empty)
	f.anew = anew
	return f
}

// Log returns the log that is followed.
func (f *Follower[S]) Log() *Log { return f.log }

// View calls fn with the state as last read. fn must neither change nor keep it.
func (f *Follower[S]) View(fn func(S, Head)) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	fn(f.state, f.head)
}

// Refresh reads what others have appended. Where that was trimmed before we came
// to read it, it starts from the newest checkpoint again.
func (f *Follower[S]) Refresh(ctx context.Context) error {
	if err := f.Open(ctx); err != nil {
		return err
	}
	err := f.refresh(ctx)
	if f.anew != nil && errors.Is(err, ErrCorrupt) {
		return f.begin(ctx, err)
	}
	return err
}

// begin takes the log as it is by now in place of what was read of it, which it contradicts, for the reason why.
func (f *Follower[S]) begin(ctx context.Context, why error) error {
	now := Follow(f.log, f.empty)
	if err := now.Refresh(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	f.state, f.head, f.tag, f.listed = now.state, now.head, now.tag, now.listed
	f.mu.Unlock()
	f.anew(why)
	return nil
}

func (f *Follower[S]) refresh(ctx context.Context) error {
	for {
		head, entries, err := f.readOn(ctx)
		if err == nil {
			return f.apply(head, entries)
		}
		if errors.Is(err, ErrTrimmed) {
			err = f.leap(ctx, head, err)
		}
		if err != nil {
			return err
		}
	}
}

// readOn returns the entries after the newest that was read, and that one.
func (f *Follower[S]) readOn(ctx context.Context) (head Head, entries []Entry, err error) {
	f.mu.RLock()
	head, tag, listed := f.head, f.tag, f.listed
	f.mu.RUnlock()
	if listed && f.log.looker != nil {
		entries, err = f.log.lookAfter(ctx, head)
		return head, entries, err
	}
	entries, err = f.log.readAfter(ctx, head, func(own objstore.Object) error {
		if own.Tag != "" && own.Tag == tag || f.log.looker != nil { // which lists only what it has opened a moment ago
			return nil
		}
		err := f.log.isStill(ctx, head)
		if err == nil {
			f.listedAs(head, own.Tag)
		}
		return err
	})
	return head, entries, err
}

// listedAs keeps how the store lists the entry of head, which may be in a way of its own.
func (f *Follower[S]) listedAs(head Head, tag string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.head == head {
		f.tag = tag
	}
}

// Open reads the newest checkpoint, if nothing was read yet.
func (f *Follower[S]) Open(ctx context.Context) error {
	if f.isOpen() {
		return nil
	}
	f.opening.Lock()
	defer f.opening.Unlock()
	if f.isOpen() {
		return nil
	}
	state, head, tag, err := f.start(ctx, 1, math.MaxUint64)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state, f.head, f.tag, f.opened = state, head, tag, true
	return nil
}

func (f *Follower[S]) isOpen() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.opened
}

// start returns the state of the newest checkpoint with first ≤ number < end, or
// that of an empty log, with the zero Head, if there is none; and the tag of its entry.
func (f *Follower[S]) start(ctx context.Context, first, end uint64) (S, Head, string, error) {
	state := f.empty()
	c, found, err := f.log.newestCheckpoint(ctx, first, end)
	if err != nil || !found {
		return state, Head{}, "", err
	}
	if err := state.UnmarshalBinary(c.State); err != nil {
		return state, Head{}, "", fmt.Errorf("%w: checkpoint %d of %s: %v", ErrCorrupt, c.Number, f.log.prefix, err)
	}
	return state, c.Head, c.tag, nil
}

// leap goes on to the newest checkpoint, which must be above from, since the way
// there on foot is closed, for the reason why.
func (f *Follower[S]) leap(ctx context.Context, from Head, why error) error {
	state, head, tag, err := f.start(ctx, from.Number+1, math.MaxUint64)
	if err != nil {
		return err
	}
	if head.Number == 0 {
		return fmt.Errorf("%w: no checkpoint of %s is above entry %d (%v): bring %s/checkpoints/ back from a copy", ErrCorrupt, f.log.prefix, from.Number, why, f.log.prefix)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.head.Number < head.Number {
		f.state, f.head, f.tag, f.listed = state, head, tag, false
	}
	return nil
}

// apply folds in the entries that were read after one; those that a concurrent Refresh
// has folded already are passed over.
func (f *Follower[S]) apply(after Head, entries []Entry) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range entries {
		follows := after
		after = e.Head()
		if e.Number <= f.head.Number {
			continue
		}
		if follows != f.head {
			return fmt.Errorf("%w: %s follows another entry than was read meanwhile", ErrCorrupt, f.log.key(e.Number))
		}
		if err := f.state.Apply(e); err != nil {
			return fmt.Errorf("apply entry %d of %s: %w", e.Number, f.log.prefix, err)
		}
		f.head, f.tag = after, e.tag
	}
	f.listed = f.listed || f.head == after // else another has leapt on meanwhile
	return nil
}

// Commit appends what decide makes of the newest state, trying again with a
// newer one whenever another writer was first. decide returns a nil body if
// there is nothing to commit; then the Entry is zero. decide may be called
// several times and must not change the state. An error of decide ends it.
func (f *Follower[S]) Commit(ctx context.Context, decide func(S) (body any, err error)) (Entry, error) {
	f.commits.Lock()
	defer f.commits.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return Entry{}, err
		}
		if err := f.Refresh(ctx); err != nil {
			return Entry{}, err
		}
		var body any
		var head Head
		var err error
		f.View(func(s S, h Head) { body, err = decide(s); head = h })
		if err != nil || body == nil {
			return Entry{}, err
		}
		entry, err := f.log.Append(ctx, head, body)
		if errors.Is(err, ErrConflict) {
			continue
		}
		if errors.Is(err, ErrFenced) && f.leap(ctx, head, err) == nil {
			continue
		}
		if err != nil {
			return Entry{}, err
		}
		if err := f.apply(head, []Entry{entry}); err != nil {
			return entry, err
		}
		f.checkpoint(ctx, entry)
		return entry, nil
	}
}

// checkpoint stores the state if a checkpoint is due. Its error has nobody to go
// to: the commit stands either way, and the next writer whose turn it is makes
// the next one.
func (f *Follower[S]) checkpoint(ctx context.Context, e Entry) {
	due, before := f.log.isDue(ctx, e.Number)
	if !due {
		return
	}
	f.mu.RLock()
	head := f.head
	object, err := encodeCheckpoint(head, f.state, before)
	f.mu.RUnlock()
	if err == nil && head.Number == e.Number { // else others went on, and theirs is the next
		_ = f.log.writeCheckpoint(ctx, head.Number, object)
	}
}
