package landing

import "fmt"

// EventTime says which field of an arrival is its event time and what the
// number or text in it means. A stream's first rows fix it.
type EventTime struct {
	Column string `json:"column"`
	Unit   Unit   `json:"unit"`
	// Zone is the zone of local times, which are texts without an offset: "UTC", a
	// fixed offset such as "+02:00", or a name of the time zone database. Empty means
	// that every text must carry its own offset.
	Zone string `json:"zone,omitempty"`
	// Twice and Missing say what local times mean that the zone's clocks show twice or
	// never. Empty is TwiceEarlier and MissingShift, which nobody writes in full, so
	// that equal meanings are equal.
	Twice   Twice   `json:"twice,omitempty"`
	Missing Missing `json:"missing,omitempty"`
}

// Twice is what a local time means that clocks show twice, since they are put back.
type Twice string

// The choices of Twice.
const (
	TwiceEarlier Twice = "earlier"
	TwiceLater   Twice = "later"
	TwiceReject  Twice = "reject" // the record is a reject
)

// Missing is what a local time means that clocks never show, since they are put
// forward past it.
type Missing string

// The choices of Missing.
const (
	MissingShift  Missing = "shift"  // as much later as the clocks are put forward
	MissingReject Missing = "reject" // the record is a reject
)

// String says it in words, for messages.
func (e EventTime) String() string {
	text := fmt.Sprintf("%q in %s", e.Column, e.Unit)
	if e.Zone != "" {
		text += " of zone " + e.Zone
	}
	if e.Twice != "" {
		text += ", twice: " + string(e.Twice)
	}
	if e.Missing != "" {
		text += ", missing: " + string(e.Missing)
	}
	return text
}

// Unit is how an event time is written.
type Unit string

// The units of an event time. All but UnitISO are numbers since 1970-01-01Z.
const (
	UnitSeconds Unit = "s"
	UnitMillis  Unit = "ms"
	UnitMicros  Unit = "us"
	UnitNanos   Unit = "ns"
	UnitISO     Unit = "iso" // ISO 8601 / RFC 3339 text, or a date alone
)
