package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"strandline/compaction"
	"strandline/internal/config"
	"strandline/landing"
	"strandline/runner"
)

func newCompact(a *app) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "compact [STREAM…]",
		Short: "Merge the small segments of streams into larger ones",
		Long: `Merge the small segments of the named streams, or of all. Many small arrivals
make many small files, and every recompute reads those of its partition; a merge
puts one file in the place of some that lie next to each other. It changes no
row, no position and no input digest, so nothing becomes stale by it, and every
receipt is as good as before.

Segments of 64 MiB or more stay as they are, and smaller ones wait until there are
some of a size, so that a row is rewritten a few times at most. It never stands in
the way of a landing, and may be stopped at any time; "strandline run" does it by
itself, as maintenance.compact says in strandline.yaml. The files that were
replaced stay until "strandline sweep" removes them.

Before anything is merged, what is published is held against the landing log, and
if they contradict each other nothing is (exit code 4). A damaged segment is left
as it is and named (exit code 1), and the others are merged.

With --json a merge is {"stream", "from", "to", "segments", "bytes"}: the positions
[from, to), and how many segments of how many bytes; once done, also the new "segment"
and its size, "bytes_now".`,
		Example: `  strandline compact --dry-run
  strandline compact events
  strandline compact --json    one object a merge`,
		Args: takes(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.compact(cmd.Context(), args, dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be merged, and do nothing")
	return cmd
}

func (a *app) compact(ctx context.Context, names []string, dryRun bool) (err error) {
	l, err := a.openLake(ctx, dryRun, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	streams, err := l.declared(names)
	if err != nil {
		return err
	}
	tasks, err := l.allTasks(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, s := range streams {
		c := l.compactor(s.Name, tasks)
		if dryRun {
			err = a.planMerges(ctx, s.Name, c)
		} else {
			err = a.merge(ctx, s.Name, c)
		}
		if ctx.Err() != nil {
			return errors.Join(append(failed, err)...)
		}
		failed = append(failed, err) // the other streams are no worse for it
	}
	return errors.Join(failed...)
}

// declared are the streams of these names, or all where none is named.
func (l *lake) declared(names []string) ([]config.Stream, error) {
	if len(names) == 0 {
		return l.config.Streams, nil
	}
	var streams []config.Stream
	for _, name := range names {
		s, err := l.config.Stream(name)
		if err != nil {
			return nil, err
		}
		streams = append(streams, s)
	}
	return streams, nil
}

// compactor returns one of a stream, which looks at the tables of those tasks
// that read it.
func (l *lake) compactor(stream string, tasks []*runner.Task) *compaction.Compactor {
	return &compaction.Compactor{
		Stream: l.streams[stream], Files: l.files, Limits: compaction.DefaultLimits,
		Vouch: func(ctx context.Context) error {
			var wrong []error
			for _, task := range tasks {
				if _, reads := task.Job().StreamInput(stream); reads {
					wrong = append(wrong, task.CheckHistory(ctx))
				}
			}
			return errors.Join(wrong...)
		},
	}
}

func (a *app) planMerges(ctx context.Context, stream string, c *compaction.Compactor) error {
	if err := c.Vouch(ctx); err != nil {
		return err
	}
	tasks, err := c.Plan(ctx)
	if err != nil {
		return err
	}
	for _, task := range tasks {
		fact := mergeOf(stream, task)
		if err := a.fact(fact, "%s\n", fact.plan()); err != nil {
			return err
		}
	}
	return a.nothingMerged(stream, len(tasks))
}

func (a *app) merge(ctx context.Context, stream string, c *compaction.Compactor) error {
	var done int
	var printing error
	c.Done = func(task compaction.Task, merged landing.Segment) {
		done++
		printing = errors.Join(printing, a.merged(stream, task, merged))
	}
	err := errors.Join(c.Run(ctx), printing)
	if err != nil {
		return err
	}
	return a.nothingMerged(stream, done)
}

// merged prints one merge that was done.
func (a *app) merged(stream string, task compaction.Task, merged landing.Segment) error {
	fact := mergeOf(stream, task)
	fact.Segment, fact.BytesNow = merged.ID, merged.Bytes
	return a.fact(fact, "%s, now %s\n", fact.plan(), count(int(fact.BytesNow), "byte"))
}

// nothingMerged says so to a person, who would see nothing.
func (a *app) nothingMerged(stream string, tasks int) error {
	if tasks == 0 && !a.json {
		a.print("%s: nothing to merge\n", stream)
	}
	return nil
}

// mergeFact is what --json says of one merge.
type mergeFact struct {
	Stream   string           `json:"stream"`
	From     landing.Position `json:"from"` // inclusive
	To       landing.Position `json:"to"`   // exclusive
	Segments int              `json:"segments"`
	Bytes    int64            `json:"bytes"` // of the segments that are merged
	// Segment is the one in their place, once it is there, and BytesNow its size.
	Segment  string `json:"segment,omitempty"`
	BytesNow int64  `json:"bytes_now,omitempty"`
}

func mergeOf(stream string, task compaction.Task) mergeFact {
	last := task.Segments[len(task.Segments)-1]
	return mergeFact{Stream: stream, From: task.Segments[0].Base, To: last.End(), Segments: len(task.Segments), Bytes: task.Bytes}
}

func (f mergeFact) plan() string {
	return fmt.Sprintf("%s: %s of positions [%d, %d) to one, %s", f.Stream, count(f.Segments, "segment"), f.From, f.To, count(int(f.Bytes), "byte"))
}
