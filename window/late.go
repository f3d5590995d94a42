package window

import (
	"slices"

	"strandline/landing"
)

// CameLate lists those partitions of a survey, in order of time, that rows came late for,
// whatever became of these since. What their Late says is of all of them.
func (j Job) CameLate(survey []Status, heads Heads) (late []Status) {
	touched := map[int64]bool{}
	for i, in := range j.Inputs {
		for _, p := range j.Touched(in, heads[i].lateHours()) {
			touched[p.Start.UnixMicro()] = true
		}
	}
	for _, s := range survey {
		if !touched[s.Start.UnixMicro()] {
			continue
		}
		s.Late = landing.Late{}
		for i, in := range j.Inputs {
			of := j.readsOf(in, s.span())
			one, _ := heads[i].late(of, 0)
			one.Rows = min(one.Rows, heads[i].sum(of).Rows)
			one.Sure = min(one.Sure, one.Rows)
			s.Late.Add(one)
		}
		if s.Late.Rows > 0 {
			late = append(late, s)
		}
	}
	return late
}

// Lateness says in words what came late for the partition.
func (s Status) Lateness() string { return lateness(s.Late) }

// lateHours are the bucket-hours, ascending, that rows came late for.
func (h streamHead) lateHours() []int64 {
	var hours []int64
	for stretch := range h.LateStretches() {
		s := span{stretch.From.UnixMicro(), stretch.To.UnixMicro()}.hours()
		for hour := s.From; hour < s.To; hour++ {
			hours = append(hours, hour)
		}
	}
	slices.Sort(hours)
	return slices.Compact(hours)
}

func (tableHead) lateHours() []int64 { return nil }
