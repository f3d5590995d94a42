package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"strandline/internal/schedule"
	"strandline/internal/zone"
	"strandline/window"
)

// due reads at which instants a schedule is due; by is the zone of one that names none.
func (f fields) due(by zone.Zone) (r schedule.Rule) {
	every, ok := f.need("every", anyPeriod)
	if !ok {
		return r
	}
	text, ok := every.measure(anyPeriod)
	switch {
	case !ok:
	case slices.Contains(schedule.Units, schedule.Unit(text)):
		r.Every, r.Zone = schedule.Unit(text), by
		f.byClocks(&r)
	default:
		f.elapsed(&r, every)
	}
	return r
}

const anyPeriod = "hour, day, week or month, or a duration such as 6h"

// byClocks reads what belongs to a period of the calendar.
func (f fields) byClocks(r *schedule.Rule) {
	if v, ok := f.get("zone"); ok {
		if name, ok := v.text(); ok {
			r.Zone, _ = v.zone(name, "")
		}
	}
	if v, ok := f.need("at", "the local time, such as "+clockOf(r.Every)); ok {
		r.At = v.clock(r.Every)
	}
	switch r.Every {
	case schedule.Weekly:
		if v, ok := f.need("on", "the day of the week, such as on: monday"); ok {
			r.On = v.weekday()
		}
	case schedule.Monthly:
		if v, ok := f.need("on", "the day of the month, such as on: 1"); ok {
			r.Day = v.dayOfMonth()
		}
	default:
		f.without(r.Every, "on")
	}
	f.without(r.Every, "anchor")
}

// without adds a problem for each of the keys that is there, since periods of this kind have
// no use for them.
func (f fields) without(every schedule.Unit, keys ...string) {
	for _, key := range keys {
		if v, ok := f.get(key); ok && every == schedule.Elapsed {
			v.problemAt(v.key, "a duration is counted in elapsed time: give anchor, such as anchor: \"2026-01-01T00:00Z\", or every: hour, day, week or month")
		} else if ok {
			v.problemAt(v.key, "has no meaning with every: %s", every)
		}
	}
}

// leastSpan is the shortest time after which a backfill is repeated.
const leastSpan = time.Minute

// elapsed reads what belongs to a duration.
func (f fields) elapsed(r *schedule.Rule, every value) {
	text, _ := every.measure(anyPeriod)
	span, err := window.ParseDuration(text)
	switch {
	case err != nil:
		every.problem("%q: want %s", text, anyPeriod)
		return
	case span < leastSpan:
		every.problem("%v is too often; want 1m or more", span)
	default:
		r.Span = span
	}
	f.without(schedule.Elapsed, "at", "on", "zone")
	r.Anchor = time.Unix(0, 0).UTC()
	if v, ok := f.get("anchor"); ok {
		r.Anchor = v.instant()
	}
}

// instant reads one of whole seconds, with its offset.
func (v value) instant() time.Time {
	const want = `an instant with its offset, in quotes, such as "2026-01-01T00:00Z"`
	if !v.isText() {
		v.unwanted(want)
		return time.Time{}
	}
	text, _ := v.text()
	for _, layout := range []string{"2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil && t.Nanosecond() == 0 {
			return t.UTC()
		}
	}
	v.problem("%q: want %s", text, want)
	return time.Time{}
}

func clockOf(every schedule.Unit) string {
	if every == schedule.Hourly {
		return `":15"`
	}
	return `"03:00"`
}

// clock reads a time of the day, or of an hour the minute.
func (v value) clock(every schedule.Unit) time.Duration {
	text, ok := v.measure("a time in quotes, such as " + clockOf(every))
	if !ok {
		return 0
	}
	written := text
	if every == schedule.Hourly {
		minute, colon := strings.CutPrefix(text, ":")
		if written = "00:" + minute; !colon {
			written = ""
		}
	}
	t, err := time.Parse("15:04", written)
	if err != nil || len(written) != len("15:04") {
		v.problem("%q: want a time in quotes, such as %s", text, clockOf(every))
		return 0
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
}

func (v value) weekday() time.Weekday {
	var names []string
	for day := time.Sunday; day <= time.Saturday; day++ {
		names = append(names, strings.ToLower(day.String()))
	}
	name, _ := v.oneOf(names...)
	return time.Weekday(max(0, slices.Index(names, name)))
}

func (v value) dayOfMonth() int {
	const want = "a day of the month, 1 to 31; where a month has fewer days it is the last one"
	text, ok := v.measure(want)
	n, err := strconv.Atoi(text)
	if ok && (err != nil || n < 1 || n > 31) {
		v.problem("%q: want %s", text, want)
		return 1
	}
	return n
}
