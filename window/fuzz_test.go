package window

import (
	"testing"
	"time"

	"strandline/internal/zone"
)

// someGrain is one of the units in one of some zones.
func someGrain(t *testing.T, which uint8) Grain {
	t.Helper()
	names := []string{"UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kiritimati"}
	z, err := zone.Load(names[int(which)/len(Units)%len(names)])
	if err != nil {
		t.Fatal(err)
	}
	return Grain{Units[int(which)%len(Units)], z}
}

// FuzzARangeIsWholePartitions: a range that is accepted begins and ends at
// edges of partitions that have names, and holds at least one.
func FuzzARangeIsWholePartitions(f *testing.F) {
	f.Add("2018-02-01", "2018-03", uint8(1))
	f.Add("2018-02-01T15", "2018-02-01T16:00:00+00:00", uint8(0))
	f.Add("1969-12-31T23:00:00.000000", "1970-01-01T01:00:00+01:00", uint8(0))
	f.Add("2018-W05", "2018-W06", uint8(9))
	f.Add("2018-W05-1", "2018-W060", uint8(9))
	f.Add("2011-12-30", "2012", uint8(26))
	f.Add("0000", "9999", uint8(35))
	f.Add("9999-12-31T23:00:00-12:00", "9999-12-31T23:00:00-13:00", uint8(0))
	f.Add("0000-01-01T00:00:00+14:00", "0000-01", uint8(0))
	f.Fuzz(func(t *testing.T, from, to string, which uint8) {
		grain := someGrain(t, which)
		i, err := ParseRange(from, to, grain)
		if err != nil {
			return
		}
		first, after := grain.Containing(i.Start), grain.Containing(i.End)
		if !i.Start.Before(i.End) || first.Start != i.Start || after.Start != i.End {
			t.Fatalf("%q to %q is %s, which cuts partitions %s and %s", from, to, i, first.Interval, after.Interval)
		}
		for _, p := range []Partition{first, grain.Containing(i.End.Add(-1))} {
			if back, err := grain.Parse(p.String()); err != nil || back != p {
				t.Fatalf("%q to %q holds partition %s, which reads back as %s, %v", from, to, p, back, err)
			}
		}
	})
}

func FuzzAPartitionHasOneName(f *testing.F) {
	f.Add("2018-02-01T15", uint8(0))
	f.Add("2018-02-29", uint8(1))
	f.Add("0001-1", uint8(2))
	f.Add("2026-W53", uint8(3))
	f.Add("2026-10-25T00:30Z", uint8(19))
	f.Add("1900-01-01T00:00:20Z", uint8(6))
	f.Fuzz(func(t *testing.T, name string, which uint8) {
		grain := someGrain(t, which)
		p, err := grain.Parse(name)
		if err == nil && (p.String() != name || !p.Start.Before(p.End)) {
			t.Fatalf("%q is taken for partition %s, %s", name, p, p.Interval)
		}
	})
}

func FuzzADurationSaysWhatItIs(f *testing.F) {
	for _, s := range []string{"90s", "1h30m", "1d", "2w", "-1d", "106751d", "106752d", "15250w", "15251w", "1e9d", "d", ".5h", "+3d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			return
		}
		if back, err := time.ParseDuration(d.String()); err != nil || back != d {
			t.Fatalf("%q is %v, which reads as %v, %v", s, d, back, err)
		}
		if negative := s[0] == '-'; d != 0 && negative != (d < 0) {
			t.Fatalf("%q is %v", s, d)
		}
	})
}
