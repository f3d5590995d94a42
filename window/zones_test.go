package window

import (
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/internal/digest"
	"strandline/internal/zone"
)

func zoned(t *testing.T, name string) zone.Zone {
	t.Helper()
	z, err := zone.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// everyZone returns the zones of the database, one of those that have the same rules.
func everyZone(t *testing.T) []zone.Zone {
	t.Helper()
	names, err := zone.Names()
	if err != nil {
		t.Fatal(err)
	}
	var zones []zone.Zone
	seen := map[digest.Hash]bool{}
	for _, name := range names {
		if z := zoned(t, name); !seen[z.Digest()] {
			seen[z.Digest()] = true
			zones = append(zones, z)
		}
	}
	return zones
}

// changes returns the instants from which on clocks of a zone are put forward or
// back, all of them before 2040, and of those after it, which follow one rule, few.
func changes(z zone.Zone) (instants []int64) {
	const step = 10 * dayMicros
	until := at("2200-01-01T00:00:00Z").UnixMicro()
	offset := func(instant int64) int64 { return z.Local(instant) - instant }
	for from := at("1900-01-01T00:00:00Z").UnixMicro(); from < until; from += step {
		low, high := from, from+step
		if offset(low) == offset(high) {
			continue
		}
		for high-low > 1 {
			if middle := low + (high-low)/2; offset(middle) == offset(low) {
				low = middle
			} else {
				high = middle
			}
		}
		if instants = append(instants, high); high > at("2040-01-01T00:00:00Z").UnixMicro() {
			from += 3000 * dayMicros
		}
	}
	return instants
}

// Around each time at which clocks of some zone were or will be put forward or back, and
// around some at which they are not: partitions of every grain follow each
// other without gap or overlap, and their names parse back and sort as they do.
// An hour that clocks are put forward past is said to be that, and not that its bounds are the wrong way round.
func TestARangeThatClocksPassOverIsToldAsThat(t *testing.T) {
	berlin := Grain{UnitHour, zoned(t, "Europe/Berlin")}
	const over, backwards = "are put forward past it", "must be later than --from"
	for _, c := range []struct{ from, to, says string }{
		{"2026-03-29T02", "2026-03-29T03", over},
		{"2026-03-29T02:30", "2026-03-29T03", over},
		{"2026-03-29T03", "2026-03-29T02", backwards},
		{"2026-03-30", "2026-03-29T02", backwards},
		{"2026-03-29T04", "2026-03-29T04", backwards},
		{"2026-03-29T02:00:00+01:00", "2026-03-29T03:00:00+02:00", backwards},
	} {
		if _, err := ParseRange(c.from, c.to, berlin); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s to %s: %v, want %q", c.from, c.to, err, c.says)
		}
	}
}

func TestPartitionsOfEveryZoneCoverTimeAndHaveTheirNames(t *testing.T) {
	for _, z := range everyZone(t) {
		instants := changes(z)
		for _, year := range []int{1900, 1969, 2024, 2199} {
			instants = append(instants, time.Date(year, 12, 31, 12, 0, 0, 0, time.UTC).UnixMicro())
		}
		for _, unit := range Units {
			slices.Sort(instants)
			g, covered := Grain{unit, z}, int64(0)
			for _, instant := range instants {
				if instant >= covered {
					covered = follow(t, g, instant)
				}
			}
		}
	}
}

// follow checks the partitions around an instant, and returns the end of the last.
func follow(t *testing.T, g Grain, instant int64) (end int64) {
	t.Helper()
	p := g.Containing(time.UnixMicro(g.startOf(instant) - 1))
	for i := 0; i < 4 || p.Start.UnixMicro() <= instant; i++ {
		if back, err := g.Parse(p.String()); err != nil || back != p {
			t.Fatalf("%s: %s, %s, parses to %s, %v", g, p, p.Interval, back.Interval, err)
		}
		for _, inside := range []time.Time{p.Start, p.End.Add(-time.Microsecond)} {
			if !p.Contains(inside) || g.Containing(inside) != p {
				t.Fatalf("%s: %s is put in %s and not in %s", g, inside, g.Containing(inside), p)
			}
		}
		next := p.Next()
		if !next.Start.Equal(p.End) || next.String() <= p.String() {
			t.Fatalf("%s: %s, %s, is followed by %s, %s", g, p, p.Interval, next, next.Interval)
		}
		p = next
	}
	return p.Start.UnixMicro()
}

