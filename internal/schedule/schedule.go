package schedule

import (
	"strings"
	"time"

	"strandline/window"
)

// Schedule is a backfill that is repeated.
type Schedule struct {
	Rule
	// Last bounds what is asked for to the partitions with any of so long until it is
	// planned. 0: all of time.
	Last time.Duration
	// Only are the states of which a partition must be in one; none: whatever is not fresh.
	Only []window.State
	// Again asks for what is fresh too.
	Again bool
	Order window.Order
}

// String tells the schedule as a person would. One that is due at other times, or asks for
// something else, has another.
func (s Schedule) String() string {
	var b strings.Builder
	b.WriteString(s.Rule.String())
	b.WriteString(": ")
	b.WriteString(s.wanted())
	if s.Last > 0 {
		b.WriteString(" of the last " + written(s.Last))
	}
	if s.Order == window.Random {
		b.WriteString(", in random order")
	} else {
		b.WriteString(", " + string(s.Order) + " first")
	}
	return b.String()
}

func (s Schedule) wanted() string {
	switch {
	case s.Again:
		return "every partition"
	case len(s.Only) == 0:
		return "what is not fresh"
	}
	var states []string
	for _, state := range s.Only {
		states = append(states, string(state))
	}
	return "what is " + strings.Join(states, " or ")
}

// Due returns the latest instant up to now at which the schedule is due, if it was not
// dealt with by last, up to when the schedule was dealt with. What was missed before it is made up
// by it. So a clock that is put back, or another machine's that goes slow, finds nothing due.
func (s Schedule) Due(last, now time.Time) (at time.Time, due bool) {
	at = s.Latest(now)
	return at, at.After(last)
}
