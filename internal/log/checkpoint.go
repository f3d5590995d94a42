package log

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// checkpointFormat is the version of the checkpoints this program writes and
// reads. Those of format 1 were JSON, under other names: they are passed over.
const checkpointFormat = 2

// checkpointSuffix ends the names of checkpoints.
const checkpointSuffix = ".bin"

// checkpoint is the state folded from the entries up to Head. It is stored in
// <prefix>/checkpoints/<20 digits>.bin: its fields as one line of JSON, then the
// bytes of the state, and last the SHA-256 of all that.
type checkpoint struct {
	Format int `json:"format"`
	Head
	State []byte `json:"-"`
}

func (l *Log) checkpointKey(n uint64) string {
	return fmt.Sprintf("%s/checkpoints/%020d%s", l.prefix, n, checkpointSuffix)
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
			after = object.Key
			if strings.HasSuffix(object.Key, entrySuffix) {
				continue // of format 1
			}
			m, err := number(object.Key, checkpointSuffix)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, m)
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
	return l.decodeCheckpoint(object, n)
}

// decodeCheckpoint reads an object that should be checkpoint n. Its state is a
// part of object.
func (l *Log) decodeCheckpoint(object []byte, n uint64) (checkpoint, error) {
	var c checkpoint
	line, rest, _ := bytes.Cut(object, []byte("\n"))
	if err := json.Unmarshal(line, &c); err != nil {
		return checkpoint{}, fmt.Errorf("%w: %s: %v", ErrCorrupt, l.checkpointKey(n), err)
	}
	if c.Format > checkpointFormat {
		return checkpoint{}, fmt.Errorf("%s is of format %d, this program reads up to %d: %w", l.checkpointKey(n), c.Format, checkpointFormat, ErrNewer)
	}
	if err := checkRawSeal(object); err != nil {
		return checkpoint{}, fmt.Errorf("%w: %s: %v", ErrCorrupt, l.checkpointKey(n), err)
	}
	if c.Number != n || c.Format != checkpointFormat || len(rest) < len(digest.Hash{}) {
		return checkpoint{}, fmt.Errorf("%w: %s does not hold checkpoint %d", ErrCorrupt, l.checkpointKey(n), n)
	}
	c.State = rest[:len(rest)-len(digest.Hash{})]
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
func encodeCheckpoint(head Head, state encoding.BinaryAppender) ([]byte, error) {
	object, err := json.Marshal(checkpoint{Format: checkpointFormat, Head: head})
	if err == nil {
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
