package runner

import (
	"context"
	"errors"
	"fmt"

	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/plans"
	"strandline/window"
)

// ErrGone says that a version that a plan reads has expired: what is left of the plan nobody can compute as it was
// planned, any more.
var ErrGone = errors.New("what is left of it can't be computed as it was planned")

// Gone is ErrGone, and says what to do. err is why: manifests.ErrExpired.
func Gone(err error) error {
	return fmt.Errorf("%w: %w; what is published stands: ask for the same again, which is planned anew", ErrGone, err)
}

// pin makes a window.Plan of tasks as they were planned: at the plan's positions, from
// versions of tables that may be old by now. Those that newer input stands in for are held
// against the logs too: positions of another lake may be lower than these, and tell nothing.
func (r *sliceRun) pin(ctx context.Context, tasks, behind []plans.Task) (err error) {
	t, plan := r.task, &r.report.Plan
	plan.Tables, err = t.versions(ctx, r.file.Read)
	if errors.Is(err, manifests.ErrExpired) && len(tasks) == 0 {
		return nil
	}
	if errors.Is(err, manifests.ErrExpired) {
		return Gone(err)
	}
	if err != nil {
		return err
	}
	var made map[string]window.Watermark
	if t.Job().Emit == window.EmitOnClose {
		if made, err = t.settled(ctx); err != nil {
			return err
		}
	}
	err = t.view(pinned{tables: plan.Tables, made: made}, func(now pinned) error {
		if _, err = r.statuses(behind, now); err != nil {
			return err
		}
		if plan.Tasks, err = r.statuses(tasks, now); err == nil && t.Job().Emit == window.EmitOnClose {
			t.compiled.Close(plan.Tasks, now.heads, t.lake.now())
		}
		return err
	})
	left := plan.Left
	plan.LeaveOut()
	plan.Left = append(left, plan.Left...)
	return err
}

// versions are the tables that a position vector names, as they were then. The logs of all
// inputs have been read on.
func (t *Task) versions(ctx context.Context, read manifests.Positions) (map[string]*manifests.Snapshot, error) {
	tables := map[string]*manifests.Snapshot{}
	for i, in := range t.Job().Inputs {
		upTo := read[in.At()]
		if !in.Table {
			stream := t.inputs[i].Stream
			if err := stream.Refresh(ctx); err != nil {
				return nil, err
			}
			if end := int64(stream.Next()); upTo > end {
				return nil, fmt.Errorf("%w: the plan reads positions up to %d of %s, which ends at %d: it was made in another lake, or the log has lost its newest entries", window.ErrHistory, upTo, in, end)
			}
			continue
		}
		table, err := t.inputs[i].Table.SnapshotAt(ctx, manifests.Version(upTo))
		if errors.Is(err, manifests.ErrNoVersion) {
			return nil, fmt.Errorf("%w: the plan reads %s at version %d: it was made in another lake, or the log has lost its newest entries: %w", window.ErrHistory, in, upTo, err)
		}
		if err != nil {
			return nil, err
		}
		tables[in.Name] = table
	}
	return tables, nil
}

// statuses hold what the plan says of tasks against the logs.
func (r *sliceRun) statuses(tasks []plans.Task, now pinned) (all []window.Status, err error) {
	for _, task := range tasks {
		s, sure, err := r.task.Job().Planned(now.heads, manifests.Reading{
			Partition: task.Partition, Positions: r.file.Read, InputRows: task.Rows, InputDigest: task.Digest, Inputs: task.Inputs, Fingerprint: r.file.Fingerprint,
		})
		switch {
		case err != nil:
			return nil, fmt.Errorf("the plan is not of this lake as it is: %w", err)
		case !s.Start.Equal(task.Start) || !s.End.Equal(task.End):
			return nil, fmt.Errorf("%w: partition %s is %s, and the plan has it as [%s, %s)", window.ErrNotPlanned, s, s.Interval, task.Start, task.End)
		}
		if r.tried[task.Partition] {
			s.State = window.Failed // or held, which is the same to a run
		}
		all = append(all, s)
		r.left[task.Partition] = leftTask{task, sure}
	}
	return all, nil
}

// rederive reads the rows that a partition is computed from, where the logs can't tell
// whether they are those that the plan says: window.ErrHistory if not. What can't be read
// can't be computed from either, which will say why.
func (r *sliceRun) rederive(ctx context.Context, s window.Status) error {
	job := r.task.Job()
	read := make([]landing.Input, len(job.Inputs))
	for i := range read {
		var err error
		read[i], err = r.deriver.input(ctx, job, i, s.Partition, r.file.Read, r.report.Plan.Tables)
		switch {
		case errors.Is(err, landing.ErrExpired), errors.Is(err, objstore.ErrNotFound), errors.Is(err, localfile.ErrDamaged):
			return nil
		case err != nil:
			return fmt.Errorf("read what partition %s of job %s is computed from: %w", s.Partition, job.Name, err)
		}
	}
	if found := job.Join(read); found != s.Input {
		return fmt.Errorf("the plan is not of this lake as it is: %w: partition %s was to be computed from %d rows with digest %s, and there are %d with %s",
			window.ErrHistory, s.Partition, s.Input.Rows, s.Input.Digest.Short(), found.Rows, found.Digest.Short())
	}
	return nil
}
