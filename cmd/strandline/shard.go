package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func shardFlag(cmd *cobra.Command, shard *string) {
	cmd.Flags().StringVar(shard, "shard", "", "do only the `I/N`-th part of all partitions, counted from 0; auto/N or auto, as a scheduler sets it")
}

// shard reads what --shard says; "" is all partitions.
func (a *app) shard(text string) (window.Shard, error) {
	if text == "" {
		return window.Shard{}, nil
	}
	s, err := a.parseShare(text)
	if err != nil {
		return window.Shard{}, fmt.Errorf("--shard %w", err)
	}
	return window.Shard{Index: s.index, Of: s.of}, nil
}

func onlyPlanFlag(cmd *cobra.Command, only *bool) {
	cmd.Flags().BoolVar(only, "write-plan", false, `put the plan into the lake and do nothing, for "strandline work" to do slices of`)
}

// planFileFact is a plan as --write-plan tells of it.
type planFileFact struct {
	Plan       string           `json:"plan,omitempty"` // none where nothing is to be computed
	Job        string           `json:"job"`
	Driver     manifests.Driver `json:"driver"`
	Asked      string           `json:"asked"`
	Partitions int              `json:"partitions"`
	Slices     int              `json:"slices"` // if nobody says another number
}

// onlyPlan puts the plan of a request into the lake, and prints its id alone: all else is for a
// person.
func (a *app) onlyPlan(cmd *cobra.Command, l *lake, task *runner.Task, r runner.Request, d drive) error {
	p, err := l.writePlan(cmd.Context(), task, r, d.atomic)
	if err != nil {
		return err
	}
	fact := planFileFact{Job: p.Job, Driver: p.Driver, Asked: p.Asked, Partitions: len(p.Tasks), Slices: p.DefaultSlices()}
	if len(p.Tasks) == 0 {
		a.told(p.Job + ": nothing is to be computed" + leftOf(len(p.plan.Left)))
		return a.fact(fact, "")
	}
	fact.Plan = p.id.String()
	a.told(fmt.Sprintf("plan %s: %s of %s, %s, %s unless you say another number%s",
		p.id.Short(), p.Driver, p.Job, count(fact.Partitions, "partition"), count(fact.Slices, "slice"), leftOf(len(p.plan.Left))))
	return a.fact(fact, "%s\n", fact.Plan)
}
