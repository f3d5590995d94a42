// Package zone tells which instants a place's clocks call what: the rules of the
// IANA time zone database, of a copy that is embedded, so that they are the same on
// every machine whatever its system has.
//
// A local time is what clocks show, in microseconds since 1970-01-01T00:00:00 on
// them. An instant is in microseconds since 1970-01-01T00:00:00Z. Both are of the
// proleptic Gregorian calendar, and no leap second counts.
package zone

import "strandline/internal/digest"

// Zone is the rules of one place. Zones of the same name are equal (==). The zero
// Zone is UTC.
type Zone struct{ rules *rules }

// String returns the zone's name in the database, or "UTC".
func (z Zone) String() string {
	if z.IsUTC() {
		return "UTC"
	}
	return z.rules.name
}

// MarshalText writes what String does.
func (z Zone) MarshalText() ([]byte, error) { return []byte(z.String()), nil }

// IsUTC tells whether the zone is UTC.
func (z Zone) IsUTC() bool { return z.rules == nil }

// Digest is of what the rules say of the years 1900 to 2199, in which all event
// times are, so other zones and other years may change without it. That of UTC is
// the zero Hash.
func (z Zone) Digest() digest.Hash {
	if z.IsUTC() {
		return digest.Hash{}
	}
	return z.rules.digest
}

// Local returns the local time at an instant.
func (z Zone) Local(instant int64) int64 {
	if z.IsUTC() {
		return instant
	}
	covered, _ := cover(instant)
	return instant + z.rules.offset(z.rules.holding(covered))
}

// Since returns the first instant at which the local time is at or after local.
// Of a time that clocks show twice, since they are put back, it is the earlier one;
// where they are put forward past it, it is the instant at which they are.
func (z Zone) Since(local int64) int64 {
	if z.IsUTC() {
		return local
	}
	covered, beyond := cover(local)
	return z.rules.since(covered) + beyond
}

// Shown tells how often clocks show a local time.
type Shown int

// The choices of Shown.
const (
	Once    Shown = iota
	Twice         // clocks are put back
	Missing       // clocks are put forward past it
)

// Instants returns the instants at which clocks show a local time. Of one that is
// shown Twice, these are the earlier and the later. One that is Missing gets the
// instant that it would have if the clocks had not been put forward, which moves it
// on by as much as they were: where they go from 02:00 to 03:00, 02:30 is 03:30.
func (z Zone) Instants(local int64) (earlier, later int64, shown Shown) {
	if z.IsUTC() {
		return local, local, Once
	}
	covered, beyond := cover(local)
	earlier, later, shown = z.rules.instants(covered)
	return earlier + beyond, later + beyond, shown
}
