package manifests

import (
	"math"
	"testing"
	"time"
)

func TestTheOldestVersionToKeep(t *testing.T) {
	now := time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)
	written := make([]time.Time, 10) // versions 5 … 14, one a day up to now
	for i := range written {
		written[i] = now.AddDate(0, 0, i-9)
	}
	nth := func(n uint64) Version { // newest, of 14 that all change rows
		if n == 0 {
			return math.MaxUint64
		}
		return Version(14 - min(n-1, 14))
	}
	const day = 24 * time.Hour
	for _, test := range []struct {
		name  string
		keep  Retention
		grace time.Duration
		want  Version
	}{
		{"three", Retention{Versions: 3}, 0, 12},
		{"one", Retention{Versions: 1}, 0, 14},
		{"what was the newest a moment ago", Retention{Age: time.Nanosecond}, 0, 13},
		{"more than there are", Retention{Versions: 100}, 0, 5},
		{"what was the newest a day ago", Retention{Age: day}, 0, 13},
		{"the age, which keeps more", Retention{Versions: 1, Age: 4 * day}, 0, 10},
		{"their number, which keeps more", Retention{Versions: 8, Age: day}, 0, 7},
		{"the grace, which keeps more", Retention{Versions: 1}, 3 * day, 11},
	} {
		if got := test.keep.oldest(5, nth(test.keep.Versions), written, now, test.grace); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
	if got := (Retention{Versions: 1}).oldest(5, 14, nil, now, 0); got != 5 {
		t.Errorf("of a log that the listing does not show: %d", got)
	}
}
