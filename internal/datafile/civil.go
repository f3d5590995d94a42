package datafile

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go"
)

const (
	secondsPerDay   = 86_400
	microsPerSecond = 1_000_000
)

// civil is an ISO 8601 text taken apart.
type civil struct {
	days     int64 // since 1970-01-01, proleptic Gregorian
	hasClock bool
	micros   int64 // since midnight
	excess   bool  // had non-zero digits below a microsecond, which micros lacks
	offset   offset
}

// offset is what a text says about its distance from UTC.
type offset struct {
	given   bool
	seconds int64 // east of UTC
}

// instant returns microseconds since 1970-01-01T00:00:00Z, taking the text to
// be at its own offset, or at UTC where it has none.
func (c civil) instant() int64 {
	return (c.days*secondsPerDay-c.offset.seconds)*microsPerSecond + c.micros
}

// parseTime reads a DATE, TIMESTAMP or TIMESTAMP WITH TIME ZONE.
func parseTime(t Type, text []byte) (Value, error) {
	c, ok := scanCivil(text)
	switch {
	case !ok || c.hasClock == (t.Kind == Date):
		return Value{}, fmt.Errorf("%w (want %s)", isNot(t, text), timeShapes[t.Kind])
	case t.Kind == Date:
		return parquet.Int32Value(int32(c.days)), nil
	case c.offset.given && t.Kind == Timestamp:
		return Value{}, fmt.Errorf("%s has an offset from UTC, which a TIMESTAMP can't hold (declare the column TIMESTAMPTZ)", quote(text))
	case !c.offset.given && t.Kind == TimestampTZ:
		return Value{}, fmt.Errorf("%s has no offset from UTC, as a TIMESTAMPTZ needs (declare the column TIMESTAMP)", quote(text))
	case c.excess:
		return Value{}, fmt.Errorf("%s does not fit a %s without rounding to microseconds", quote(text), t)
	}
	return parquet.Int64Value(c.instant()), nil
}

var timeShapes = map[Kind]string{
	Date:        "YYYY-MM-DD",
	Timestamp:   "YYYY-MM-DDTHH:MM:SS, with a fraction or without",
	TimestampTZ: "YYYY-MM-DDTHH:MM:SS and Z or an offset such as +02:00",
}

// LocalTime returns the instant of a local time, which is one without an offset: its
// microseconds since 1970-01-01T00:00:00 on the clocks of a place.
type LocalTime func(local int64) (instant int64, err error)

// ParseInstant reads an event time: RFC 3339 or ISO 8601 with an offset or,
// where zone is not nil, also without one, or a date alone for its midnight. The
// result is in microseconds since 1970-01-01T00:00:00Z; digits below a microsecond
// are cut, towards the past, since an event time only places a row in time.
func ParseInstant(text []byte, zone LocalTime) (micros int64, err error) {
	c, ok := scanCivil(text)
	switch {
	case !ok:
		return 0, fmt.Errorf("%s is not an ISO 8601 date and time", quote(text))
	case c.offset.given:
		return c.instant(), nil
	case zone == nil:
		return 0, fmt.Errorf("%s %w", quote(text), errNoOffset)
	}
	if micros, err = zone(c.instant()); err != nil {
		return 0, fmt.Errorf("%s %w", quote(text), err)
	}
	return micros, nil
}

var errNoOffset = errors.New("has no offset; declare event_time.zone")
