package runner

import (
	"context"
	"fmt"
	"slices"

	"strandline/manifests"
	"strandline/window"
)

// tellHeld tells of each partition that is held since rows came late, once for each
// input that it would be computed from.
func (f *follower) tellHeld(plan window.Plan, o StreamOptions) {
	for _, s := range plan.Held {
		f.tellOnce(s, heldLate(s), plan, o)
	}
}

// heldLate is the outcome of a partition that is left to a person.
func heldLate(s window.Status) Outcome {
	return Outcome{
		Partition: s.Partition, Input: s.Input, Verdict: manifests.StillHeld, Receipt: *s.Receipt,
		Findings: window.Findings{Violations: []string{s.Reason()}},
	}
}

// ReleaseLate plans to compute those of the partitions that are held since rows came late,
// as a person asks for. The others are left over.
func (t *Task) ReleaseLate(ctx context.Context, partitions []string) (plan window.Plan, others []string, err error) {
	if plan, err = t.Overview(ctx); err != nil {
		return plan, nil, fmt.Errorf("release what came late for table %s: %w", t.Job().Name, err)
	}
	others = slices.Clone(partitions)
	held := window.LateHeld(plan.Tasks)
	plan.Tasks, plan.Fresh = nil, 0
	for _, s := range held {
		named := len(others)
		if others = slices.DeleteFunc(others, func(name string) bool { return name == s.String() }); len(others) < named {
			plan.Tasks = append(plan.Tasks, s)
		}
	}
	return plan, others, nil
}

// CameLate tells of each partition that rows came late for, whatever became of these.
func (t *Task) CameLate(ctx context.Context) (window.Plan, error) {
	plan, err := t.Survey(ctx)
	if err != nil {
		return plan, err
	}
	err = t.view(pinned{tables: plan.Tables}, func(now pinned) error {
		plan.Tasks, plan.Fresh = t.compiled.CameLate(plan.Tasks, now.heads), 0
		return nil
	})
	return plan, err
}
