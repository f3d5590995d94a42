package log

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"strandline/internal/objstore"
)

// The same, with checkpoints all along and a client that trims at once what it
// can, also with removals that are done long after it gave up.
func TestTheLogIsLinearizableWhileItIsTrimmed(t *testing.T) {
	linearizableOf(t, 300, func(*testing.T) objstore.Store { return objstore.NewMemory() }, newTrimmer)
}

func TestTheLogIsLinearizableWhileItIsTrimmedOverAFolder(t *testing.T) {
	linearizableOf(t, 20, func(t *testing.T) objstore.Store {
		folder, err := objstore.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return folder
	}, newLooker)
}

// The same where followers look for one entry after the other, as they do in a folder.
func TestTheLogIsLinearizableWhileItIsTrimmedAndLookedThrough(t *testing.T) {
	linearizableOf(t, 300, func(*testing.T) objstore.Store { return objstore.NewMemory() }, newLooker)
}

// The check is worth something: it finds out writers that believe that whatever
// they have written into a slot is in the log.
func TestTheCheckFindsWritersThatDoNotLookForCheckpoints(t *testing.T) {
	for seed := range uint64(500) {
		h := observe(t, objstore.NewMemory(), seed, func(id int, store Store, h *history) participant {
			c := newTrimmer(id, store, h).(*trimmer)
			c.believes = true
			return c
		})
		if h.check() == porcupine.Illegal {
			return
		}
	}
	t.Fatal("500 histories of a broken log all passed")
}

// trimmer is a client that follows the log; the first of them trims it.
type trimmer struct {
	id       int
	follower *Follower[*values]
	history  *history
	believes bool // that it was not fenced
	steps    int
}

func newTrimmer(id int, store Store, h *history) participant {
	l := New(store, "t", Options{Pause: giveUp(), CheckpointEvery: 2})
	l.abreast = 2
	return &trimmer{id: id, follower: Follow(l, func() *values { return &values{} }), history: h}
}

// looking is a store in which one key is found by reading it.
type looking struct{ Store }

var _ objstore.Looker = looking{}

func (s looking) Has(ctx context.Context, key string) (bool, error) {
	_, err := s.Read(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func newLooker(id int, store Store, h *history) participant {
	return newTrimmer(id, looking{store}, h)
}

// step appends after what it has seen, as Commit does; but it reads on only now
// and then, as a writer that slept in between.
func (c *trimmer) step(value string) error {
	if c.steps++; c.steps%3 > 0 {
		if err := c.read(); err != nil && !errors.Is(err, objstore.ErrFault) {
			return err
		}
	}
	ctx, head := context.Background(), headOf(c.follower)
	call := c.history.clock.Add(1)
	entry, err := c.follower.log.Append(ctx, head, value)
	told := answer{outcome: won, at: head.Number + 1}
	switch {
	case c.believes && errors.Is(err, ErrFenced):
	case errors.Is(err, ErrConflict), errors.Is(err, ErrFenced):
		told = answer{outcome: lost}
	case errors.Is(err, ErrUnknown):
		told = answer{outcome: unknown}
	case err != nil:
		return err
	default:
		if err := c.follower.apply(head, []Entry{entry}); err != nil {
			return err
		}
		c.follower.checkpoint(ctx, entry)
	}
	c.history.note(c.id, call, question{value: value, after: head.Number}, told)
	if c.id == 0 {
		return c.trim(ctx)
	}
	return nil
}

// trim goes on where faults have interrupted it, for some tries.
func (c *trimmer) trim(ctx context.Context) error {
	for range 8 {
		_, err := c.follower.log.Trim(ctx, Keep{From: math.MaxUint64})
		if !errors.Is(err, objstore.ErrFault) {
			return err
		}
	}
	return nil
}

func (c *trimmer) read() error {
	call := c.history.clock.Add(1)
	if err := c.follower.Refresh(context.Background()); err != nil {
		return err
	}
	c.follower.View(func(v *values, _ Head) {
		c.history.note(c.id, call, question{}, answer{list: strings.Join(v.List, " ")})
	})
	return nil
}
