package window

import (
	"testing"
	"time"

	"strandline/landing"
)

// Rows that a later partition reads, too, must not expire before that one is over.
func TestPartitionsStayOpenAsLongAsLaterOnesReadTheirRows(t *testing.T) {
	const day = 24 * time.Hour
	p := GrainDay.Containing(at("2026-03-01T00:00:00Z"))
	for _, test := range []struct {
		job  Job
		in   Input
		over time.Duration // after the partition's end, with an age of one day
	}{
		{Job{Window: Window{Kind: Tumbling, Size: time.Hour}}, Input{After: day}, day},
		{Job{Window: Window{Kind: Tumbling, Size: time.Hour}}, Input{Before: day}, 3 * day},
		{Job{Window: Window{Kind: Hopping, Size: 2 * day, Every: time.Hour}}, Input{}, day},
		{Job{Window: Window{Kind: None}, Dedup: &Dedup{Within: 2 * day}}, Input{}, 4 * day},
		{Job{Window: Window{Kind: Session, Gap: time.Hour, Max: 11 * time.Hour}}, Input{}, day + 12*time.Hour + day},
	} {
		keep := landing.Retain{Age: day}
		if !test.job.open(test.in, p.Interval, keep, p.End.Add(test.over-1)) || test.job.open(test.in, p.Interval, keep, p.End.Add(test.over)) {
			t.Errorf("%+v, dedup %+v: %s is not open until %s after its end", test.job.Window, test.job.Dedup, p, test.over)
		}
		if test.job.open(test.in, p.Interval, keep, p.Start.Add(-1)) {
			t.Errorf("%s is open before it begins", p)
		}
	}
}
