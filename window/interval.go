package window

import (
	"fmt"
	"slices"
	"time"
)

// Interval is a half-open stretch of event time, [Start, End). The same value
// serves plan, read, check and publish, so they can't disagree about an edge.
// Both ends are whole microseconds in UTC.
type Interval struct{ Start, End time.Time }

// Contains tells whether t is in [Start, End).
func (i Interval) Contains(t time.Time) bool { return !t.Before(i.Start) && t.Before(i.End) }

// Overlaps tells whether the intervals share an instant.
func (i Interval) Overlaps(j Interval) bool { return i.Start.Before(j.End) && j.Start.Before(i.End) }

// String writes the interval with its half-openness.
func (i Interval) String() string {
	return fmt.Sprintf("[%s, %s)", i.Start.Format(time.RFC3339Nano), i.End.Format(time.RFC3339Nano))
}

// joined puts intervals in order, with those in one that touch or overlap.
func joined(intervals []Interval) (all []Interval) {
	for _, i := range slices.SortedFunc(slices.Values(intervals), func(a, b Interval) int { return a.Start.Compare(b.Start) }) {
		if last := len(all) - 1; last >= 0 && !all[last].End.Before(i.Start) {
			if all[last].End.Before(i.End) {
				all[last].End = i.End
			}
			continue
		}
		all = append(all, i)
	}
	return all
}

// overlapsAny tells whether an interval overlaps one of others, which are in order and
// apart.
func overlapsAny(others []Interval, i Interval) bool {
	at, _ := slices.BinarySearchFunc(others, i.Start, func(o Interval, start time.Time) int {
		if o.End.After(start) {
			return 1
		}
		return -1
	})
	return at < len(others) && others[at].Overlaps(i)
}
