package window

import (
	"fmt"
	"time"

	"strandline/internal/zone"
)

// Kind is how event time is cut into windows.
type Kind string

// The kinds of windows.
const (
	Tumbling Kind = "tumbling" // of one size, one after another
	Hopping  Kind = "hopping"  // of one size, a new one every so often, so that they overlap
	Session  Kind = "session"  // from a row to the last that follows without a gap
	None     Kind = "none"     // rows as they are, without windows
)

// Window says how event time is cut into windows, which are half-open. Durations
// are whole microseconds.
type Window struct {
	Kind Kind
	// Size is that of tumbling and hopping windows, and positive.
	Size time.Duration
	// Unit is that of tumbling windows of whole weeks, months or years, which have no
	// Size.
	Unit Unit
	// Zone is that of the partitions, for tumbling and hopping windows. Where it is not
	// UTC, Size and Every are whole days or divide one: see tiling.
	Zone zone.Zone
	// Every is from the start of a hopping window to that of the next: positive, and
	// at most Size.
	Every time.Duration
	// Offset is where a tumbling or hopping window starts, after
	// 1970-01-01T00:00:00Z or, in a zone or of a Unit, after midnight. It is less than
	// the window or Every, and not negative.
	Offset time.Duration
	// Gap is how long after a row the next one no longer belongs to its session.
	Gap time.Duration
	// Max is the longest time from a session's first row to its last, and at least
	// Gap. A longer run of rows is cut at the whole multiples of Max since 1970.
	Max time.Duration
	// By are the columns whose rows have sessions of their own; a NULL in them is a
	// value as others are. Where it is empty the sessions are of all rows.
	By []string
}

// InZone returns tumbling and hopping windows as those of a zone. Others know none.
func (w Window) InZone(z zone.Zone) Window {
	if w.Kind == Tumbling || w.Kind == Hopping {
		w.Zone = z
	}
	return w
}

// step is the time from a tumbling or hopping window's start to that of the next.
func (w Window) step() time.Duration {
	if w.Kind == Hopping {
		return w.Every
	}
	return w.Size
}

// tiling is how the starts of tumbling and hopping windows cut event time.
func (w Window) tiling() tiling {
	return tiling{zone: w.Zone, unit: w.Unit, size: w.step().Microseconds(), offset: w.Offset.Microseconds()}
}

// floor returns the last start of a tumbling or hopping window at or before an
// instant, both in microseconds since 1970.
func (w Window) floor(micros int64) int64 { return w.tiling().floor(micros) }

// ceil returns the first start of a tumbling or hopping window at or after an
// instant, both in microseconds since 1970.
func (w Window) ceil(micros int64) int64 { return w.tiling().ceil(micros) }

// end returns the end of the tumbling or hopping window that starts at an instant,
// both in microseconds since 1970.
func (w Window) end(start int64) int64 {
	t := w.tiling()
	size := w.Size.Microseconds()
	switch {
	case w.Kind == Tumbling:
		return t.end(start)
	case t.uniform() || t.within() || size%dayMicros != 0:
		return start + size
	}
	return t.since(t.day(start) + size/dayMicros)
}

// longest is at least the length of a tumbling or hopping window. Days of a zone may be
// longer than 24 hours.
func (w Window) longest() time.Duration {
	const day = 24 * time.Hour
	switch {
	case w.Unit != "":
		return w.Unit.Least() + 4*day
	case !w.Zone.IsUTC() && w.Size >= day:
		return w.Size + day
	}
	return w.Size
}

// code lists the parts of a job's code that its windows are.
func (w Window) code() []Part {
	var parts []Part
	if w.Kind != Tumbling {
		parts = append(parts, Part{Name: partWindows, Value: string(w.Kind)})
	}
	add := func(name string, d time.Duration) {
		if d != 0 {
			parts = append(parts, durationPart(name, d))
		}
	}
	if w.Unit != "" {
		parts = append(parts, Part{Name: partWindow, Value: string(w.Unit)})
	}
	add(partWindow, w.Size)
	add(partEvery, w.Every)
	add(partOffset, w.Offset)
	add(partGap, w.Gap)
	add(partMax, w.Max)
	for _, column := range w.By {
		parts = append(parts, Part{Name: "session by", Value: column})
	}
	return parts
}

// durationPart is a part whose microseconds are digested.
func durationPart(name string, d time.Duration) Part {
	return Part{name, fmt.Sprint(d.Microseconds()), FormatDuration(d)}
}
