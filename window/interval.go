package window

import (
	"fmt"
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
