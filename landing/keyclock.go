package landing

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"strandline/internal/objstore"
)

// ErrNoClock says that the store's clock could not be read, by which keys are kept.
var ErrNoClock = errors.New("idempotency keys are kept by the store's clock, which can't be read now; land again later")

// keyClock is the store's clock, by which all writers keep and forget keys, whatever
// their own clocks say. It is read now and then; from then on time is counted by this
// process, which does not notice when its clock is set.
type keyClock struct {
	store objstore.Store
	own   func() time.Time

	mu    sync.Mutex
	at    time.Time // by the store's clock
	since time.Time // by the process's, at that moment
}

// What a reading of the clock is good for.
const (
	clockLife = time.Hour   // time is counted no longer than that
	clockJump = time.Minute // by which the process's clock was set, or the machine slept
)

// read reads the store's clock if it has not been read for long.
func (c *keyClock) read(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isFresh(c.own()) {
		return nil
	}
	at, err := objstore.Clock(ctx, c.store)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoClock, err)
	}
	c.at, c.since = at, c.own()
	return nil
}

func (c *keyClock) isFresh(now time.Time) bool {
	passed := now.Sub(c.since)
	jump := now.Round(0).Sub(c.since.Round(0)) - passed // Round leaves the time of day alone
	return !c.since.IsZero() && passed >= 0 && passed < clockLife && jump.Abs() < clockJump
}

// now is the store's time. The clock has been read.
func (c *keyClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at.Add(c.own().Sub(c.since)).UTC().Truncate(time.Microsecond)
}
