package window

import (
	"fmt"
	"time"
)

// Partition is the unit of overwrite: one unit of the calendar.
type Partition struct {
	Grain Grain
	Interval
}

// Next returns the partition that follows.
func (p Partition) Next() Partition { return p.Grain.at(p.End.UnixMicro()) }

// String returns the partition's name; Grain.Parse reads it back. Names sort as their
// intervals do. Days and longer units are named by local dates. Local hours may come
// twice, so in a zone hours and quarters are named by the instant at which they start.
func (p Partition) String() string {
	switch {
	case p.Grain.Unit == UnitWeek:
		year, week := p.local().ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case !p.Grain.byInstant():
		return p.local().Format(layouts[p.Grain.Unit])
	case p.Start.Second() != 0:
		return p.Start.Format(layoutSecond)
	}
	return p.Start.Format(layoutMinute)
}

// local is when the partition starts, by local clocks.
func (p Partition) local() time.Time {
	return time.UnixMicro(p.Grain.Zone.Local(p.Start.UnixMicro())).UTC()
}

// byInstant tells whether partitions are named by the instants at which they start.
func (g Grain) byInstant() bool {
	return !g.Zone.IsUTC() && (g.Unit == UnitQuarter || g.Unit == UnitHour)
}

// layouts are the names of partitions by their local times.
var layouts = map[Unit]string{
	UnitQuarter: "2006-01-02T15:04",
	UnitHour:    "2006-01-02T15",
	UnitDay:     "2006-01-02",
	UnitMonth:   "2006-01",
	UnitYear:    "2006",
}

// The names of partitions by their instants. Seconds are there where a place had its
// own mean time, and so no two partitions start in the same minute.
const (
	layoutMinute = "2006-01-02T15:04Z"
	layoutSecond = "2006-01-02T15:04:05Z"
)

// Parse reads a partition's name.
func (g Grain) Parse(name string) (Partition, error) {
	start, ok := g.parseStart(name)
	if !ok {
		return Partition{}, fmt.Errorf("partition %q: want one such as %q for partitions by %s", name, g.example(), g)
	}
	p := g.at(g.startOf(start))
	if p.String() != name {
		return Partition{}, fmt.Errorf("partition %q: there is none of this name by %s; what would be there is %s, %s", name, g, p, p.Interval)
	}
	return p, nil
}

// parseStart returns the instant at which the partition of a name would start, in
// microseconds since 1970.
func (g Grain) parseStart(name string) (micros int64, ok bool) {
	if g.Unit == UnitWeek {
		monday, ok := parseWeek(name)
		return g.Zone.Since(monday.UnixMicro()), ok
	}
	if !g.byInstant() {
		t, err := time.Parse(layouts[g.Unit], name)
		return g.Zone.Since(t.UnixMicro()), err == nil
	}
	t, err := time.Parse(layoutMinute, name)
	if err != nil {
		t, err = time.Parse(layoutSecond, name)
	}
	return t.UnixMicro(), err == nil
}

// example is the name of some partition.
func (g Grain) example() string {
	return g.Containing(time.Date(2018, 2, 1, 12, 0, 0, 0, time.UTC)).String()
}

// parseWeek reads an ISO week such as 2026-W43 and returns the midnight at which its
// Monday begins, in UTC. That a year has such a week is not checked.
func parseWeek(name string) (monday time.Time, ok bool) {
	var year, week int
	if n, err := fmt.Sscanf(name, "%4d-W%2d", &year, &week); n != 2 || err != nil {
		return time.Time{}, false
	}
	january4 := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // always lies in the first
	first := tiling{unit: UnitWeek}.firstDay(dayOf(january4))
	return dateOf(first + 7*int64(week-1)), true
}
