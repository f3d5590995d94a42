package window

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"strandline/internal/zone"
)

// instants are the ways a person may write a bound of a range, beside a week.
var instants = []string{
	"2006", "2006-01", "2006-01-02", "2006-01-02T15", "2006-01-02T15:04", "2006-01-02T15:04:05.999999",
}

// ParseRange reads a half-open range of event time. Bounds are years, months, weeks,
// dates, hours or instants, and mean the zone of grain g unless they carry an offset;
// one that clocks of the zone show twice is the earlier, and one that they
// don't show is when they are put forward past it. A range that is empty,
// backwards or cuts a partition of grain g is an error.
func ParseRange(from, to string, g Grain) (Interval, error) {
	for flag, bound := range map[string]string{"--from": from, "--to": to} {
		if bound == "" {
			_, err := parseInstant(bound, g.Zone)
			return Interval{}, fmt.Errorf("%s %w", flag, err)
		}
	}
	return parseRange(from, to, g)
}

// parseRange is ParseRange of a range that an empty bound leaves open: it is the beginning or
// the end of all event time.
func parseRange(from, to string, g Grain) (Interval, error) {
	i, err := parseBounds(from, to, g)
	if err != nil {
		return i, err
	}
	for _, bound := range []struct {
		flag, text string
		t          time.Time
	}{{"--from", from, i.Start}, {"--to", to, i.End}} {
		if bound.text == "" {
			continue
		}
		if err := g.begins(bound.t); err != nil {
			return i, fmt.Errorf("%s %s %w", bound.flag, bound.text, err)
		}
	}
	return i, nil
}

// The beginning and the end of all event time, and a while more, so that all partitions of
// whatever zone lie between them.
var (
	beginning = time.Date(1890, 1, 1, 0, 0, 0, 0, time.UTC)
	end       = time.Date(2210, 1, 1, 0, 0, 0, 0, time.UTC)
)

// parseBounds is parseRange of a range that may cut partitions.
func parseBounds(from, to string, g Grain) (i Interval, err error) {
	i = Interval{beginning, end}
	if from != "" {
		if i.Start, err = parseInstant(from, g.Zone); err != nil {
			return i, fmt.Errorf("--from %w", err)
		}
	}
	if to != "" {
		if i.End, err = parseInstant(to, g.Zone); err != nil {
			return i, fmt.Errorf("--to %w", err)
		}
	}
	if !i.Start.Before(i.End) {
		if a, b := asWritten(from), asWritten(to); !a.IsZero() && a.Before(b) {
			return i, fmt.Errorf("the range from %s to %s is empty: the clocks of %s are put forward past it, and show no time in it", from, to, g.Zone)
		}
		return i, fmt.Errorf("the range from %s to %s is empty: --to is not included, so it must be later than --from", from, to)
	}
	return i, nil
}

var errCuts = errors.New("cuts the partition")

// begins is an error unless a partition begins at t.
func (g Grain) begins(t time.Time) error {
	p := g.Containing(t)
	if _, err := g.Parse(p.String()); err != nil {
		return fmt.Errorf("is in no partition that has a name: want a year from 0000 to 9999")
	}
	if !p.Start.Equal(t) {
		return fmt.Errorf("%w %s, which is %s: partitions are computed whole, so begin and end at their edges", errCuts, p, p.Interval)
	}
	return nil
}

func parseInstant(s string, z zone.Zone) (time.Time, error) {
	s = strings.TrimSpace(s)
	if week, err := (Grain{UnitWeek, z}).Parse(s); err == nil {
		return week.Start, nil
	}
	for _, layout := range instants {
		if t, err := time.Parse(layout, s); err == nil {
			return local(t, z), inMicros(s, t)
		}
	}
	for _, layout := range []string{layoutOffset, time.RFC3339Nano} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), inMicros(s, t)
		}
	}
	return time.Time{}, fmt.Errorf("%q: want a date (2018-02-01), a year (2018), a month (2018-02), an hour (2018-02-01T15), a minute (2018-02-01T15:45), a week (2018-W05) or an instant (2018-02-01T15:00:00+01:00)", s)
}

// inMicros is an error if t, which was written as s, is not a whole microsecond: a bound
// that was cut to one would be another.
func inMicros(s string, t time.Time) error {
	if t.Nanosecond()%int(time.Microsecond) != 0 {
		return fmt.Errorf("%q: want at most six digits after the second, since event time is in microseconds", s)
	}
	return nil
}

// layoutOffset is an instant without seconds.
const layoutOffset = "2006-01-02T15:04Z07:00"

// local returns the first instant at which clocks of a zone show a time or a later one.
// asWritten is the local time that a bound says, whether clocks show it or not; zero of one that says none.
func asWritten(s string) time.Time {
	for _, layout := range instants {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return t
		}
	}
	return time.Time{}
}

func local(t time.Time, z zone.Zone) time.Time {
	return time.UnixMicro(z.Since(t.UnixMicro())).UTC()
}

// OpenAt tells at which ends a range has no bound that was asked for.
func (i Interval) OpenAt() (start, until bool) {
	return !i.Start.After(beginning), !i.End.Before(end)
}
