package schedule

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"strandline/internal/zone"
)

func in(t interface{ Fatal(...any) }, name string) zone.Zone {
	z, err := zone.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func at(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04Z", s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func clock(hours, minutes int) time.Duration {
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
}

func TestARuleIsDueByTheClocksOfItsZone(t *testing.T) {
	berlin, apia, howe := in(t, "Europe/Berlin"), in(t, "Pacific/Apia"), in(t, "Australia/Lord_Howe")
	anchor := at(t, "2026-01-01T00:30Z")
	for _, c := range []struct {
		name string
		rule Rule
		from string // it is due at none of these, from here on, but at:
		want []string
	}{
		{"every day", Rule{Every: Daily, At: clock(3, 0)}, "2026-02-27T03:00Z",
			[]string{"2026-02-28T03:00Z", "2026-03-01T03:00Z"}},
		{"a local day", Rule{Every: Daily, At: clock(3, 0), Zone: berlin}, "2026-03-27T12:00Z",
			[]string{"2026-03-28T02:00Z", "2026-03-29T01:00Z", "2026-03-30T01:00Z"}},
		{"a time that is skipped comes once, later", Rule{Every: Daily, At: clock(2, 30), Zone: berlin}, "2026-03-28T12:00Z",
			[]string{"2026-03-29T01:30Z", "2026-03-30T00:30Z"}},
		{"a time that comes twice is due once, the first time", Rule{Every: Daily, At: clock(2, 30), Zone: berlin}, "2026-10-24T12:00Z",
			[]string{"2026-10-25T00:30Z", "2026-10-26T01:30Z"}},
		{"a date that is left out", Rule{Every: Daily, At: clock(3, 0), Zone: apia}, "2011-12-29T00:00Z",
			[]string{"2011-12-29T13:00Z", "2011-12-30T13:00Z", "2011-12-31T13:00Z"}},
		{"every hour", Rule{Every: Hourly, At: clock(0, 15)}, "2026-01-01T00:14Z",
			[]string{"2026-01-01T00:15Z", "2026-01-01T01:15Z", "2026-01-01T02:15Z"}},
		{"both hours when clocks go back", Rule{Every: Hourly, At: clock(0, 15), Zone: berlin}, "2026-10-24T23:00Z",
			[]string{"2026-10-24T23:15Z", "2026-10-25T00:15Z", "2026-10-25T01:15Z", "2026-10-25T02:15Z"}},
		{"no hour twice when they go forward", Rule{Every: Hourly, At: clock(0, 15), Zone: berlin}, "2026-03-29T00:00Z",
			[]string{"2026-03-29T00:15Z", "2026-03-29T01:15Z", "2026-03-29T02:15Z"}},
		{"a minute that comes twice in half an hour", Rule{Every: Hourly, At: clock(0, 45), Zone: howe}, "2026-04-04T14:00Z",
			[]string{"2026-04-04T14:45Z", "2026-04-04T15:15Z", "2026-04-04T16:15Z"}},
		{"monday", Rule{Every: Weekly, On: time.Monday, At: clock(0, 0), Zone: berlin}, "2026-03-23T12:00Z",
			[]string{"2026-03-29T22:00Z", "2026-04-05T22:00Z"}},
		{"sunday, before 1970", Rule{Every: Weekly, On: time.Sunday, At: clock(23, 59)}, "1969-12-21T23:59Z",
			[]string{"1969-12-28T23:59Z", "1970-01-04T23:59Z"}},
		{"the last day of a short month", Rule{Every: Monthly, Day: 31, At: clock(1, 0)}, "2026-01-31T01:00Z",
			[]string{"2026-02-28T01:00Z", "2026-03-31T01:00Z", "2026-04-30T01:00Z"}},
		{"the first of a month", Rule{Every: Monthly, Day: 1, At: clock(0, 30), Zone: berlin}, "2026-10-31T23:29Z",
			[]string{"2026-10-31T23:30Z", "2026-11-30T23:30Z"}},
		{"a span", Rule{Span: 6 * time.Hour, Anchor: anchor}, "2026-01-01T00:30Z",
			[]string{"2026-01-01T06:30Z", "2026-01-01T12:30Z"}},
		{"before the anchor", Rule{Span: 6 * time.Hour, Anchor: anchor}, "2025-12-31T12:00Z",
			[]string{"2025-12-31T12:30Z", "2025-12-31T18:30Z"}},
	} {
		from := at(t, c.from)
		for _, want := range c.want {
			next := c.rule.Next(from)
			if !next.Equal(at(t, want)) {
				t.Errorf("%s (%s): after %s got %s, want %s", c.name, c.rule, from, next, want)
			}
			if latest := c.rule.Latest(next); !latest.Equal(next) {
				t.Errorf("%s (%s): the latest up to %s is %s", c.name, c.rule, next, latest)
			}
			from = next
		}
	}
}

// Whoever looks often and whoever looks seldom see the same dues, in order, each once:
// Next and Latest tell of one and the same row of instants.
func TestLatestAndNextTellOfTheSameInstants(t *testing.T) {
	names, err := zone.Names()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		rule := Rule{
			Every: rapid.SampledFrom(append(Units, Elapsed)).Draw(r, "every"), Zone: in(r, rapid.SampledFrom(names).Draw(r, "zone")),
			At: time.Duration(rapid.IntRange(0, 24*60-1).Draw(r, "at")) * time.Minute,
			On: time.Weekday(rapid.IntRange(0, 6).Draw(r, "on")), Day: rapid.IntRange(1, 31).Draw(r, "day"),
			Span: time.Duration(rapid.IntRange(1, 100_000).Draw(r, "span")) * time.Second, Anchor: time.Unix(rapid.Int64Range(-1<<33, 1<<33).Draw(r, "anchor"), 0),
		}
		if rule.Every == Hourly {
			rule.At %= time.Hour
		}
		now := time.UnixMicro(rapid.Int64Range(-2_208_988_800_000_000, 7_258_118_400_000_000).Draw(r, "now"))
		last := rule.Latest(now)
		if last.After(now) || !rule.Latest(last).Equal(last) {
			r.Fatalf("%s: the latest up to %s is %s", rule, now, last)
		}
		for range 5 {
			next := rule.Next(last)
			if !next.After(last) {
				r.Fatalf("%s: after %s comes %s", rule, last, next)
			}
			if before := rule.Latest(next.Add(-time.Microsecond)); !before.Equal(last) {
				r.Fatalf("%s: %s follows %s, but the latest before it is %s", rule, next, last, before)
			}
			if most := 32 * 24 * time.Hour; rule.Every != Elapsed && next.Sub(last) > most {
				r.Fatalf("%s: nothing is due from %s to %s", rule, last, next)
			}
			last = next
		}
		if first := rule.Next(now); first.Before(now) || rule.Latest(now).After(first) {
			r.Fatalf("%s: after %s comes %s", rule, now, first)
		}
	})
}
