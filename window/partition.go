package window

import (
	"fmt"
	"strings"
	"time"

	"strandline/landing"
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

// floor returns the start of the window that t lies in, also before 1970.
func (w Tumbling) floor(t time.Time) time.Time {
	return time.UnixMicro(floorTo(t.UnixMicro(), w.Size)).UTC()
}

// ceil returns the first window start at or after t.
func (w Tumbling) ceil(t time.Time) time.Time {
	return time.UnixMicro(ceilTo(t.UnixMicro(), w.Size)).UTC()
}

// Reads returns the event times that partition p is computed from: those of
// the windows that start in it. Where windows don't divide the partition, that
// reaches over its end and starts after its start.
func (j Job) Reads(p Partition) Interval {
	return Interval{Start: j.Window.ceil(p.Start), End: j.Window.ceil(p.End)}
}

// PartitionOf returns the partition that an event at t belongs to: that of its
// window's start.
func (j Job) PartitionOf(t time.Time) Partition { return j.Grain.at(j.startOf(t.UnixMicro())) }

// Hours returns the bucket-hours that hold what partition p is computed from.
func (j Job) Hours(p Partition) landing.Hours { return j.hoursFrom(p.Start.UnixMicro()) }

// hoursFrom is Hours for the partition that starts at that many microseconds since
// 1970. A survey asks for very many.
func (j Job) hoursFrom(start int64) landing.Hours {
	from, to := ceilTo(start, j.Window.Size), ceilTo(j.Grain.endOf(start), j.Window.Size)
	hour := time.Hour.Microseconds()
	return landing.Hours{From: floorTo(from, time.Hour) / hour, To: ceilTo(to, time.Hour) / hour}
}

// Touched returns the partitions that rows of the bucket-hours, which ascend, can
// belong to, in order of time.
func (j Job) Touched(hours []int64) (partitions []Partition) {
	for _, start := range j.touched(hours) {
		partitions = append(partitions, j.Grain.at(start))
	}
	return partitions
}

// touched returns where the partitions of Touched start, in microseconds since 1970.
func (j Job) touched(hours []int64) []int64 {
	starts := make([]int64, 0, len(hours))
	size := time.Hour.Microseconds()
	for _, hour := range hours {
		last := j.startOf((hour+1)*size - 1)
		for start := j.startOf(hour * size); start <= last; start = j.Grain.endOf(start) {
			if n := len(starts); n == 0 || starts[n-1] < start {
				starts = append(starts, start)
			}
		}
	}
	return starts
}

// startOf returns where the partition starts that an event belongs to, both in
// microseconds since 1970.
func (j Job) startOf(micros int64) int64 { return j.Grain.startOf(floorTo(micros, j.Window.Size)) }

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
