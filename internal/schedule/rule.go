// Package schedule tells which backfills a job repeats, and at which instants they are
// due. It is pure: it has no clock, and starts nothing.
package schedule

import (
	"fmt"
	"strings"
	"time"

	"strandline/internal/zone"
	"strandline/window"
)

// Rule says at which instants something is due: by the clocks of a place, or each time a
// span has passed. Rules of the same String are due at the same instants, as long as the
// rules of their zone are the same.
//
// A local time that clocks show twice, since they are put back, is due once: at the earlier
// of the two. One that they are put forward past is due once too, as much later as they are
// put forward: where they go from 02:00 to 03:00, 02:30 is 03:30. Hourly rules are
// otherwise: they are due whenever clocks show their minute, so in both of the hours
// that are shown twice, and not twice in the one that is reached by going forward.
type Rule struct {
	Every Unit
	// At is the time since the period began: of the day, or of Hourly of the hour.
	At time.Duration
	On time.Weekday // of Weekly
	// Day is the day of the month of Monthly, 1 … 31. In a month that has fewer days it
	// is the last one.
	Day  int
	Zone zone.Zone
	// Span and Anchor are of Elapsed: it is due a whole number of spans, at least a second, from
	// the anchor.
	Span   time.Duration
	Anchor time.Time
}

// Unit is what repeats.
type Unit string

// The units. Elapsed is none of the calendar.
const (
	Hourly  Unit = "hour"
	Daily   Unit = "day"
	Weekly  Unit = "week"
	Monthly Unit = "month"
	Elapsed Unit = ""
)

// Units are those of the calendar.
var Units = []Unit{Hourly, Daily, Weekly, Monthly}

// Next returns the first instant after t at which the rule is due.
func (r Rule) Next(t time.Time) time.Time {
	after := t.UnixMicro()
	return instant(r.near(after, func(due int64) bool { return due > after }, -1))
}

// Latest returns the last instant up to t, t included, at which the rule is due.
func (r Rule) Latest(t time.Time) time.Time {
	upTo := t.UnixMicro()
	return instant(r.near(upTo, func(due int64) bool { return due <= upTo }, 1))
}

func instant(us int64) time.Time { return time.UnixMicro(us).UTC() }

// near returns of the due instants around another that fit the first one, or the last one
// if later is 1.
func (r Rule) near(around int64, fits func(int64) bool, later int64) (found int64) {
	any := false
	for _, due := range r.around(around) {
		if fits(due) && (!any || (due-found)*later > 0) {
			found, any = due, true
		}
	}
	return found
}

const (
	hour = int64(time.Hour / time.Microsecond)
	day  = 24 * hour
)

// around lists the due instants near one, in any order: at least the nearest before it,
// at it and after it. Clocks are at most a day off what they would show without changes.
func (r Rule) around(at int64) (dues []int64) {
	local := r.Zone.Local(at)
	switch r.Every {
	case Hourly:
		first := floor(local, hour) - 26
		for n := range int64(2 * 26) {
			earlier, later, _ := r.Zone.Instants((first+n)*hour + r.offset())
			dues = append(dues, earlier, later)
		}
	case Daily, Weekly, Monthly:
		for n := int64(-2); n <= 2; n++ {
			earlier, _, _ := r.Zone.Instants(r.date(local, n)*day + r.offset())
			dues = append(dues, earlier)
		}
	default:
		span, anchor := r.Span.Microseconds(), r.Anchor.UnixMicro()
		n := floor(at-anchor, span)
		dues = append(dues, anchor+n*span, anchor+(n+1)*span)
	}
	return dues
}

func (r Rule) offset() int64 { return r.At.Microseconds() }

// date returns the date on which the rule is due, in days since 1970-01-01, in the n-th
// period after that of a local time.
func (r Rule) date(local, n int64) int64 {
	today := floor(local, day)
	switch r.Every {
	case Weekly:
		const thursday = 3 // 1970-01-01, in days since a Monday
		monday := today - (today+thursday)%7
		if monday > today {
			monday -= 7 // dates before 1970
		}
		return monday + 7*n + int64(r.On+6)%7
	case Monthly:
		at := time.UnixMicro(local).UTC()
		first := time.Date(at.Year(), at.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
		days := first.AddDate(0, 1, -1).Day()
		return floor(first.UnixMicro(), day) + int64(min(r.Day, days)) - 1
	}
	return today + n
}

// floor divides, and rounds down also below zero.
func floor(a, b int64) int64 {
	n := a / b
	if a%b < 0 {
		n--
	}
	return n
}

// String tells the rule as a person would.
func (r Rule) String() string {
	at := fmt.Sprintf("%02d:%02d", int(r.At/time.Hour), int(r.At%time.Hour/time.Minute))
	switch r.Every {
	case Hourly:
		return fmt.Sprintf("every hour at %s %s", at[2:], r.Zone)
	case Daily:
		return fmt.Sprintf("every day at %s %s", at, r.Zone)
	case Weekly:
		return fmt.Sprintf("every %s at %s %s", strings.ToLower(r.On.String()), at, r.Zone)
	case Monthly:
		return fmt.Sprintf("every month on day %d at %s %s", r.Day, at, r.Zone)
	}
	return fmt.Sprintf("every %s from %s", written(r.Span), r.Anchor.UTC().Format("2006-01-02T15:04:05Z"))
}

// written is a duration as people write it in a configuration.
func written(d time.Duration) string {
	if days := d / (24 * time.Hour); days > 0 && d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%dd", days)
	}
	return window.FormatDuration(d)
}