func TestPartitionsWhereClocksChange(t *testing.T) {
	for _, c := range []struct {
		unit       Unit
		zone, name string
		start, end string
	}{
		{UnitDay, "Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"}, // 23 hours
		{UnitDay, "Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"}, // 25 hours
		{UnitWeek, "Europe/Berlin", "2026-W43", "2026-10-18T22:00:00Z", "2026-10-25T23:00:00Z"},
		{UnitWeek, "Europe/Berlin", "2020-W53", "2020-12-27T23:00:00Z", "2021-01-03T23:00:00Z"},
		{UnitMonth, "Europe/Berlin", "2026-03", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},
		{UnitYear, "Europe/Berlin", "2026", "2025-12-31T23:00:00Z", "2026-12-31T23:00:00Z"},
		{UnitYear, "Asia/Kathmandu", "1986", "1985-12-31T18:30:00Z", "1986-12-31T18:15:00Z"},
		{UnitDay, "Asia/Kolkata", "2026-01-01", "2025-12-31T18:30:00Z", "2026-01-01T18:30:00Z"},
		{UnitHour, "Asia/Kolkata", "2025-12-31T18:30Z", "2025-12-31T18:30:00Z", "2025-12-31T19:30:00Z"},
		{UnitHour, "Europe/Berlin", "2026-10-25T00:00Z", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"},
		{UnitHour, "Europe/Berlin", "2026-10-25T01:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"},
		{UnitDay, "Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z"},
		{UnitHour, "Australia/Lord_Howe", "2026-04-05T13:00Z", "2026-04-05T13:00:00Z", "2026-04-05T13:30:00Z"}, // what is left
		{UnitQuarter, "Australia/Lord_Howe", "2026-04-05T13:15Z", "2026-04-05T13:15:00Z", "2026-04-05T13:30:00Z"},
		{UnitDay, "Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"},
		{UnitDay, "Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"},
		{UnitDay, "America/St_Johns", "2006-10-29", "2006-10-29T02:30:00Z", "2006-10-30T03:30:00Z"},  // from the first midnight on
		{UnitDay, "America/Havana", "2024-11-03", "2024-11-03T04:00:00Z", "2024-11-04T05:00:00Z"},    // likewise
		{UnitDay, "America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"}, // no midnight
		{UnitDay, "America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z"}, // midnight put back
		{UnitDay, "Africa/Monrovia", "1971-06-01", "1971-06-01T00:44:30Z", "1971-06-02T00:44:30Z"},   // a mean time
		{UnitHour, "Africa/Monrovia", "1971-06-01T00:44:30Z", "1971-06-01T00:44:30Z", "1971-06-01T01:44:30Z"},
		{UnitDay, "Europe/Berlin", "2199-07-01", "2199-06-30T22:00:00Z", "2199-07-01T22:00:00Z"},
		{UnitQuarter, "UTC", "2026-10-25T00:15", "2026-10-25T00:15:00Z", "2026-10-25T00:30:00Z"},
		{UnitHour, "UTC", "2026-10-25T00", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"},
		{UnitWeek, "UTC", "2027-W01", "2027-01-04T00:00:00Z", "2027-01-11T00:00:00Z"},
		{UnitYear, "UTC", "1968", "1968-01-01T00:00:00Z", "1969-01-01T00:00:00Z"},
	} {
		p, err := Grain{c.unit, zoned(t, c.zone)}.Parse(c.name)
		if want := (Interval{at(c.start), at(c.end)}); err != nil || p.Interval != want {
			t.Errorf("%s %s: %s is %s, want %s; %v", c.unit, c.zone, c.name, p.Interval, want, err)
		}
	}
}

func TestNamesThatNoPartitionHas(t *testing.T) {
	for _, c := range []struct {
		unit       Unit
		zone, name string
	}{
		{UnitDay, "Pacific/Apia", "2011-12-30"}, // left out
		{UnitDay, "UTC", "2026-02-29"},
		{UnitDay, "UTC", "2026-2-28"},
		{UnitDay, "UTC", "2026-02-28T00"},
		{UnitWeek, "UTC", "2026-W54"},
		{UnitWeek, "UTC", "2025-W53"},
		{UnitWeek, "UTC", "2026-W00"},
		{UnitWeek, "UTC", "2026-W-1"},
		{UnitWeek, "UTC", "2026-W011"},
		{UnitWeek, "UTC", "2026-01"},
		{UnitHour, "Europe/Berlin", "2026-10-25T00"},
		{UnitHour, "Europe/Berlin", "2026-10-25T00:30Z"}, // inside one
		{UnitHour, "Asia/Kolkata", "2026-10-25T00:00Z"},
		{UnitHour, "UTC", "2026-10-25T00:00Z"},
		{UnitQuarter, "UTC", "2026-10-25T00:10"},
		{UnitYear, "UTC", "26"},
	} {
		if p, err := (Grain{c.unit, zoned(t, c.zone)}).Parse(c.name); err == nil {
			t.Errorf("%s %s: %s is taken for %s, %s", c.unit, c.zone, c.name, p, p.Interval)
		}
	}
}

func TestGrainsReadBack(t *testing.T) {
	for _, g := range []Grain{GrainHour, GrainDay, GrainMonth, {UnitWeek, zoned(t, "America/Argentina/Ushuaia")}, {UnitQuarter, zoned(t, "Asia/Kolkata")}} {
		if back, err := ParseGrain(g.String()); err != nil || back != g {
			t.Errorf("%s reads back as %s, %v", g, back, err)
		}
	}
	for _, text := range []string{"", "fortnight", "day Europe/Atlantis", "day ", "Day"} {
		if g, err := ParseGrain(text); err == nil {
			t.Errorf("%q is taken for %s", text, g)
		}
	}
}

func TestAGrainHasItsPartitionsAlone(t *testing.T) {
	g := Grain{UnitDay, zoned(t, "Europe/Berlin")}
	p := g.Containing(at("2026-10-25T12:00:00Z"))
	for _, c := range []struct {
		name       string
		start, end time.Time
		want       bool
	}{
		{p.String(), p.Start, p.End, true},
		{"2026-10-24", p.Start, p.End, false},
		{p.String(), p.Start.Add(time.Hour), p.End, false},
		{p.String(), p.Start, p.End.Add(-time.Hour), false},
	} {
		if got := g.has(c.name, c.start, c.end); got != c.want {
			t.Errorf("%s from %s to %s is one: %v, want %v", c.name, c.start, c.end, got, c.want)
		}
	}
}
