package log

import (
	"context"
	"math"
)

const (
	// perInterval is how many bytes of state pay for one interval of
	// CheckpointEvery entries: each entry then carries some 50 kB of checkpoint.
	// most. A tail of entries costs an opening more than its share of so many bytes.
	perInterval = 16 << 20
	// farthest is how many entries lie between two checkpoints at most, unless
	// CheckpointEvery says more, so that opening stays bounded whatever the state.
	farthest = 1000
)

// interval is how many entries may follow a checkpoint of so many bytes.
func (l *Log) interval(bytes int64) uint64 {
	every := l.opts.CheckpointEvery
	return every * min(1+uint64(bytes)/perInterval, max(1, farthest/every))
}

// dueAfter is the entry at which the checkpoint after c is due; that after the
// zero object is the first one.
func (l *Log) dueAfter(c object) uint64 {
	every := l.opts.CheckpointEvery
	return (c.number + l.interval(c.Size)) / every * every
}

// isDue tells whether whoever wrote entry n should make a checkpoint of it, and how many
// bytes the one before has, 0 if there is none. All writers judge by what the store has,
// so they agree; and where the one whose turn it was died, the next one finds it due
// still.
func (l *Log) isDue(ctx context.Context, n uint64) (due bool, before int64) {
	if n%l.opts.CheckpointEvery != 0 {
		return false, 0
	}
	listed, err := l.between(ctx, checkpointFolder, n-min(n, l.interval(math.MaxInt64))+1, n)
	if err != nil {
		return false, 0
	}
	var newest object
	if len(listed) > 0 {
		newest = listed[len(listed)-1]
	}
	return n >= l.dueAfter(newest), newest.Size
}
