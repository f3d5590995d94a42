package log

import (
	"context"
	"errors"
	"fmt"
)

// At returns the state as it was at entry n, which must not be above the newest
// one, and that entry as a head. The state is the caller's own. It is folded from the newest checkpoint
// at or below n. ErrTrimmed if the log no longer tells it.
func (f *Follower[S]) At(ctx context.Context, n uint64) (S, Head, error) {
	for {
		state, head, err := f.below(ctx, n)
		for err == nil && head.Number < n {
			head, err = f.climb(ctx, state, head, n)
		}
		switch {
		case err == nil:
			return state, head, nil
		case !errors.Is(err, errRetry):
			return state, head, fmt.Errorf("fold entry %d of %s: %w", n, f.log.prefix, err)
		}
	}
}

// errRetry says that a trim has removed what a fold had begun with.
var errRetry = errors.New("trimmed while it was read")

// below returns the state to start from for that at n.
func (f *Follower[S]) below(ctx context.Context, n uint64) (S, Head, error) {
	oldest, err := f.log.Oldest(ctx)
	if err != nil || n == 0 {
		return f.empty(), Head{}, err
	}
	state, head, _, err := f.start(ctx, oldest, n+1)
	if err == nil && head.Number == 0 && oldest > 1 {
		err = fmt.Errorf("%w; the log begins with entry %d", ErrTrimmed, oldest)
	}
	return state, head, err
}

// climb folds some entries in, at most up to n, and returns the new head.
func (f *Follower[S]) climb(ctx context.Context, state S, head Head, n uint64) (Head, error) {
	entries, err := f.log.span(ctx, head, min(n, head.Number+pageSize))
	err = advised(f.log.judge(ctx, head.Number, err))
	if errors.Is(err, ErrTrimmed) {
		return head, errRetry
	}
	for _, e := range entries {
		if err == nil {
			err = state.Apply(e)
			head = e.Head()
		}
	}
	return head, err
}
