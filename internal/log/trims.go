package log

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"strandline/internal/objstore"
)

// trimRecord is what a trim writes down before it removes anything, in
// <prefix>/trims/<20 digits>.json. Records are numbered 1, 2, 3 …, and made if
// absent, so trims follow one another: each knows what those before it remove,
// also one that is asleep and will go on.
type trimRecord struct {
	Format int    `json:"format"`
	Number uint64 `json:"number"`
	// Oldest is the oldest entry that is still the log's. Entries below it are
	// removed, or will be.
	Oldest uint64 `json:"oldest"`
	// Checkpoints are removed, too, besides those below Oldest.
	Checkpoints []uint64  `json:"checkpoints,omitempty"`
	At          time.Time `json:"at"` // the trimmer's clock, for people
}

// past is the record of a trim before ours, with the object that holds it.
type past struct {
	trimRecord
	object
}

// readTrims returns the records that are there, ascending.
func (l *Log) readTrims(ctx context.Context) ([]past, error) {
	listed, err := l.between(ctx, trimFolder, 1, math.MaxUint64)
	if err != nil {
		return nil, err
	}
	var records []past
	for _, row := range listed {
		r, err := l.readTrim(ctx, row.number)
		if errors.Is(err, objstore.ErrNotFound) {
			continue // removed meanwhile, since it needs no memory any more
		}
		if err != nil {
			return nil, advised(err)
		}
		records = append(records, past{r, row})
	}
	return records, nil
}

func (l *Log) readTrim(ctx context.Context, n uint64) (trimRecord, error) {
	key := l.keyIn(trimFolder, n)
	object, err := l.store.Read(ctx, key)
	if err != nil {
		return trimRecord{}, fmt.Errorf("read %s: %w", key, err)
	}
	return decodeTrim(object, key, n)
}

func decodeTrim(object []byte, key string, n uint64) (trimRecord, error) {
	var r trimRecord
	if err := json.Unmarshal(object, &r); err != nil {
		return r, fmt.Errorf("%w: %s: %v", ErrCorrupt, key, err)
	}
	if r.Format > Format {
		return r, fmt.Errorf("%s is of format %d, this program reads up to %d: %w", key, r.Format, Format, ErrNewer)
	}
	if err := checkSeal(object); err != nil {
		return r, fmt.Errorf("%w: %s: %v", ErrCorrupt, key, err)
	}
	if r.Number != n || r.Format < 1 || r.Oldest < 1 {
		return r, fmt.Errorf("%w: %s does not hold trim %d", ErrCorrupt, key, n)
	}
	return r, nil
}

// record makes a trim known to all. ErrConflict if another was first.
func (l *Log) record(ctx context.Context, r trimRecord) error {
	object, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode trim %d of %s: %w", r.Number, l.prefix, err)
	}
	err = l.store.Create(ctx, l.keyIn(trimFolder, r.Number), seal(object))
	if errors.Is(err, objstore.ErrExists) {
		err = ErrConflict
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", l.keyIn(trimFolder, r.Number), err)
	}
	return nil
}

// Oldest returns the number of the oldest entry that is still the log's: 1 if
// it was never trimmed. What lies below is left of a trim that was interrupted,
// or was put there by a writer that slept over one.
func (l *Log) Oldest(ctx context.Context) (uint64, error) {
	for {
		listed, err := l.between(ctx, trimFolder, 1, math.MaxUint64)
		if err != nil || len(listed) == 0 {
			return 1, err
		}
		r, err := l.readTrim(ctx, listed[len(listed)-1].number)
		if errors.Is(err, objstore.ErrNotFound) {
			continue // removed, since there is a newer one
		}
		return r.Oldest, advised(err)
	}
}

// judge says what became of reading what follows entry n: ErrTrimmed if the log
// begins above n by now.
//
// A trim is recorded before it removes anything, so that explains what is
// missing. And that it is not so after reading shows that no slot was free till
// then: a slow reader may come upon an entry that a slow writer has put into
// the slot of the one that was listed there.
func (l *Log) judge(ctx context.Context, n uint64, trouble error) error {
	if trouble != nil && !errors.Is(trouble, ErrCorrupt) {
		return trouble
	}
	oldest, err := l.trimmedAbove(ctx, max(n, 1), trouble)
	if oldest == 0 {
		return err
	}
	return fmt.Errorf("%s: %w; the log begins with entry %d", l.key(max(n, 1)), ErrTrimmed, oldest)
}

// trimmedAbove returns the oldest entry if it is above n, which explains trouble
// with n; else 0 and the trouble.
func (l *Log) trimmedAbove(ctx context.Context, n uint64, trouble error) (uint64, error) {
	oldest, err := l.Oldest(ctx)
	switch {
	case err != nil: // and not the trouble, whose cause can't be told
		return 0, fmt.Errorf("look what was trimmed: %w", err)
	case oldest <= n:
		return 0, trouble
	}
	return oldest, nil
}
