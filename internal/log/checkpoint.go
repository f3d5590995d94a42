package log

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// checkpoint is the state folded from the entries up to Head, as it is stored
// in <prefix>/checkpoints/<20 digits>.json.
type checkpoint struct {
	Format int `json:"format"`
	Head
	State json.RawMessage `json:"state"`
}

func (l *Log) checkpointKey(n uint64) string {
	return fmt.Sprintf("%s/checkpoints/%020d.json", l.prefix, n)
}

// checkpointsAfter lists the numbers of the checkpoints above n, ascending.
func (l *Log) checkpointsAfter(ctx context.Context, n uint64) ([]uint64, error) {
	var numbers []uint64
	for after := l.checkpointKey(n); ; {
		listed, err := l.store.List(ctx, l.prefix+"/checkpoints/", after, pageSize)
		if err != nil {
			return nil, fmt.Errorf("list %s/checkpoints/: %w", l.prefix, err)
		}
		for _, object := range listed {
			m, err := number(object.Key)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, m)
			after = object.Key
		}
		if len(listed) < pageSize {
			return numbers, nil
		}
	}
}

func (l *Log) readCheckpoint(ctx context.Context, n uint64) (checkpoint, error) {
	object, err := l.store.Read(ctx, l.checkpointKey(n))
	if err != nil {
		return checkpoint{}, fmt.Errorf("read %s: %w", l.checkpointKey(n), err)
	}
	var c checkpoint
	if err := json.Unmarshal(object, &c); err != nil {
		return checkpoint{}, fmt.Errorf("%w: %s: %v", ErrCorrupt, l.checkpointKey(n), err)
	}
	if c.Format > Format {
		return checkpoint{}, fmt.Errorf("%s is of format %d, this program reads up to %d: %w", l.checkpointKey(n), c.Format, Format, ErrNewer)
	}
	if err := checkSeal(object); err != nil {
		return checkpoint{}, fmt.Errorf("%w: %s: %v", ErrCorrupt, l.checkpointKey(n), err)
	}
	if c.Number != n || c.Format < 1 {
		return checkpoint{}, fmt.Errorf("%w: %s does not hold checkpoint %d", ErrCorrupt, l.checkpointKey(n), n)
	}
	return c, nil
}

// latestCheckpoint returns the newest checkpoint, or false if there is none. It
// is ErrCorrupt if the log does not hold the entry that the checkpoint ends
// with: whoever appended after it would break the chain for all.
func (l *Log) latestCheckpoint(ctx context.Context) (checkpoint, bool, error) {
	numbers, err := l.checkpointsAfter(ctx, 0)
	if err != nil || len(numbers) == 0 {
		return checkpoint{}, false, err
	}
	c, err := l.readCheckpoint(ctx, numbers[len(numbers)-1])
	if errors.Is(err, ErrCorrupt) {
		err = fmt.Errorf("%w; a checkpoint only saves time: remove that object", err)
	}
	if err == nil {
		err = l.holds(ctx, c.Head)
	}
	return c, err == nil, err
}

func (l *Log) holds(ctx context.Context, head Head) error {
	object, err := l.store.Read(ctx, l.key(head.Number))
	if errors.Is(err, objstore.ErrNotFound) {
		return fmt.Errorf("%w: %s is missing, but %s exists", ErrCorrupt, l.key(head.Number), l.checkpointKey(head.Number))
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", l.key(head.Number), err)
	}
	if digest.OfBytes(object) != head.Digest {
		return fmt.Errorf("%w: %s is not the entry that %s was made at", ErrCorrupt, l.key(head.Number), l.checkpointKey(head.Number))
	}
	return nil
}

// encodeCheckpoint writes down state as that of the entries up to head.
func encodeCheckpoint(head Head, state any) ([]byte, error) {
	inner, err := json.Marshal(state)
	if err != nil {
		return nil, fmt.Errorf("encode checkpoint %d: %w", head.Number, err)
	}
	object, err := json.Marshal(checkpoint{Format: Format, Head: head, State: inner})
	if err != nil {
		return nil, fmt.Errorf("encode checkpoint %d: %w", head.Number, err)
	}
	return seal(object), nil
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
