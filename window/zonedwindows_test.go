package window

import (
	"fmt"
	"testing"
	"time"

	"strandline/internal/duck"
)

func TestWindowsOfAZoneFollowItsDays(t *testing.T) {
	const hour, day = time.Hour, 24 * time.Hour
	for _, c := range []struct {
		zone       string
		w          Window
		inside     string
		start, end string
	}{
		{"Europe/Berlin", Window{Kind: Tumbling, Size: day}, "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"Europe/Berlin", Window{Kind: Tumbling, Size: day, Offset: 6 * hour}, "2026-03-29T12:00:00Z", "2026-03-29T04:00:00Z", "2026-03-30T04:00:00Z"},
		{"Europe/Berlin", Window{Kind: Tumbling, Size: day, Offset: 6 * hour}, "2026-03-29T03:00:00Z", "2026-03-28T05:00:00Z", "2026-03-29T04:00:00Z"},
		{"Europe/Berlin", Window{Kind: Tumbling, Size: 7 * day}, "1970-01-01T00:00:00Z", "1969-12-31T23:00:00Z", "1970-01-07T23:00:00Z"},
		{"Europe/Berlin", Window{Kind: Tumbling, Unit: UnitWeek}, "2026-10-25T22:59:59Z", "2026-10-18T22:00:00Z", "2026-10-25T23:00:00Z"},
		{"Europe/Berlin", Window{Kind: Tumbling, Unit: UnitMonth, Offset: 6 * hour}, "2026-03-01T04:00:00Z", "2026-02-01T05:00:00Z", "2026-03-01T05:00:00Z"},
		{"UTC", Window{Kind: Tumbling, Unit: UnitMonth}, "2024-02-29T12:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
		{"UTC", Window{Kind: Tumbling, Unit: UnitWeek, Offset: hour}, "1969-12-29T00:30:00Z", "1969-12-22T01:00:00Z", "1969-12-29T01:00:00Z"},
		{"UTC", Window{Kind: Tumbling, Unit: UnitYear}, "1968-12-31T23:00:00Z", "1968-01-01T00:00:00Z", "1969-01-01T00:00:00Z"},
		{"UTC", Window{Kind: Tumbling, Size: 7 * day}, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1970-01-08T00:00:00Z"},
		{"Asia/Kolkata", Window{Kind: Tumbling, Size: hour}, "2026-03-01T00:00:00Z", "2026-02-28T23:30:00Z", "2026-03-01T00:30:00Z"},
		{"Asia/Kolkata", Window{Kind: Tumbling, Size: hour, Offset: hour / 2}, "2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-03-01T01:00:00Z"},
		{"Australia/Lord_Howe", Window{Kind: Tumbling, Size: 6 * hour}, "2026-04-05T13:15:00Z", "2026-04-05T13:00:00Z", "2026-04-05T13:30:00Z"},
		{"Pacific/Apia", Window{Kind: Tumbling, Size: 2 * day}, "2011-12-30T09:59:59Z", "2011-12-28T10:00:00Z", "2011-12-30T10:00:00Z"},
		{"Pacific/Apia", Window{Kind: Tumbling, Size: 2 * day}, "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"}, // the 31st
		{"Europe/Berlin", Window{Kind: Hopping, Size: 2 * day, Every: day}, "2026-03-28T12:00:00Z", "2026-03-27T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"Europe/Berlin", Window{Kind: Hopping, Size: 36 * hour, Every: day}, "2026-03-28T12:00:00Z", "2026-03-27T23:00:00Z", "2026-03-29T11:00:00Z"},
		{"Europe/Berlin", Window{Kind: Hopping, Size: day, Every: hour}, "2026-03-28T12:00:00Z", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"},
	} {
		c.w.Zone = zoned(t, c.zone)
		start := c.w.floor(at(c.inside).UnixMicro())
		if got, want := (span{start, c.w.end(start)}).interval(), (Interval{at(c.start), at(c.end)}); got != want {
			t.Errorf("%s of %+v in %s is %s, want %s", c.inside, c.w, c.zone, got, want)
		}
		if c.w.ceil(start) != start || c.w.ceil(start+1) <= start {
			t.Errorf("%+v in %s: after %s the next window starts at %d", c.w, c.zone, c.start, c.w.ceil(start+1))
		}
	}
}

// A row of a zone's windows goes back over those that it lies in, and not over all that
// start in the partition, of which this one has 90 thousand million.
func TestARowOfAZoneCostsTheWindowsThatItLiesIn(t *testing.T) {
	engine, err := duck.Open(t.Context(), duck.Options{Scratch: t.TempDir(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	session, err := engine.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	berlin := zoned(t, "Europe/Berlin")
	w := Window{Kind: Hopping, Size: time.Millisecond, Every: time.Microsecond}.InZone(berlin)
	for _, day := range []string{"2026-03-29", "2026-07-01", "2026-10-25"} {
		p, err := Grain{UnitDay, berlin}.Parse(day)
		if err != nil {
			t.Fatal(err)
		}
		rows := fmt.Sprintf("FROM (SELECT make_timestamptz(%d + n * 3600000000) AS event_time FROM range(1, 11) of(n))", p.Start.UnixMicro())
		if n, err := session.Count(t.Context(), "("+w.sql(rows, seen{starting: p.span()})+")"); err != nil || n != 10*1000 {
			t.Errorf("on %s 10 rows are seen %d times, %v", day, n, err)
		}
	}
}

// A window is never longer than what planning takes for the longest.
func TestNoWindowIsLongerThanTheLongest(t *testing.T) {
	const day = 24 * time.Hour
	windows := []Window{
		{Kind: Tumbling, Size: day}, {Kind: Tumbling, Size: 2 * day}, {Kind: Hopping, Size: 7 * day, Every: day},
		{Kind: Tumbling, Unit: UnitWeek}, {Kind: Tumbling, Unit: UnitMonth}, {Kind: Tumbling, Unit: UnitYear},
	}
	for _, z := range everyZone(t) {
		for _, instant := range changes(z) {
			for _, w := range windows {
				w.Zone = z
				if start := w.floor(instant - 1); w.end(start)-start > w.longest().Microseconds() {
					t.Fatalf("%+v in %s: from %s to %s is longer than %s", w, z, time.UnixMicro(start).UTC(), time.UnixMicro(w.end(start)).UTC(), w.longest())
				}
			}
		}
	}
}
