package window

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"strandline/internal/zone"
)

// Unit is a length of time as calendars have it.
type Unit string

// The units. A week begins on Monday, as in ISO 8601.
const (
	UnitQuarter Unit = "15m" // of an hour
	UnitHour    Unit = "hour"
	UnitDay     Unit = "day"
	UnitWeek    Unit = "week"
	UnitMonth   Unit = "month"
	UnitYear    Unit = "year"
)

// Units are all of them, from the shortest to the longest.
var Units = []Unit{UnitQuarter, UnitHour, UnitDay, UnitWeek, UnitMonth, UnitYear}

// Least is about the shortest length of the unit.
func (u Unit) Least() time.Duration {
	const day = 24 * time.Hour
	switch u {
	case UnitQuarter:
		return time.Hour / 4
	case UnitHour:
		return time.Hour
	case UnitWeek:
		return 7 * day
	case UnitMonth:
		return 28 * day
	case UnitYear:
		return 365 * day
	}
	return day
}

// Grain is the size of a partition: a unit of the calendar of a zone. Days, weeks,
// months and years begin at the first instant whose local time is at or after their
// first midnight. Hours and quarters are counted from the start of the local day, and
// the last one is what is left of it.
type Grain struct {
	Unit Unit
	Zone zone.Zone
}

// The grains of UTC that tests and measurements use.
var (
	GrainHour  = Grain{Unit: UnitHour}
	GrainDay   = Grain{Unit: UnitDay}
	GrainMonth = Grain{Unit: UnitMonth}
)

// String names the unit and, if it is not UTC, the zone: "day", "day Europe/Berlin".
func (g Grain) String() string {
	if g.Zone.IsUTC() {
		return string(g.Unit)
	}
	return string(g.Unit) + " " + g.Zone.String()
}

// MarshalText writes what String does.
func (g Grain) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// ParseGrain reads what String writes.
func ParseGrain(text string) (Grain, error) {
	unit, name, zoned := strings.Cut(text, " ")
	g := Grain{Unit: Unit(unit)}
	if !slices.Contains(Units, g.Unit) {
		return Grain{}, fmt.Errorf("partitions by %q: want one of %v, and a time zone if it is not UTC", text, Units)
	}
	if !zoned {
		return g, nil
	}
	var err error
	if g.Zone, err = zone.Load(name); err != nil {
		return Grain{}, fmt.Errorf("partitions by %q: %w", text, err)
	}
	return g, nil
}

// tiling is how the grain cuts event time.
func (g Grain) tiling() tiling {
	switch g.Unit {
	case UnitQuarter:
		return tiling{zone: g.Zone, size: hourMicros / 4}
	case UnitHour:
		return tiling{zone: g.Zone, size: hourMicros}
	case UnitDay:
		return tiling{zone: g.Zone, size: dayMicros}
	}
	return tiling{zone: g.Zone, unit: g.Unit}
}

// startOf returns the start of the partition that an instant lies in, both in
// microseconds since 1970.
func (g Grain) startOf(micros int64) int64 { return g.tiling().floor(micros) }

// endOf returns the end of the partition that starts at an instant, both in
// microseconds since 1970.
func (g Grain) endOf(start int64) int64 { return g.tiling().end(start) }

// spanOf returns the partition that an instant lies in, in microseconds since 1970.
func (g Grain) spanOf(micros int64) span { return g.tiling().tile(micros) }

// at returns the partition that starts at that many microseconds since 1970.
func (g Grain) at(start int64) Partition {
	return Partition{Grain: g, Interval: span{start, g.endOf(start)}.interval()}
}

// Containing returns the partition that t lies in.
func (g Grain) Containing(t time.Time) Partition { return g.at(g.startOf(t.UnixMicro())) }

// has tells whether a partition of that name has that half-open interval.
func (g Grain) has(name string, start, end time.Time) bool {
	p := g.Containing(start)
	return p.Start.Equal(start) && p.End.Equal(end) && p.String() == name
}
