package config

import (
	"strconv"
	"strings"
)

// Backfill says how strandline run shares its work between the stream and backfills.
type Backfill struct{ Share Share }

// Share is how many of a process's slots, each of which computes one partition at a
// time, backfills have while the stream is active: a part of them, or a number. The zero
// Share is none: the process works no requests.
type Share struct{ Percent, Slots int }

var defaultBackfill = Backfill{Share{Percent: 50}}

// Of returns how many of so many slots the share is: at least 1 and at most all, or 0 of
// the zero Share. A part is rounded down, so that the stream has the rest.
func (s Share) Of(slots int) int {
	switch {
	case s == Share{}:
		return 0
	case s.Slots > 0:
		return min(s.Slots, slots)
	}
	return max(1, slots*s.Percent/100)
}

func (v value) backfill() Backfill {
	b := defaultBackfill
	f := v.fields("share")
	if v, ok := f.get("share"); ok {
		b.Share = v.share()
	}
	return b
}

func (v value) share() Share {
	const want = "a part such as 50%, a number of partitions at a time such as 1, or off"
	text, ok := v.measure(want)
	if !ok || text == "off" {
		return Share{}
	}
	number, isPart := strings.CutSuffix(text, "%")
	n, err := strconv.ParseUint(number, 10, 31)
	switch {
	case err != nil, n == 0, isPart && n > 100:
		v.problem("%q: want %s", text, want)
		return Share{}
	case isPart:
		return Share{Percent: int(n)}
	}
	return Share{Slots: int(n)}
}
