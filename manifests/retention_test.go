package manifests

import (
	"testing"
	"time"
)

func TestTheOldestVersionToKeep(t *testing.T) {
	now := time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)
	written := make([]time.Time, 10) // versions 5 … 14, one a day up to now
	for i := range written {
		written[i] = now.AddDate(0, 0, i-9)
	}
	const day = 24 * time.Hour
	for _, test := range []struct {
		name  string
		keep  Retention
		grace time.Duration
		want  Version
	}{
		{"all", Retention{}, day, 5},
		{"three", Retention{Versions: 3}, 0, 12},
		{"one", Retention{Versions: 1}, 0, 14},
		{"what was the newest a moment ago", Retention{Age: time.Nanosecond}, 0, 13},
		{"more than there are", Retention{Versions: 100}, 0, 5},
		{"what was the newest a day ago", Retention{Age: day}, 0, 13},
		{"the age, which keeps more", Retention{Versions: 1, Age: 4 * day}, 0, 10},
		{"their number, which keeps more", Retention{Versions: 8, Age: day}, 0, 7},
		{"the grace, which keeps more", Retention{Versions: 1}, 3 * day, 11},
	} {
		if got := test.keep.Oldest(5, written, now, test.grace); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
	if got := (Retention{Versions: 1}).Oldest(5, nil, now, 0); got != 5 {
		t.Errorf("of a log that the listing does not show: %d", got)
	}
}
