package log

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"strandline/internal/objstore"
)

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
		if bad := state.UnmarshalBinary(c.State); bad != nil {
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

// same tells whether a folded state is the one that a checkpoint stored. Where
// the bytes differ, how an older program wrote them may be all that does: then
// what was read of them decides.
func same[S State](folded S, bytesStored []byte, stored S) bool {
	a, err := folded.AppendBinary(nil)
	if err != nil || bytes.Equal(a, bytesStored) {
		return err == nil
	}
	b, err := stored.AppendBinary(nil)
	return err == nil && bytes.Equal(a, b)
}
