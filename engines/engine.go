// Package engines is the seam to whatever has the slices of a plan worked: goroutines of
// this process, processes of a scheduler, pods of a cluster.
//
// An engine carries nothing but a Ref. It may work a slice any number of times, anywhere
// and at the same time, since the fence of the table decides what is published: engines
// save work and never keep a promise. How far the partitions of a plan are is told by the
// plan and its table alone (plans.File.Progress), also while an engine can't be reached.
package engines

import (
	"context"
	"errors"
	"fmt"

	"strandline/plans"
)

// Ref is what an engine carries: a plan that the lake has, cut into so many slices.
type Ref struct {
	Plan   plans.ID
	Slices int // at least 1
}

// Options say how an engine is to work a plan.
type Options struct {
	Parallel int // slices worked at a time, at most; at least 1
	// MaxFailures is after how many failures nothing else is begun; 0: however many. They are of partitions where what
	// works the slices counts those, and else of slices. What has failed before does not count, so that a plan that
	// ended by its failures goes on when it is submitted again.
	MaxFailures int
	// Before is how many of the partitions had failed or were held before.
	Before int
	// Left are the slices that are to be begun, ascending, where who submits knows that the others were run well; none: all.
	Left []int
	// Priority says which plans come first, the greater; engines that have no such order
	// take no notice.
	Priority int
	// Anew has a plan worked again, all slices of it, that the engine has done: for work whose
	// results the table may have lost since, or that is wanted once more. Of one that is being
	// worked it is nothing.
	Anew bool
}

// Check is an error that says which option or part of a Ref is wrong.
func Check(ref Ref, o Options) error {
	switch {
	case ref.Plan.IsZero():
		return errors.New("submit: no plan is named")
	case ref.Slices < 1:
		return fmt.Errorf("submit plan %s: %d slices: want at least 1", ref.Plan.Short(), ref.Slices)
	case o.Parallel < 1:
		return fmt.Errorf("submit plan %s: %d slices at a time: want at least 1", ref.Plan.Short(), o.Parallel)
	case o.MaxFailures < 0 || o.Before < 0:
		return fmt.Errorf("submit plan %s: at most %d failures, and %d before: want 0, for however many, or more", ref.Plan.Short(), o.MaxFailures, o.Before)
	}
	if _, err := ParseNumbers(FormatNumbers(o.Left), ref.Slices); err != nil {
		return fmt.Errorf("submit plan %s: slices left: %w", ref.Plan.Short(), err)
	}
	return nil
}

// State is where an engine is with a plan.
type State string

// The states of a plan in an engine. The last three are ends.
const (
	Waiting   State = "waiting" // no slice has been begun
	Running   State = "running"
	Paused    State = "paused"
	Done      State = "done"      // every slice has succeeded
	Failed    State = "failed"    // some slice failed for good; nothing else is to be begun
	Cancelled State = "cancelled" // somebody cancelled it; slices may be ending still
)

// Ended tells whether nothing more is begun.
func (s State) Ended() bool { return s == Done || s == Failed || s == Cancelled }

// Observation is what an engine knows of a plan. It is of slices: of partitions the table
// tells.
type Observation struct {
	State                     State
	Parallel                  int
	Active, Succeeded, Failed int    // slices
	Well                      []int  // those that succeeded, ascending, where it is known which these are
	Message                   string // why it is so, for people; may be ""
	Work                      string // as Submit returns it
}

var (
	// ErrUnknown says that an engine does not know a plan.
	ErrUnknown = errors.New("the engine does not know the plan")
	// ErrDiffers says that an engine is working a plan cut into another number of slices.
	ErrDiffers = errors.New("the plan is being worked in other slices")
	// ErrOther says that something that is not of the plan has its place in an engine. It is
	// left alone.
	ErrOther = errors.New("it is that of another")
)

// Engine works plans. Methods are safe for concurrent use, and those after Submit are
// ErrUnknown of plans that were never submitted, or too long ago. All are ErrOther, and change
// nothing, where others can take the place of a plan, and have.
type Engine interface {
	// Ready is the error that Submit would meet now, as far as that shows with nothing begun
	// and nothing changed. Who writes something down before Submit asks this first.
	Ready(ctx context.Context, ref Ref, o Options) error
	// Submit has a plan worked, slices in their order. Of one that is being worked, or is
	// done, it is nothing; ErrDiffers where one is being worked in other slices. One that
	// has failed or was cancelled is begun again, all slices that are left, and so is one that is
	// done, with Anew. work is what the engine calls that, and nothing else ever: what it has under another
	// name is not what was submitted then. It is "" where an engine has no such names.
	Submit(ctx context.Context, ref Ref, o Options) (work string, err error)
	Observe(ctx context.Context, plan plans.ID) (Observation, error)
	// Resize sets how many slices are worked at a time. Those that are being worked end.
	Resize(ctx context.Context, plan plans.ID, parallel int) error
	// Pause begins no more slices until Resume. Those that are being worked may end or be
	// given up.
	Pause(ctx context.Context, plan plans.ID) error
	Resume(ctx context.Context, plan plans.ID) error
	// Cancel ends a plan: what is published stands, what is being worked is given up. Of
	// one that has ended it is nothing.
	Cancel(ctx context.Context, plan plans.ID) error
}
