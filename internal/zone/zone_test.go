package zone

import (
	"errors"
	"testing"
	"time"
)

func load(t *testing.T, name string) Zone {
	t.Helper()
	z, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// micros reads an instant, or a local time with a Z that means nothing.
func micros(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMicro()
}

func written(micros int64) string { return time.UnixMicro(micros).UTC().Format(time.RFC3339Nano) }

func TestLocalTimesAreThoseOfTheDatabase(t *testing.T) {
	for _, c := range []struct{ zone, instant, local string }{
		{"UTC", "2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"},
		{"Europe/Berlin", "2026-03-29T00:59:59.999999Z", "2026-03-29T01:59:59.999999Z"},
		{"Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00Z"},
		{"Europe/Berlin", "2026-10-25T00:59:59Z", "2026-10-25T02:59:59Z"},
		{"Europe/Berlin", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"},
		{"Europe/Berlin", "1850-01-01T00:00:00Z", "1850-01-01T00:53:28Z"}, // local mean time
		{"Europe/Berlin", "2199-07-01T00:00:00Z", "2199-07-01T02:00:00Z"},
		{"Europe/Berlin", "9999-07-01T00:00:00Z", "9999-07-01T02:00:00Z"},
		{"Europe/Berlin", "9999-12-31T00:00:00Z", "9999-12-31T01:00:00Z"},
		{"Asia/Kolkata", "2026-03-01T00:00:00Z", "2026-03-01T05:30:00Z"},
		{"Asia/Kathmandu", "1985-12-31T18:29:59Z", "1985-12-31T23:59:59Z"},
		{"Asia/Kathmandu", "1985-12-31T18:30:00Z", "1986-01-01T00:15:00Z"}, // its rules changed
		{"Australia/Lord_Howe", "2026-04-04T15:00:00Z", "2026-04-05T01:30:00Z"},
		{"Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29T23:59:59Z"},
		{"Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31T00:00:00Z"}, // no 30 December
	} {
		if got := written(load(t, c.zone).Local(micros(t, c.instant))); got != c.local {
			t.Errorf("%s at %s: clocks show %s, want %s", c.zone, c.instant, got, c.local)
		}
	}
}

func TestLocalTimesThatAreMissingOrTwice(t *testing.T) {
	for _, c := range []struct {
		zone, local, earlier, later string
		shown                       Shown
	}{
		{"UTC", "2026-03-29T02:30:00Z", "2026-03-29T02:30:00Z", "2026-03-29T02:30:00Z", Once},
		{"Europe/Berlin", "2026-03-29T01:59:59.999999Z", "2026-03-29T00:59:59.999999Z", "2026-03-29T00:59:59.999999Z", Once},
		{"Europe/Berlin", "2026-03-29T02:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z", Missing},
		{"Europe/Berlin", "2026-03-29T02:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T01:30:00Z", Missing},
		{"Europe/Berlin", "2026-03-29T03:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z", Once},
		{"Europe/Berlin", "2026-10-25T01:59:59Z", "2026-10-24T23:59:59Z", "2026-10-24T23:59:59Z", Once},
		{"Europe/Berlin", "2026-10-25T02:00:00Z", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", Twice},
		{"Europe/Berlin", "2026-10-25T02:59:59.999999Z", "2026-10-25T00:59:59.999999Z", "2026-10-25T01:59:59.999999Z", Twice},
		{"Europe/Berlin", "2026-10-25T03:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T02:00:00Z", Once},
		{"Europe/Berlin", "9998-10-25T02:30:00Z", "9998-10-25T00:30:00Z", "9998-10-25T01:30:00Z", Twice},
		{"Australia/Lord_Howe", "2026-04-05T01:45:00Z", "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z", Twice},
		{"Australia/Lord_Howe", "2026-10-04T02:15:00Z", "2026-10-03T15:45:00Z", "2026-10-03T15:45:00Z", Missing},
		{"Pacific/Apia", "2011-12-30T12:00:00Z", "2011-12-30T22:00:00Z", "2011-12-30T22:00:00Z", Missing},
		{"America/St_Johns", "2006-10-29T00:00:30Z", "2006-10-29T02:30:30Z", "2006-10-29T03:30:30Z", Twice},
		{"America/Havana", "2024-11-03T00:30:00Z", "2024-11-03T04:30:00Z", "2024-11-03T05:30:00Z", Twice},
		{"America/Sao_Paulo", "2018-11-04T00:30:00Z", "2018-11-04T03:30:00Z", "2018-11-04T03:30:00Z", Missing},
	} {
		earlier, later, shown := load(t, c.zone).Instants(micros(t, c.local))
		if written(earlier) != c.earlier || written(later) != c.later || shown != c.shown {
			t.Errorf("%s of %s: %s, %s, %v; want %s, %s, %v", c.local, c.zone, written(earlier), written(later), shown, c.earlier, c.later, c.shown)
		}
	}
}

func TestAMidnightThatIsMissingOrTwiceIsWhereTheDayBegins(t *testing.T) {
	for _, c := range []struct{ zone, midnight, instant string }{
		{"Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-28T23:00:00Z"},
		{"America/Havana", "2026-03-08T00:00:00Z", "2026-03-08T05:00:00Z"},    // put forward at midnight
		{"America/Havana", "2024-11-03T00:00:00Z", "2024-11-03T04:00:00Z"},    // midnight comes twice
		{"Asia/Amman", "2021-10-29T00:00:00Z", "2021-10-28T21:00:00Z"},        // likewise
		{"America/Sao_Paulo", "2018-02-18T00:00:00Z", "2018-02-18T03:00:00Z"}, // put back to the day before
		{"America/Sao_Paulo", "2018-11-04T00:00:00Z", "2018-11-04T03:00:00Z"},
		{"America/St_Johns", "2006-10-29T00:00:00Z", "2006-10-29T02:30:00Z"}, // put back at 00:01
		{"Pacific/Apia", "2011-12-30T00:00:00Z", "2011-12-30T10:00:00Z"},
		{"Pacific/Apia", "2011-12-31T00:00:00Z", "2011-12-30T10:00:00Z"},
		{"Europe/Berlin", "9999-07-01T00:00:00Z", "9999-06-30T22:00:00Z"},
		{"Europe/Berlin", "0001-07-01T00:00:00Z", "0001-06-30T23:06:32Z"},
	} {
		if got := written(load(t, c.zone).Since(micros(t, c.midnight))); got != c.instant {
			t.Errorf("%s of %s is since %s, want %s", c.midnight, c.zone, got, c.instant)
		}
	}
}

// Every stretch of every zone: its local times have the instants that they were made
// from, and the times between two stretches are missing or twice.
func TestEveryZoneResolvesWhatItsClocksShow(t *testing.T) {
	names, err := Names()
	if err != nil || len(names) < 500 {
		t.Fatalf("%d zones, %v", len(names), err)
	}
	for _, name := range names {
		z := load(t, name)
		if z.IsUTC() {
			continue
		}
		for i, c := range z.rules.changes {
			before := z.rules.offset(i - 1)
			if c.offset == before || max(c.offset, -c.offset) >= farthest {
				t.Fatalf("%s changes from %d to %d at %s", name, before, c.offset, written(c.at))
			}
			for _, instant := range []int64{c.at - 1, c.at, c.at + 1, c.at + second} {
				resolves(t, z, instant)
			}
			if gap := c.offset - before; gap > 0 {
				moved, _, shown := z.Instants(c.at + before)
				if shown != Missing || moved != c.at || z.Since(c.at+before) != c.at {
					t.Fatalf("%s: the time missing at %s is %s, %v", name, written(c.at), written(moved), shown)
				}
			}
		}
		resolves(t, z, covered+era/3)
	}
}

func resolves(t *testing.T, z Zone, instant int64) {
	t.Helper()
	local := z.Local(instant)
	earlier, later, shown := z.Instants(local)
	since := z.Since(local)
	switch {
	case shown == Missing, z.Local(earlier) != local, z.Local(later) != local, earlier != instant && later != instant:
		t.Fatalf("%s shows %s at %s, and that has the instants %s and %s, %v", z, written(local), written(instant), written(earlier), written(later), shown)
	case since > earlier, z.Local(since) < local, z.Local(since-1) >= local:
		t.Fatalf("%s is at or after %s since %s", z, written(local), written(since))
	}
}

func TestNamesThatTheDatabaseLacks(t *testing.T) {
	for _, name := range []string{"", "Europe/Atlantis", "europe/berlin", "version", "Europe", "../tzdata", "Europe/", "CEST"} {
		if z, err := Load(name); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q is %v, %v; want ErrUnknown", name, z, err)
		}
	}
}

func TestZonesOfANameAreEqualAndUTCIsTheZeroZone(t *testing.T) {
	tokyo, again := load(t, "Asia/Tokyo"), load(t, "Asia/Tokyo")
	if tokyo != again || tokyo == load(t, "Asia/Seoul") {
		t.Error("zones don't compare by their names")
	}
	for _, name := range []string{"UTC", "Etc/UTC", "Zulu", "Etc/GMT+0"} {
		if z := load(t, name); z != (Zone{}) || z.String() != "UTC" {
			t.Errorf("%s is %s", name, z)
		}
	}
}

func TestADigestIsOfTheRulesAlone(t *testing.T) {
	if a, b := load(t, "Asia/Calcutta"), load(t, "Asia/Kolkata"); a.Digest() != b.Digest() || a.Digest().IsZero() {
		t.Errorf("two names of the same rules have the digests %s and %s", a.Digest(), b.Digest())
	}
	z := load(t, "Europe/Berlin")
	now := z.rules.digestBetween(earliest, latest)
	for i, c := range z.rules.changes {
		if c.at < earliest || c.at >= latest || i%50 != 0 {
			continue
		}
		z.rules.changes[i].at++
		if z.rules.digestBetween(earliest, latest) == now {
			t.Errorf("a change at another time than %s has the same digest", written(c.at))
		}
		z.rules.changes[i].at--
	}
}

func TestTheReleaseIsRecorded(t *testing.T) {
	if v, err := Version(); err != nil || v != "2026f" {
		t.Errorf("the database is %q, %v", v, err)
	}
}

func BenchmarkInstants(b *testing.B) {
	z, err := Load("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	local := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC).UnixMicro()
	for b.Loop() {
		z.Instants(local)
	}
}
