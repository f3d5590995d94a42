package ingest

import (
	"errors"
	"fmt"
	"math"
	"time"

	"strandline/internal/datafile"
	"strandline/landing"
)

// The plausible event times, half-open. What lies outside is nearly always a
// number read with the wrong unit.
var (
	earliest = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	latest   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
)

var errNoTime = timeFlaw(errors.New("event time is missing"))

// clock reads the event times of one stream.
type clock struct {
	unit  landing.Unit
	shift int                // of the decimal point, from the unit to microseconds
	local datafile.LocalTime // of texts without an offset; nil refuses them
}

func newClock(e landing.EventTime) (clock, error) {
	shifts := map[landing.Unit]int{landing.UnitSeconds: 6, landing.UnitMillis: 3, landing.UnitMicros: 0, landing.UnitNanos: -3, landing.UnitISO: 0}
	shift, ok := shifts[e.Unit]
	if !ok {
		return clock{}, fmt.Errorf("event time unit %q: use one of s, ms, us, ns, iso", e.Unit)
	}
	local, err := localTime(e)
	return clock{unit: e.Unit, shift: shift, local: local}, err
}

// read returns the instant that text means, in microseconds, floored.
func (c clock) read(text []byte) (int64, error) {
	if len(text) == 0 {
		return 0, errNoTime
	}
	micros, err := c.parse(text)
	if err != nil {
		return 0, timeFlaw(fmt.Errorf("event time %s with unit %s: %w", clip(text), c.unit, err))
	}
	if micros < earliest || micros >= latest {
		return 0, timeFlaw(fmt.Errorf("event time %s with unit %s would be %s, outside 1900-01-01 to 2200-01-01: is the unit right?",
			clip(text), c.unit, time.UnixMicro(micros).UTC().Format(time.RFC3339Nano)))
	}
	return micros, nil
}

func (c clock) parse(text []byte) (int64, error) {
	if c.unit == landing.UnitISO {
		return datafile.ParseInstant(text, c.local)
	}
	if micros, ok := c.parseDigits(text); ok {
		return micros, nil
	}
	d, ok := parseDecimal(text)
	if !ok {
		return 0, errors.New("it is not a number")
	}
	micros, ok := d.floor(c.shift)
	if !ok {
		return 0, errors.New("it would be hundreds of thousands of years away: is the unit right?")
	}
	return micros, nil
}

// parseDigits reads what most numbers of event time are. Not ok says nothing about the text.
func (c clock) parseDigits(text []byte) (micros int64, ok bool) {
	if !c.wholeUnits() {
		return 0, false
	}
	n, fraction, end, ok := datafile.ScanShort(text, 0)
	if !ok || fraction > 0 || end < len(text) {
		return 0, false
	}
	return c.toMicros(n)
}

// wholeUnits tells whether a whole number of units is one of microseconds.
func (c clock) wholeUnits() bool { return c.unit != landing.UnitISO && c.shift >= 0 }

// ofUnits returns the instant, if it is plausible, of a whole number of units that are
// whole microseconds.
func (c clock) ofUnits(n int64) (micros int64, ok bool) {
	micros, ok = c.toMicros(n)
	return micros, ok && earliest <= micros && micros < latest
}

// toMicros is not ok where the microseconds may be too many.
func (c clock) toMicros(n int64) (micros int64, ok bool) {
	micros = n
	for range c.shift {
		micros *= 10
	}
	const most = 9_000_000_000_000 // of which 64 bits hold the microseconds in any unit
	return micros, c.shift == 0 || -most <= n && n <= most
}

// decimal is a number as it was written: its significant digits × 10^exp.
type decimal struct {
	negative bool
	digits   []byte
	exp      int
}

// parseDecimal reads an optional sign, digits with a point or without, and an optional
// exponent, as columns of numbers do. No digit is lost, however many there are.
func parseDecimal(text []byte) (d decimal, ok bool) {
	d.digits = make([]byte, 0, 32)
	i := 0
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		d.negative, i = text[i] == '-', i+1
	}
	i, ok = d.takeDigits(text, i)
	if i < len(text) && text[i] == '.' {
		point := i + 1
		var fraction bool
		i, fraction = d.takeDigits(text, point)
		d.exp, ok = point-i, ok || fraction
	}
	if ok && i < len(text) && text[i]|0x20 == 'e' {
		var exp int
		exp, i, ok = takeExponent(text, i+1)
		d.exp += exp
	}
	return d, ok && i == len(text)
}

func (d *decimal) takeDigits(text []byte, from int) (next int, ok bool) {
	i := from
	for ; i < len(text) && isDigit(text[i]); i++ {
		if text[i] != '0' || len(d.digits) > 0 {
			d.digits = append(d.digits, text[i])
		}
	}
	return i, i > from
}

func takeExponent(text []byte, i int) (exp, next int, ok bool) {
	const enough = 1 << 30 // far past any record's length
	negative := i < len(text) && text[i] == '-'
	if negative || i < len(text) && text[i] == '+' {
		i++
	}
	from := i
	for ; i < len(text) && isDigit(text[i]); i++ {
		exp = min(10*exp+int(text[i]-'0'), enough)
	}
	if negative {
		exp = -exp
	}
	return exp, i, i > from
}

// floor returns the largest integer not above d × 10^shift, or not ok where an
// int64 can't hold it.
func (d decimal) floor(shift int) (v int64, ok bool) {
	whole := len(d.digits) + d.exp + shift // digits before the point
	if len(d.digits) == 0 {
		return 0, true
	}
	if whole > 19 {
		return 0, false
	}
	var u uint64 // 19 digits fit
	for i := range whole {
		u *= 10
		if i < len(d.digits) {
			u += uint64(d.digits[i] - '0')
		}
	}
	if u >= math.MaxInt64 {
		return 0, false
	}
	v = int64(u)
	if d.negative {
		v = -v
		if d.hasDigitFrom(whole) {
			v--
		}
	}
	return v, true
}

// hasDigitFrom tells whether a digit other than 0 stands at or after place.
func (d decimal) hasDigitFrom(place int) bool {
	for i := max(place, 0); i < len(d.digits); i++ {
		if d.digits[i] != '0' {
			return true
		}
	}
	return false
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// clip quotes a value for a reason, shortened where it is long.
func clip(text []byte) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%q… (%d bytes)", text[:most], len(text))
	}
	return fmt.Sprintf("%q", text)
}
