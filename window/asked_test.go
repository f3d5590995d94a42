package window

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestWhatIsAskedForIsWholePartitions(t *testing.T) {
	now := at("2026-03-10T15:30:00Z")
	for _, c := range []struct {
		asked Asked
		want  []string // starts and ends
	}{
		{Asked{}, nil},
		{Asked{From: "2026-03-01", To: "2026-03-02"}, []string{"2026-03-01", "2026-03-02"}},
		{Asked{From: "2026-03-01"}, []string{"2026-03-01", "2210-01-01"}},
		{Asked{To: "2026-03-01"}, []string{"1890-01-01", "2026-03-01"}},
		{Asked{From: "2026-03-01T05", Widen: true}, []string{"2026-03-01", "2210-01-01"}},
		{Asked{From: "2026-03-01", To: "2026-03-02", Widen: true}, []string{"2026-03-01", "2026-03-02"}},
		{Asked{From: "2026-03-01T05", To: "2026-03-02T00:00:00.000001", Widen: true}, []string{"2026-03-01", "2026-03-03"}},
		{Asked{Last: time.Hour}, []string{"2026-03-10", "2026-03-11"}},
		{Asked{Last: 7 * 24 * time.Hour}, []string{"2026-03-03", "2026-03-11"}},
		{Asked{Partitions: []string{"2026-03-09", "2026-03-01"}}, []string{"2026-03-09", "2026-03-10", "2026-03-01", "2026-03-02"}},
	} {
		got, err := c.asked.Intervals(GrainDay, now)
		var bounds []string
		for _, i := range got {
			bounds = append(bounds, i.Start.Format(time.DateOnly), i.End.Format(time.DateOnly))
		}
		if err != nil || strings.Join(bounds, " ") != strings.Join(c.want, " ") {
			t.Errorf("%+v: got %v, %v; want %v", c.asked, bounds, err, c.want)
		}
	}
	for says, asked := range map[string]Asked{
		"cuts the partition":             {From: "2026-03-01T05", To: "2026-03-02"},
		"is empty":                       {From: "2026-03-02", To: "2026-03-01", Widen: true},
		"--to":                           {From: "2026-03-02", To: "then", Widen: true},
		`--partition: partition "March"`: {Partitions: []string{"2026-03-01", "March"}},
	} {
		if got, err := asked.Intervals(GrainDay, now); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: got %v, %v; want that it says %q", asked, got, err, says)
		}
	}
}

// Of a widened range both ends are edges, it holds the range, and it is no wider than
// the partitions at its ends.
func TestAWidenedRangeIsTheLeastThatIsWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		g := []Grain{GrainHour, GrainDay, GrainMonth}[random.IntN(3)]
		start := at("1969-06-01T00:00:00Z").Add(time.Duration(random.Int64N(int64(8760 * 2 * time.Hour)))).Truncate(time.Microsecond)
		long := time.Duration(1+random.Int64N(int64(100*time.Hour/time.Microsecond))) * time.Microsecond
		i := Interval{start, start.Add(long)}
		w := g.whole(i)
		first, last := g.Containing(w.Start), g.Containing(w.End.Add(-time.Microsecond))
		if !first.Start.Equal(w.Start) || !last.End.Equal(w.End) || !first.Overlaps(i) || !last.Overlaps(i) || w.Start.After(i.Start) || w.End.Before(i.End) {
			t.Fatalf("%s by %s became %s", i, g, w)
		}
	}
}
