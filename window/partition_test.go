package window

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestPartitionNamesParseBackAndSortAsTheirIntervals(t *testing.T) {
	for _, grain := range []Grain{GrainHour, GrainDay, GrainMonth} {
		p := grain.Containing(at("1969-12-30T23:59:59Z"))
		for range 2000 {
			back, err := grain.Parse(p.String())
			if err != nil || back != p {
				t.Fatalf("%s parses to %+v, %v", p, back, err)
			}
			next := p.Next()
			if !next.Start.Equal(p.End) || next.String() <= p.String() {
				t.Fatalf("%s is followed by %s", p, next)
			}
			p = next
		}
	}
}

func TestPartitionsCoverTimeWithoutGapOrOverlap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, grain := range []Grain{GrainHour, GrainDay, GrainMonth} {
		for range 2000 {
			instant := time.UnixMicro(random.Int64N(8e15) - 2e15).UTC()
			p := grain.Containing(instant)
			if !p.Contains(instant) || p.Contains(p.End) || !p.Contains(p.Start) {
				t.Fatalf("%s is put in %s", instant, p.Interval)
			}
		}
	}
	if p := GrainMonth.Containing(at("2024-02-29T23:59:59.999999Z")); p.String() != "2024-02" || !p.End.Equal(at("2024-03-01T00:00:00Z")) {
		t.Fatalf("February 2024 is %s", p.Interval)
	}
}

func TestWindowsFloorAlsoBefore1970(t *testing.T) {
	w := Window{Kind: Tumbling, Size: time.Hour}
	for instant, start := range map[string]string{
		"1970-01-01T00:00:00Z":        "1970-01-01T00:00:00Z",
		"1969-12-31T23:59:59.999999Z": "1969-12-31T23:00:00Z",
		"1969-12-31T23:00:00Z":        "1969-12-31T23:00:00Z",
		"2026-03-01T13:00:00Z":        "2026-03-01T13:00:00Z",
	} {
		if got := time.UnixMicro(w.floor(at(instant).UnixMicro())); !got.Equal(at(start)) {
			t.Errorf("window of %s starts at %s, want %s", instant, got, start)
		}
	}
}

// Whatever window and grain: each event is read by the partition it belongs to
// and by no other, and that partition's bucket-hours hold it.
func TestEveryEventIsReadByItsPartitionAlone(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	sizes := []time.Duration{time.Microsecond, time.Second, 7 * time.Minute, 25 * time.Minute, time.Hour, 7 * time.Hour, 24 * time.Hour}
	for range 5000 {
		job := Job{Window: Window{Kind: Tumbling, Size: sizes[random.IntN(len(sizes))]}, Grain: []Grain{GrainDay, GrainMonth, GrainHour}[random.IntN(3)]}
		event := time.UnixMicro(random.Int64N(4e15) - 1e15).UTC()
		own := job.Grain.at(job.Grain.startOf(job.Window.floor(event.UnixMicro())))
		before := job.Grain.Containing(own.Start.Add(-1))
		for _, p := range []Partition{before, own, own.Next()} {
			if got, want := job.Reads(p).Contains(event), p == own; got != want {
				t.Fatalf("window %v, event %s: read by %s: %v, want %v", job.Window.Size, event, p, got, want)
			}
		}
		hours, hour := job.Hours(Input{}, own), floorTo(event.UnixMicro(), hourMicros)/hourMicros
		if hour < hours.From || hour >= hours.To {
			t.Fatalf("window %v, event %s of hour %d: partition %s has hours %+v", job.Window.Size, event, hour, own, hours)
		}
		if !slices.Contains(job.Touched(Input{}, []int64{hour}), own) {
			t.Fatalf("window %v: hour %d does not touch %s, where event %s belongs", job.Window.Size, hour, own, event)
		}
	}
}

func TestRangesAreHalfOpenAndWhole(t *testing.T) {
	good := []struct{ from, to, start, end string }{
		{"2026-03-01", "2026-03-02", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"},
		{"2026-03", "2026-04", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"},
		{"2026-03-01T01:00:00+01:00", "2026-03-05", "2026-03-01T00:00:00Z", "2026-03-05T00:00:00Z"},
		{"2026-03-01T00", "2026-03-02T00:00", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"},
		{"2026-W01", " 2026-W53 ", "2025-12-29T00:00:00Z", "2026-12-28T00:00:00Z"},
	}
	for _, g := range good {
		i, err := ParseRange(g.from, g.to, GrainDay)
		if err != nil || !i.Start.Equal(at(g.start)) || !i.End.Equal(at(g.end)) {
			t.Errorf("%s to %s: %s, %v", g.from, g.to, i, err)
		}
	}
	bad := []struct{ from, to, says string }{
		{"2026-03-01", "2026-03-01", "empty"},
		{"2026-03-02", "2026-03-01", "empty"},
		{"2026-03-01", "2026-03-02T05", "cuts the partition 2026-03-02"},
		{"2026-03-01T00:00:00.000001", "2026-03-02", "cuts the partition 2026-03-01"},
		{"yesterday", "2026-03-02", "want a date"},
		{"2026-3-1", "2026-03-02", "a year (2018), a month (2018-02), an hour (2018-02-01T15), a minute (2018-02-01T15:45), a week"},
		{"2026-02-30", "2026-03-02", "want a date"},
		{"", "2026-03-02", "want a date"},
		{"2026-03-01T00:00:00.0000001", "2026-03-02", "in microseconds"},
		{"2026-03-01", "2026-03-02T00:00:00.0000001Z", "in microseconds"},
	}
	for _, noWeek := range []string{"2026-W11-4", "2026-W12garbage", "2026-W10T12", "2026-W00", "2026-W54", "2025-W53", "2026-W-1", "2026-W1", "+026-W10", "2026-W 1", "2026-w10"} {
		bad = append(bad, struct{ from, to, says string }{noWeek, "2027", "want a date"})
	}
	for _, b := range bad {
		if _, err := ParseRange(b.from, b.to, GrainDay); err == nil || !strings.Contains(err.Error(), b.says) {
			t.Errorf("%s to %s: %v, want it to say %q", b.from, b.to, err, b.says)
		}
	}
}

func TestDurationsAreExact(t *testing.T) {
	for text, want := range map[string]time.Duration{"1h": time.Hour, "90s": 90 * time.Second, "1d": 24 * time.Hour, "2w": 14 * 24 * time.Hour, "1h30m": 90 * time.Minute} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for text, says := range map[string]string{"200000d": "at most 106751d", "-106752d": "at most 106751d", "99999999999w": "at most 15250w"} {
		if _, err := ParseDuration(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want it to say %q", text, err, says)
		}
	}
	for _, text := range []string{"", "1", "d", "1.5d", "9999999999d", "999999999w", "-99999999999w", "1x"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q is %v, want an error", text, got)
		}
	}
}
