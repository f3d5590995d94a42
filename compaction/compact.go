package compaction

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	return c.plan(ctx, nil)
}

// plan leaves segments out by their ids.
func (c *Compactor) plan(ctx context.Context, leftOut map[string]bool) (tasks []Task, err error) {
	if err := c.Stream.Refresh(ctx); err != nil {
		return nil, err
	}
	c.Stream.View(func(s *landing.State) {
		tasks = Plan(slices.DeleteFunc(s.Segments(), func(g landing.Segment) bool { return leftOut[g.ID] }), c.Limits)
	})
	return tasks, nil
}

// Run merges, one task after the other, until nothing is left that is worth it.
// A segment that is lost or damaged is left as it is, and told in the error once
// all others are merged; so are those whose merge a sweep removed before it was
// named. Any other error ends it at once. Whatever it is, what was merged stands,
// and running it again goes on.
func (c *Compactor) Run(ctx context.Context) error {
	vouched := false
	var left error
	leftOut := map[string]bool{}
	for {
		tasks, err := c.plan(ctx, leftOut)
		if err != nil || len(tasks) == 0 {
			return errors.Join(err, left)
		}
		if !vouched {
			if err := c.Vouch(ctx); err != nil {
				return fmt.Errorf("compact stream %s: nothing is merged: %w", c.Stream.Spec().Stream, err)
			}
			vouched = true
		}
		for _, task := range tasks {
			wrong, err := c.merge(ctx, task, leftOut)
			left = errors.Join(left, wrong)
			if err != nil {
				return errors.Join(err, left)
			}
		}
	}
}

// merge carries out one task. What is wrong with segments is in wrong, and they are
// left out from then on.
func (c *Compactor) merge(ctx context.Context, task Task, leftOut map[string]bool) (wrong, err error) {
	merged, err := c.Stream.Compact(ctx, c.Files, task.Segments)
	switch {
	case errors.Is(err, landing.ErrOutrun): // another process does it
	case errors.Is(err, condemn.Err):
		leaveOut(task.Segments, leftOut)
		return err, nil
	case errors.Is(err, landing.ErrSegment), unfit(err):
		return c.unfit(ctx, task, err, leftOut)
	case err != nil:
		return nil, err
	case c.Done != nil:
		c.Done(task, merged)
	}
	return nil, nil
}

// unfit tells which segments of a task are lost or damaged, and leaves these out. If
// it is none, what is wrong is in the rows of one, and all are left out.
func (c *Compactor) unfit(ctx context.Context, task Task, found error, leftOut map[string]bool) (wrong, err error) {
	for i, segment := range task.Segments {
		_, release, err := c.Stream.Fetch(ctx, c.Files, task.Segments[i:i+1])
		switch {
		case err == nil:
			release()
		case unfit(err):
			leftOut[segment.ID] = true
			wrong = errors.Join(wrong, fmt.Errorf("compact positions [%d, %d) of stream %s: %w", segment.Base, segment.End(), c.Stream.Spec().Stream, err))
		default:
			return wrong, err
		}
	}
	if wrong == nil {
		leaveOut(task.Segments, leftOut)
		wrong = found
	}
	return wrong, nil
}

func unfit(err error) bool {
	return errors.Is(err, localfile.ErrDamaged) || errors.Is(err, objstore.ErrNotFound)
}

func leaveOut(segments []landing.Segment, leftOut map[string]bool) {
	for _, segment := range segments {
		leftOut[segment.ID] = true
	}
}
