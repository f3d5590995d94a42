package log

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// checkpointFormat is the version of the checkpoints this program writes; it reads
// those from oldestFormat on. They differ in the seal, and in how the states are packed,
// which the states say themselves.
const (
	checkpointFormat = 5
	oldestFormat     = 2
)

// checkpointSuffix ends the names of checkpoints.
const checkpointSuffix = ".bin"

// checkpoint is the state folded from the entries up to Head. It is stored in
// <prefix>/checkpoints/<20 digits>.bin: its fields as one line of JSON, then the
// bytes of the state, and last the seal of all that.
type checkpoint struct {
	Format int `json:"format"`
	Head
	State []byte `json:"-"`
	tag   string // of the entry that it was made at
}

func (l *Log) checkpointKey(n uint64) string { return l.keyIn(checkpointFolder, n) }

func (l *Log) readCheckpoint(ctx context.Context, n uint64) (checkpoint, error) {
	object, err := l.store.Read(ctx, l.checkpointKey(n))
	if err != nil {
		return checkpoint{}, fmt.Errorf("read %s: %w", l.checkpointKey(n), err)
	}
	return l.decodeCheckpoint(object, n)
}

// decodeCheckpoint reads an object that should be checkpoint n. Its state is a
// part of object.
func (l *Log) decodeCheckpoint(object []byte, n uint64) (checkpoint, error) {
	var c checkpoint
	line, _, _ := bytes.Cut(object, []byte("\n"))
	if err := json.Unmarshal(line, &c); err != nil {
		return checkpoint{}, fmt.Errorf("%w: %s: its head is not what a checkpoint begins with", ErrCorrupt, l.checkpointKey(n))
	}
	if c.Format > checkpointFormat {
		return checkpoint{}, fmt.Errorf("%s is of format %d, this program reads up to %d: %w", l.checkpointKey(n), c.Format, checkpointFormat, ErrNewer)
	}
	whole, err := unsealRaw(c.Format, object)
	if err != nil {
		return checkpoint{}, fmt.Errorf("%w: %s: %v", ErrCorrupt, l.checkpointKey(n), err)
	}
	_, state, found := bytes.Cut(whole, []byte("\n"))
	if c.Number != n || c.Format < oldestFormat || !found {
		return checkpoint{}, fmt.Errorf("%w: %s does not hold checkpoint %d", ErrCorrupt, l.checkpointKey(n), n)
	}
	c.State = state
	return c, nil
}

// errAbsent says that a checkpoint, or the entry it was made at, is not there.
var errAbsent = fmt.Errorf("%w: an object is missing", ErrCorrupt)

// newestCheckpoint returns the newest checkpoint with first ≤ number < end, or
// false if there is none. It is ErrCorrupt if the log does not hold the entry
// that the checkpoint ends with: whoever appended after it would break the
// chain for all.
//
// A trim may remove a checkpoint between our listing and our reading it, once
// it is not needed any more. Then a new listing shows another, and that counts.
func (l *Log) newestCheckpoint(ctx context.Context, first, end uint64) (checkpoint, bool, error) {
	for tried := uint64(0); ; {
		listed, err := l.between(ctx, checkpointFolder, first, end)
		if err != nil || len(listed) == 0 {
			return checkpoint{}, false, err
		}
		n := listed[len(listed)-1].number
		c, err := l.readWhole(ctx, n)
		if err == nil || !errors.Is(err, errAbsent) || n == tried {
			return c, err == nil, err
		}
		tried = n
	}
}

// readWhole reads a checkpoint and looks that the log holds its entry.
func (l *Log) readWhole(ctx context.Context, n uint64) (checkpoint, error) {
	c, err := l.readCheckpoint(ctx, n)
	switch {
	case errors.Is(err, objstore.ErrNotFound):
		return c, fmt.Errorf("%w: %s was listed and is gone", errAbsent, l.checkpointKey(n))
	case errors.Is(err, ErrCorrupt):
		return c, fmt.Errorf("%w; a checkpoint only saves time while an older one is there, or all entries are: remove that object", err)
	case err != nil:
		return c, err
	}
	c.tag, err = l.heldAs(ctx, c.Head)
	switch {
	case errors.Is(err, errAbsent):
		return c, FromCopy(fmt.Errorf("%s was made at an entry that is not there: %w", l.checkpointKey(n), err))
	case errors.Is(err, ErrCorrupt):
		return c, FromCopy(fmt.Errorf("%s was made at another entry than is there: %w", l.checkpointKey(n), err))
	case err != nil:
		return c, fmt.Errorf("look at the entry that %s was made at: %w", l.checkpointKey(n), err)
	}
	return c, nil
}

// holds looks that head's entry is there: errAbsent if none is, ErrCorrupt if
// another is.
func (l *Log) holds(ctx context.Context, head Head) error {
	_, err := l.heldAs(ctx, head)
	return err
}

// heldAs is holds, and returns the entry's tag.
func (l *Log) heldAs(ctx context.Context, head Head) (tag string, err error) {
	object, err := l.store.Read(ctx, l.key(head.Number))
	if errors.Is(err, objstore.ErrNotFound) {
		return "", fmt.Errorf("%w: %s", errAbsent, l.key(head.Number))
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", l.key(head.Number), err)
	}
	if digest.OfBytes(object) != head.Digest {
		return "", fmt.Errorf("%w: %s is another entry than was known", ErrCorrupt, l.key(head.Number))
	}
	return objstore.TagOf(object), nil
}

// encodeCheckpoint writes down state as that of the entries up to head. It makes room for
// a little more than the checkpoint before had, so that a large state is not moved again
// and again while it is written.
func encodeCheckpoint(head Head, state encoding.BinaryAppender, before int64) ([]byte, error) {
	line, err := json.Marshal(checkpoint{Format: checkpointFormat, Head: head})
	var object []byte
	if err == nil {
		object = append(make([]byte, 0, int64(len(line))+before+before/8), line...)
		object, err = state.AppendBinary(append(object, '\n'))
	}
	if err != nil {
		return nil, fmt.Errorf("encode checkpoint %d: %w", head.Number, err)
	}
	return rawSeal(object), nil
}

// writeCheckpoint stores the checkpoint of entry n. That another process did
// so first is as good.
func (l *Log) writeCheckpoint(ctx context.Context, n uint64, object []byte) error {
	err := l.store.Create(ctx, l.checkpointKey(n), object)
	if err != nil && !errors.Is(err, objstore.ErrExists) {
		return fmt.Errorf("write %s: %w", l.checkpointKey(n), err)
	}
	return nil
}
