package config

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"strandline/internal/schedule"
	"strandline/internal/zone"
	"strandline/window"
)

// schedules reads the backfills that a job repeats; by is the zone of those that name none.
func (v value) schedules(by zone.Zone) (all []schedule.Schedule) {
	seen := map[string]bool{}
	for _, item := range v.mapOrList(`a list such as [{every: day, at: "03:00", last: 3d}]`) {
		sound := len(v.list)
		s := item.schedule(by)
		if len(v.list) > sound {
			continue
		}
		if name := s.String(); seen[name] {
			item.problem("is here twice: %s", name)
		} else {
			seen[name] = true
		}
		all = append(all, s)
	}
	if v.isEmpty(yaml.SequenceNode) {
		v.problem("names none; leave it out")
	}
	return all
}

func (v value) schedule(by zone.Zone) schedule.Schedule {
	f := v.fields("every", "at", "on", "zone", "anchor", "last", "only", "recompute", "order")
	s := schedule.Schedule{Rule: f.due(by), Order: window.Newest}
	if v, ok := f.get("last"); ok {
		if s.Last, ok = v.duration(); ok && s.Last <= 0 {
			v.problem("%v: want more than 0s, such as 3d", s.Last)
		}
	}
	if v, ok := f.get("only"); ok {
		s.Only = v.states()
	}
	if v, ok := f.get("recompute"); ok {
		if s.Again, _ = v.boolean(); s.Again && len(s.Only) > 0 {
			v.problem("asks for fresh partitions too, and only for none of them: leave out one of the two")
		}
	}
	if v, ok := f.get("order"); ok {
		if order, ok := v.oneOf(string(window.Newest), string(window.Oldest), string(window.Random)); ok {
			s.Order = window.Order(order)
		}
	}
	f.anyOf("last", "only")
	return s
}

// states reads those of which partitions must be in one.
func (v value) states() (states []window.State) {
	for _, item := range v.items("a list of stale, missing and failed", true) {
		state, ok := item.oneOf(string(window.Stale), string(window.Missing), string(window.Failed))
		switch {
		case !ok:
		case slices.Contains(states, window.State(state)):
			item.problem("%s is here twice", state)
		default:
			states = append(states, window.State(state))
		}
	}
	if v.isEmpty(yaml.SequenceNode) {
		v.problem("names no state")
	}
	slices.Sort(states)
	return states
}
