package compaction

import (
	"context"
	"errors"
	"fmt"

	"strandline/internal/condemn"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
)

// Compactor merges the small segments of one stream. Several may work on a
// stream at once, in any number of processes: of two that chose the same
// segments one yields.
type Compactor struct {
	Stream *landing.Stream
	Files  *localfile.Cache
	Limits Limits
	// Vouch holds what was published against the stream's landing log, as it must
	// be before segments are merged: afterwards the log alone can tell less of what
	// was read up to a position within a merged one. Its error ends it.
	Vouch func(ctx context.Context) error
	// Done, if not nil, is told each merge as it is done.
	Done func(Task, landing.Segment)
}

// Plan reads the landing log on and chooses what to merge.
func (c *Compactor) Plan(ctx context.Context) (tasks []Task, err error) {
	if err := c.Stream.Refresh(ctx); err != nil {
		return nil, err
	}
	c.Stream.View(func(s *landing.State) { tasks = Plan(s.Segments(), c.Limits) })
	return tasks, nil
}

// Run merges, one task after the other, until nothing is left that is worth it.
// A segment that is lost or damaged is left as it is, with the run it is part of,
// as is one whose merge a sweep removed before it was named; it is told in the
// error once the others are done. Any other error ends it at once. Whatever it is,
// what was merged stands, and running it again goes on.
func (c *Compactor) Run(ctx context.Context) error {
	vouched := false
	for {
		tasks, err := c.Plan(ctx)
		if err != nil || len(tasks) == 0 {
			return err
		}
		if !vouched {
			if err := c.Vouch(ctx); err != nil {
				return fmt.Errorf("compact stream %s: nothing is merged: %w", c.Stream.Spec().Stream, err)
			}
			vouched = true
		}
		if left, err := c.all(ctx, tasks); left != nil || err != nil {
			return errors.Join(err, left)
		}
	}
}

// all carries tasks out. What is wrong with segments is in left.
func (c *Compactor) all(ctx context.Context, tasks []Task) (left, err error) {
	for _, task := range tasks {
		merged, err := c.Stream.Compact(ctx, c.Files, task.Segments)
		switch {
		case errors.Is(err, landing.ErrOutrun): // another process does it
		case errors.Is(err, landing.ErrSegment), errors.Is(err, localfile.ErrDamaged), errors.Is(err, objstore.ErrNotFound), errors.Is(err, condemn.Err):
			left = errors.Join(left, err)
		case err != nil:
			return left, err
		case c.Done != nil:
			c.Done(task, merged)
		}
	}
	return left, nil
}
