package jsonrow

import (
	"math"
	"strconv"
	"time"
)

// How many of a unit are a second.
const (
	Seconds = 1
	Millis  = 1_000
	Micros  = 1_000_000
	Nanos   = 1_000_000_000
)

// Date appends the day that is so many after 1970-01-01.
func Date(dst []byte, days int64) []byte {
	t := time.Unix(days*24*60*60, 0).UTC()
	return append(t.AppendFormat(append(dst, '"'), time.DateOnly), '"')
}

// Timestamp appends the moment that is so many units after 1970-01-01T00:00:00, as
// ISO 8601 with all its digits: of UTC, with a Z, where instant says so, else of no
// zone.
func Timestamp(dst []byte, n, perSecond int64, instant bool) []byte {
	seconds, rest := floorDiv(n, perSecond)
	return Moment(dst, seconds, rest*(Nanos/perSecond), instant)
}

// Moment is Timestamp of seconds and nanoseconds.
func Moment(dst []byte, seconds, nanos int64, instant bool) []byte {
	layout := "2006-01-02T15:04:05.999999999"
	if instant {
		layout += "Z"
	}
	return append(time.Unix(seconds, nanos).UTC().AppendFormat(append(dst, '"'), layout), '"')
}

// Time appends the time of day that is so many units after midnight.
func Time(dst []byte, n, perSecond int64) []byte {
	const day = 24 * 60 * 60
	if n < 0 || n > day*perSecond {
		return append(strconv.AppendInt(append(dst, '"'), n, 10), '"')
	}
	if n == day*perSecond {
		return append(dst, `"24:00:00"`...) // which no clock of Go shows
	}
	t := time.Unix(n/perSecond, n%perSecond*(Nanos/perSecond)).UTC()
	return append(t.AppendFormat(append(dst, '"'), "15:04:05.999999999"), '"')
}

// Duration appends so many units as ISO 8601, such as PT90.5S.
func Duration(dst []byte, n, perSecond int64) []byte {
	return append(seconds(append(dst, `"PT`...), n, perSecond), `S"`...)
}

// Interval appends months, days and units of time as ISO 8601, such as P1M2DT3.5S.
func Interval(dst []byte, months, days, n, perSecond int64) []byte {
	dst = append(strconv.AppendInt(append(dst, `"P`...), months, 10), 'M')
	dst = append(strconv.AppendInt(dst, days, 10), 'D', 'T')
	return append(seconds(dst, n, perSecond), `S"`...)
}

// seconds appends so many units as seconds, without zeros at the end of a fraction.
func seconds(dst []byte, n, perSecond int64) []byte {
	places := int(math.Log10(float64(perSecond)) + 0.5)
	for places > 0 && n%10 == 0 {
		n, places = n/10, places-1
	}
	return Decimal(dst, n, places)
}

// floorDiv divides towards the past, so that the rest is not below zero.
func floorDiv(n, by int64) (quotient, rest int64) {
	quotient, rest = n/by, n%by
	if rest < 0 {
		quotient, rest = quotient-1, rest+by
	}
	return quotient, rest
}
