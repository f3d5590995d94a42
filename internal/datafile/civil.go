package datafile

import (
	"errors"
	"fmt"
	"time"

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

// ParseInstant reads an event time: RFC 3339 or ISO 8601 with an offset or,
// where zone is not nil, also without one, or a date alone for its midnight.
// zone must be a fixed offset, as of time.FixedZone or time.UTC. The result is in
// microseconds since 1970-01-01T00:00:00Z; digits below a microsecond
// are cut, towards the past, since an event time only places a row in time.
func ParseInstant(text []byte, zone *time.Location) (micros int64, err error) {
	c, ok := scanCivil(text)
	if !ok {
		return 0, fmt.Errorf("%s is not an ISO 8601 date and time", quote(text))
	}
	if !c.offset.given {
		if zone == nil {
			return 0, fmt.Errorf("%s %w", quote(text), errNoOffset)
		}
		_, east := time.Unix(c.days*secondsPerDay, 0).In(zone).Zone()
		c.offset.seconds = int64(east)
	}
	return c.instant(), nil
}

var errNoOffset = errors.New("has no offset; declare event_time.zone")

// scanCivil reads YYYY-MM-DD[(T| )HH:MM[:SS[.fraction]][Z|±HH[[:]MM]]].
func scanCivil(text []byte) (c civil, ok bool) {
	if c.days, ok = scanDate(text); !ok {
		return civil{}, false
	}
	rest := text[len("YYYY-MM-DD"):]
	if len(rest) == 0 {
		return c, true
	}
	if rest[0] != 'T' && rest[0] != 't' && rest[0] != ' ' {
		return civil{}, false
	}
	c.hasClock = true
	if rest, ok = c.scanClock(rest[1:]); !ok {
		return civil{}, false
	}
	c.offset, ok = scanOffset(rest)
	return c, ok
}

func scanDate(text []byte) (days int64, ok bool) {
	if len(text) < len("YYYY-MM-DD") || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	century, ok1 := twoDigits(text)
	year, ok2 := twoDigits(text[2:])
	month, ok3 := twoDigits(text[5:])
	day, ok4 := twoDigits(text[8:])
	if !ok1 || !ok2 || !ok3 || !ok4 || month < 1 || month > 12 || day < 1 {
		return 0, false
	}
	year += 100 * century
	if day > daysIn(year, month) {
		return 0, false
	}
	return daysFromCivil(year, month, day), true
}

// scanClock reads HH:MM[:SS[.fraction]] and returns what follows it. The hour
// 24 and leap seconds are refused: the same instant has another spelling.
func (c *civil) scanClock(text []byte) (rest []byte, ok bool) {
	if len(text) < len("HH:MM") || text[2] != ':' {
		return nil, false
	}
	hour, ok1 := twoDigits(text)
	minute, ok2 := twoDigits(text[3:])
	if !ok1 || !ok2 || hour > 23 || minute > 59 {
		return nil, false
	}
	c.micros = (hour*60 + minute) * 60 * microsPerSecond
	rest = text[len("HH:MM"):]
	if len(rest) == 0 || rest[0] != ':' {
		return rest, true
	}
	second, ok := twoDigits(rest[1:])
	if !ok || second > 59 {
		return nil, false
	}
	c.micros += second * microsPerSecond
	return c.scanFraction(rest[len(":SS"):])
}

func (c *civil) scanFraction(text []byte) (rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '.' {
		return text, true
	}
	n := countDigits(text[1:])
	if n == 0 {
		return nil, false
	}
	unit := int64(microsPerSecond)
	for _, d := range text[1 : 1+n] {
		unit /= 10
		c.micros += int64(d-'0') * unit
		c.excess = c.excess || unit == 0 && d != '0'
	}
	return text[1+n:], true
}

// scanOffset reads nothing, Z, ±HH, ±HHMM or ±HH:MM, up to the end.
func scanOffset(text []byte) (o offset, ok bool) {
	if len(text) == 0 {
		return offset{}, true
	}
	if len(text) == 1 {
		return offset{given: true}, text[0] == 'Z' || text[0] == 'z'
	}
	if text[0] != '+' && text[0] != '-' {
		return offset{}, false
	}
	hour, ok := twoDigits(text[1:])
	if !ok || hour > 23 {
		return offset{}, false
	}
	minute := int64(0)
	if rest := text[len("+HH"):]; len(rest) > 0 {
		if rest[0] == ':' {
			rest = rest[1:]
		}
		minute, ok = twoDigits(rest)
		if !ok || minute > 59 || len(rest) != 2 {
			return offset{}, false
		}
	}
	seconds := (hour*60 + minute) * 60
	if text[0] == '-' {
		seconds = -seconds
	}
	return offset{given: true, seconds: seconds}, true
}

func twoDigits(text []byte) (n int64, ok bool) {
	if len(text) < 2 {
		return 0, false
	}
	hi, lo := text[0]-'0', text[1]-'0'
	return int64(hi)*10 + int64(lo), hi <= 9 && lo <= 9
}

func daysIn(year, month int64) int64 {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysFromCivil counts days since 1970-01-01, for years from 0 on, in years
// that start on 1 March so that the leap day comes last (Howard Hinnant,
// "chrono-Compatible Low-Level Date Algorithms", days_from_civil).
func daysFromCivil(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	dayOfYear := (153*(month-3)+2)/5 + day - 1
	era := (year + 400) / 400 // 400 years on, so that year -1 divides like the rest
	yearOfEra := year + 400 - era*400
	return era*146_097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719_468 - 146_097
}
