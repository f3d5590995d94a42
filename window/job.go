// Package window holds the pure part of Strandline: what a window, a partition
// and a job are, which partitions are stale and why, and the recompute of one
// partition with SQL.
package window

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Job says how a table is computed from what it reads.
type Job struct {
	Name   string  // also the name of its table
	Inputs []Input // what it reads, as SortInputs orders them; at least one
	// Lookups are what it may read beside, by name.
	Lookups []Lookup
	Window  Window
	// Time names the output column that says which partition a row of a job without
	// windows belongs to. Jobs with windows have window_start for that.
	Time  string
	Grain Grain
	Dedup *Dedup // nil: every row counts
	// Key names the output columns that are unique and not null in the table, with
	// window_start among them; without windows they are so in each partition.
	Key []string
	SQL string
	// Every is the least time between two recomputes by the stream driver.
	// It does not change a result, so it is not part of the fingerprint.
	Every time.Duration
	// Emit says when the stream driver publishes, and Late what becomes of rows that come
	// for a closed partition. Neither changes a result.
	Emit Emit       `json:",omitempty"`
	Late LatePolicy `json:",omitempty"`
	// Checks are what must hold of a result for it to be published. They don't
	// change it, so they are not part of the fingerprint either.
	Checks []Check
}

// ParseDuration reads a duration such as 90s, 15m, 1h, 1h30m, 1d or 2w: Go's
// spelling, with d for 24 hours and w for 7 days.
func ParseDuration(s string) (time.Duration, error) {
	rest, unit := s, time.Duration(0)
	switch {
	case strings.HasSuffix(s, "d"):
		rest, unit = strings.TrimSuffix(s, "d"), 24*time.Hour
	case strings.HasSuffix(s, "w"):
		rest, unit = strings.TrimSuffix(s, "w"), 7*24*time.Hour
	default:
		d, err := time.ParseDuration(s)
		if err != nil {
			return 0, fmt.Errorf("duration %q: want a number and a unit, such as 90s, 15m, 1h or 1d", s)
		}
		return d, nil
	}
	n, err := strconv.ParseInt(rest, 10, 32)
	most := int64((1<<63 - 1) / unit)
	switch {
	case errors.Is(err, strconv.ErrRange) || n > most || n < -most:
		return 0, fmt.Errorf("duration %q is too long: want at most %d%s", s, most, s[len(s)-1:])
	case err != nil:
		return 0, fmt.Errorf("duration %q: want a whole number of days or weeks", s)
	}
	return time.Duration(n) * unit, nil
}

// FormatDuration writes a duration as ParseDuration reads it, without zeros at its end.
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
