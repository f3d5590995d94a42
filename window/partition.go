package window

import (
	"fmt"
	"strings"
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

// Partition is the unit of overwrite: one hour, day or month.
type Partition struct {
	Grain Grain
	Interval
}

// layouts are how partitions are named. Names sort as their intervals do.
var layouts = map[Grain]string{
	GrainHour:  "2006-01-02T15",
	GrainDay:   "2006-01-02",
	GrainMonth: "2006-01",
}

// String returns the partition's name; Grain.Parse reads it back.
func (p Partition) String() string { return p.Start.Format(layouts[p.Grain]) }

// Containing returns the partition that t lies in.
func (g Grain) Containing(t time.Time) Partition { return g.at(g.startOf(t.UnixMicro())) }

// startOf returns the start of the partition that an instant lies in, both in
// microseconds since 1970.
func (g Grain) startOf(micros int64) int64 {
	switch g {
	case GrainMonth:
		t := time.UnixMicro(micros).UTC()
		return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	case GrainDay:
		return floorTo(micros, 24*time.Hour)
	default:
		return floorTo(micros, time.Hour)
	}
}

// floorTo returns the last whole multiple of a size at or before an instant in
// microseconds, also before 1970.
func floorTo(micros int64, size time.Duration) int64 {
	into := micros % size.Microseconds()
	if into < 0 {
		into += size.Microseconds()
	}
	return micros - into
}

// ceilTo returns the first whole multiple of a size at or after an instant in
// microseconds.
func ceilTo(micros int64, size time.Duration) int64 { return -floorTo(-micros, size) }

// endOf returns the end of the partition that starts at an instant, both in
// microseconds since 1970.
func (g Grain) endOf(start int64) int64 {
	if g == GrainHour {
		return start + time.Hour.Microseconds()
	}
	return g.at(start).End.UnixMicro()
}

// at returns the partition that starts at that many microseconds since 1970.
func (g Grain) at(start int64) Partition { return g.from(time.UnixMicro(start).UTC()) }

func (g Grain) from(start time.Time) Partition {
	end := start.Add(time.Hour)
	switch g {
	case GrainMonth:
		end = start.AddDate(0, 1, 0)
	case GrainDay:
		end = start.AddDate(0, 0, 1)
	}
	return Partition{Grain: g, Interval: Interval{Start: start, End: end}}
}

// Next returns the partition that follows.
func (p Partition) Next() Partition { return p.Grain.from(p.End) }

// Parse reads a partition's name.
func (g Grain) Parse(name string) (Partition, error) {
	start, err := time.ParseInLocation(layouts[g], name, time.UTC)
	if err != nil {
		return Partition{}, fmt.Errorf("partition %q: want one such as %q for partitions by %s", name, layouts[g], g)
	}
	return g.from(start), nil
}

// instants are the ways a person may write a bound of a range.
var instants = []string{"2006-01", "2006-01-02", "2006-01-02T15", "2006-01-02T15:04", "2006-01-02T15:04:05.999999", time.RFC3339Nano}

// ParseRange reads a half-open range of event time. Bounds are dates, hours or
// instants and mean UTC unless they carry an offset. A range that is empty,
// backwards or cuts a partition of grain g is an error.
func ParseRange(from, to string, g Grain) (Interval, error) {
	var i Interval
	var err error
	if i.Start, err = parseInstant(from); err != nil {
		return i, fmt.Errorf("--from %w", err)
	}
	if i.End, err = parseInstant(to); err != nil {
		return i, fmt.Errorf("--to %w", err)
	}
	if !i.Start.Before(i.End) {
		return i, fmt.Errorf("the range from %s to %s is empty: --to is not included, so it must be later than --from", from, to)
	}
	for flag, t := range map[string]time.Time{"--from " + from: i.Start, "--to " + to: i.End} {
		if p := g.Containing(t); !p.Start.Equal(t) {
			return i, fmt.Errorf("%s cuts the partition %s, which is %s: partitions are computed whole, so begin and end at their edges", flag, p, p.Interval)
		}
	}
	return i, nil
}

func parseInstant(s string) (time.Time, error) {
	for _, layout := range instants {
		if t, err := time.ParseInLocation(layout, strings.TrimSpace(s), time.UTC); err == nil {
			return named(t.UTC())
		}
	}
	return time.Time{}, fmt.Errorf("%q: want a date (2018-02-01), an hour (2018-02-01T15) or an instant (2018-02-01T15:00:00+01:00)", s)
}

// named refuses an instant that an offset took out of the years that partitions
// have names in.
func named(t time.Time) (time.Time, error) {
	if year := t.Year(); year < 0 || year > 9999 {
		return time.Time{}, fmt.Errorf("%s: want a year from 0000 to 9999, in UTC", t.Format(time.RFC3339))
	}
	return t, nil
}
