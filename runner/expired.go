package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// ErrIncomplete says that a rebuild would drop partitions that are published
// and can't be computed again, since raw rows of them have expired.
var ErrIncomplete = errors.New("a rebuild would lose what can't be computed again")

// complete is ErrIncomplete if a rebuild by the plan would leave partitions out.
func complete(plan window.Plan) error {
	if len(plan.Left) == 0 {
		return nil
	}
	return fmt.Errorf("rebuild table %s: %w: raw rows of %d of %d partitions have expired, the first is %s; declare the changed job under another name, and keep this table as it is",
		plan.Job.Name, ErrIncomplete, len(plan.Left), len(plan.Left)+len(plan.Tasks), plan.Left[0].Partition)
}

// warn adds to an error that urges a rebuild that it would be refused, if it would.
func (t *Task) warn(ctx context.Context, err error) error {
	if !errors.Is(err, manifests.ErrNeedsRebuild) {
		return err
	}
	_, refused := t.Plan(ctx, Request{Driver: manifests.DriverBackfill, Rebuild: true})
	if !errors.Is(refused, ErrIncomplete) {
		return err
	}
	return fmt.Errorf("%w, which would be refused: %w", err, refused)
}

// leave begins a report with the partitions that the plan had to leave out.
func (r *Report) leave(done func(Outcome)) {
	for _, s := range r.Plan.Left {
		r.Outcomes = append(r.Outcomes, left(s))
		if done != nil {
			done(left(s))
		}
	}
}

// left is the outcome of a partition that was asked for and can't be computed.
func left(s window.Status) Outcome {
	return Outcome{
		Partition: s.Partition, Input: s.Input, Expired: s.Expired, left: true,
		Err: fmt.Errorf("%w: %s", landing.ErrExpired, s.Gone()),
	}
}

// tellLeft tells of each partition that the stream leaves out, once for each
// input that it would be computed from.
func (f *follower) tellLeft(plan window.Plan, o StreamOptions) {
	for _, s := range plan.Left {
		f.tellOnce(s, left(s), plan, o)
	}
}

// tellOnce tells what becomes of a partition that is not computed, once for an input.
func (f *follower) tellOnce(s window.Status, out Outcome, plan window.Plan, o StreamOptions) {
	if told, known := f.left[s.String()]; !known || told != s.Input.Digest {
		f.left[s.String()] = s.Input.Digest
		o.Done(plan.Job.Name, out)
	}
}

// Expiry is what became, or would become, of a stream's oldest raw rows.
type Expiry struct {
	landing.Expiry
	// Needed is where rows are still needed from, and by which Job. Its For is
	// nil where that holds back none.
	Needed window.Needed
	Job    string
	// Pending counts the rejects that go with the rows and have not landed again.
	Pending int64
	// Freed are the files of a planned expiry, which nothing would name any more.
	Freed []string
}

// ExpireRaw lets the oldest raw rows of a stream go: what keep says and no
// task, of those that read the stream, needs any more. It is refused with
// window.ErrHistory where a table contradicts the landing log. What it removes
// is named by nothing afterwards, and a sweep's to delete. Many segments take
// several calls; the last lets no row go.
func ExpireRaw(ctx context.Context, stream *landing.Stream, keep landing.Retain, now time.Time, tasks []*Task) (Expiry, error) {
	var e Expiry
	readers, err := readersOf(ctx, stream, tasks)
	if err != nil {
		return e, err
	}
	gone, err := stream.Expire(ctx, keep, now, func(s *landing.State) (landing.Position, error) {
		if e, err = readers.need(s, keep, now); err == nil {
			e.Pending = s.PendingOf(s.Expirable(keep, now, e.below()))
		}
		return e.below(), err
	})
	e.Expiry = gone
	return e, err
}

// PlanExpiry tells what ExpireRaw would do now, and does nothing.
func PlanExpiry(ctx context.Context, stream *landing.Stream, keep landing.Retain, now time.Time, tasks []*Task) (Expiry, error) {
	var e Expiry
	readers, err := readersOf(ctx, stream, tasks)
	if err != nil {
		return e, err
	}
	if err := stream.Refresh(ctx); err != nil {
		return e, err
	}
	stream.View(func(s *landing.State) {
		if e, err = readers.need(s, keep, now); err == nil {
			e.Expiry = s.Expirable(keep, now, e.below())
			e.Freed, e.Pending = s.Freed(e.Expiry), s.PendingOf(e.Expiry)
		}
	})
	return e, err
}

// below is the position up to which rows may go.
func (e Expiry) below() landing.Position {
	if e.Needed.For == nil {
		return math.MaxInt64
	}
	return e.Needed.From
}

// reader is a task that reads a stream.
type reader struct {
	task *Task
	in   window.Input
	// table is the task's as it was before the stream is looked at: so it can't be ahead
	// of the log.
	table *manifests.Snapshot
	// before is how the partitions of a task with other inputs stood before the stream is
	// looked at, and seen up to where the stream's rows were known by then. What the other
	// inputs get later may make one need rows that are gone by then, as what comes after the
	// rows have expired does.
	before []window.Status
	seen   landing.Position
}

type readers []reader

func readersOf(ctx context.Context, stream *landing.Stream, tasks []*Task) (readers, error) {
	var out readers
	for _, t := range tasks {
		in, reads := t.Job().StreamInput(stream.Spec().Stream)
		if !reads {
			continue
		}
		r := reader{task: t, in: in}
		var err error
		if len(t.inputs) == 1 {
			r.table, err = t.table.Snapshot(ctx)
		} else {
			var plan window.Plan
			plan, err = t.Survey(ctx)
			r.before, r.seen = plan.Tasks, landing.Position(plan.Read[stream.Spec().Stream])
		}
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// survey tells where the partitions of the task stand, by the stream's rows below a position.
func (r reader) survey(s *landing.State) ([]window.Status, landing.Position, error) {
	if r.table == nil {
		return r.before, r.seen, nil
	}
	heads := window.Heads{window.StreamHead(s)}
	survey, err := r.task.compiled.Survey(r.task.compiled.Fingerprint, heads, r.table, window.Listing{Fresh: true})
	return survey.Partitions, s.Next(), err
}

// need returns the first position that any of the readers needs, if it holds back
// rows that would go otherwise.
func (rs readers) need(s *landing.State, keep landing.Retain, now time.Time) (Expiry, error) {
	var first Expiry
	for _, r := range rs {
		partitions, seen, err := r.survey(s)
		if err != nil {
			return first, err
		}
		if n := r.task.Job().Needs(partitions, seen, r.in, s, keep, now); n.For != nil && n.From < first.below() {
			first.Needed, first.Job = n, r.task.Job().Name
		}
	}
	if s.Expirable(keep, now, math.MaxInt64).To <= first.below() {
		return Expiry{}, nil
	}
	return first, nil
}
