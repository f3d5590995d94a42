package schedule

import (
	"testing"
	"time"

	"strandline/window"
)

func TestAScheduleTellsAllThatMakesItAnother(t *testing.T) {
	berlin := in(t, "Europe/Berlin")
	daily := Rule{Every: Daily, At: clock(3, 0), Zone: berlin}
	seen := map[string]bool{}
	for _, c := range []struct {
		s    Schedule
		want string
	}{
		{Schedule{Rule: daily, Last: 72 * time.Hour, Order: window.Newest},
			"every day at 03:00 Europe/Berlin: what is not fresh of the last 3d, newest first"},
		{Schedule{Rule: daily, Only: []window.State{window.Missing, window.Stale}, Order: window.Oldest},
			"every day at 03:00 Europe/Berlin: what is missing or stale, oldest first"},
		{Schedule{Rule: Rule{Every: Hourly, At: clock(0, 5)}, Last: 90 * time.Minute, Again: true, Order: window.Random},
			"every hour at :05 UTC: every partition of the last 1h30m, in random order"},
		{Schedule{Rule: Rule{Every: Weekly, On: time.Monday}, Last: 25 * time.Hour, Order: window.Newest},
			"every monday at 00:00 UTC: what is not fresh of the last 25h, newest first"},
		{Schedule{Rule: Rule{Every: Monthly, Day: 31, At: clock(23, 59)}, Last: time.Hour, Order: window.Newest},
			"every month on day 31 at 23:59 UTC: what is not fresh of the last 1h, newest first"},
		{Schedule{Rule: Rule{Span: 48 * time.Hour, Anchor: at(t, "2026-01-01T00:30Z")}, Last: time.Hour, Order: window.Newest},
			"every 2d from 2026-01-01T00:30:00Z: what is not fresh of the last 1h, newest first"},
	} {
		if got := c.s.String(); got != c.want || seen[got] {
			t.Errorf("got %q, want %q", got, c.want)
		}
		seen[c.want] = true
	}
}

func TestWhatWasMissedIsMadeUpOnceAndAClockThatGoesBackRunsNothingTwice(t *testing.T) {
	s := Schedule{Rule: Rule{Every: Daily, At: clock(3, 0)}}
	last := at(t, "2026-03-01T12:00Z") // it was first seen then
	for _, step := range []struct {
		now  string
		want string // "" where nothing is due
	}{
		{"2026-03-01T12:00Z", ""},
		{"2026-03-02T02:59Z", ""},
		{"2026-03-02T03:00Z", "2026-03-02T03:00Z"},
		{"2026-03-02T04:00Z", ""},
		{"2026-03-09T02:00Z", "2026-03-08T03:00Z"}, // nobody was running for a week
		{"2026-03-09T02:30Z", ""},
		{"2026-03-05T03:00Z", ""}, // the clock is put back
		{"2026-03-09T03:00Z", "2026-03-09T03:00Z"},
		{"2026-03-09T02:59Z", ""}, // another machine's clock
	} {
		due, is := s.Due(last, at(t, step.now))
		if is != (step.want != "") || is && !due.Equal(at(t, step.want)) {
			t.Fatalf("at %s: due %v at %s, want %q", step.now, is, due, step.want)
		}
		if is {
			last = due
		}
	}
}
