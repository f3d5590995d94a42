package infer

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"strandline/internal/datafile"
	"strandline/landing"
)

// meaning is what a field may mean as an event time.
type meaning struct {
	unit landing.Unit
	zone string
}

// meanings are tried in this order. Those of numbers exclude one another.
var meanings = []meaning{
	{unit: landing.UnitISO}, {unit: landing.UnitISO, zone: "UTC"},
	{unit: landing.UnitSeconds}, {unit: landing.UnitMillis}, {unit: landing.UnitMicros}, {unit: landing.UnitNanos},
}

// Numbers are taken for times from 1990 on and before 2100.
var (
	earliest = float64(time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).Unix())
	latest   = float64(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Unix())
)

// perSecond is how many of a unit a second has.
var perSecond = map[landing.Unit]float64{landing.UnitSeconds: 1, landing.UnitMillis: 1e3, landing.UnitMicros: 1e6, landing.UnitNanos: 1e9}

func (m meaning) fits(first byte, text []byte) bool {
	if m.unit == landing.UnitISO {
		var zone datafile.LocalTime
		if m.zone == "UTC" {
			zone = func(local int64) (int64, error) { return local, nil }
		}
		micros, err := datafile.ParseInstant(text, zone)
		seconds := micros / 1e6
		return err == nil && first == '"' && seconds >= time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).Unix() && float64(seconds) < latest
	}
	number, err := strconv.ParseFloat(string(text), 64)
	seconds := number / perSecond[m.unit]
	return err == nil && seconds >= earliest && seconds < latest
}

// timeNames are what an event time is called, the likeliest first.
var timeNames = []string{"event_time", "eventtime", "occurred_at", "time", "timestamp", "ts", "@timestamp", "datetime", "at", "date", "created_at", "created"}

// likelihood is higher for a likelier event time.
func (c column) likelihood(records int64) int {
	score := -20 * len(c.path)
	if c.field.others == records {
		score += 1000 // never missing, nor null
	}
	if c.typ.Kind == datafile.Date {
		score -= 500 // which has no hours, whatever it is called
	}
	if c.field.quoted && c.field.times[0].unit != landing.UnitISO {
		score -= 300 // texts of digits are mostly codes
	}
	last := strings.ToLower(c.path[len(c.path)-1])
	if i := slices.Index(timeNames, last); i >= 0 {
		return score + 200 - i
	}
	if i := slices.IndexFunc(timeNames, func(name string) bool { return strings.Contains(last, name) }); i >= 0 {
		return score + 100 - i
	}
	return score
}
