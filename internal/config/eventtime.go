package config

import (
	"errors"
	"regexp"
	"strings"

	"strandline/internal/zone"
	"strandline/landing"
)

func (v value) eventTime() landing.EventTime {
	const unitWhat = "one of s, ms, us, ns (numbers since 1970) or iso (text); it must be said, since a number alone does not tell seconds from milliseconds"
	var et landing.EventTime
	if v.isText() {
		v.problem("want {column: %q, unit: …} with a unit: %s", v.node.Value, unitWhat)
		return et
	}
	f := v.fields("column", "unit", "zone", "twice", "missing")
	if v, ok := f.need("column", "the field that holds the event time"); ok {
		et.Column, _ = v.text()
	}
	if v, ok := f.need("unit", unitWhat); ok {
		unit, _ := v.oneOf(string(landing.UnitSeconds), string(landing.UnitMillis), string(landing.UnitMicros), string(landing.UnitNanos), string(landing.UnitISO))
		et.Unit = landing.Unit(unit)
	}
	if v, ok := f.get("zone"); ok {
		et.Zone = v.eventZone(et.Unit)
	}
	if v, ok := f.get("twice"); ok {
		et.Twice = clockChange(v, et, landing.TwiceEarlier, landing.TwiceLater, landing.TwiceReject)
	}
	if v, ok := f.get("missing"); ok {
		et.Missing = clockChange(v, et, landing.MissingShift, landing.MissingReject)
	}
	return et
}

var offsetPattern = regexp.MustCompile(`^[+-](0[0-9]|1[0-3]):[0-5][0-9]$|^[+-]14:00$`)

// eventZone reads the zone of texts without an offset: a fixed offset or a zone of
// the database. A zero offset is UTC, whichever way it is written.
func (v value) eventZone(unit landing.Unit) string {
	text, ok := v.text()
	switch {
	case !ok:
		return ""
	case unit != landing.UnitISO && unit != "":
		v.problem("only texts (unit: iso) have a zone; numbers count from 1970-01-01T00:00:00Z")
	case text == "Z" || text == "+00:00" || text == "-00:00":
		return "UTC"
	case offsetPattern.MatchString(text):
		return text
	}
	if z, ok := v.zone(text, ` or a fixed offset such as "+02:00"`); ok {
		return z.String()
	}
	return text
}

// zone finds the zone of a name. or says what else would do.
func (v value) zone(name, or string) (zone.Zone, bool) {
	z, err := zone.Load(name)
	if errors.Is(err, zone.ErrUnknown) {
		names, _ := zone.Names() // which Load has read
		v.problem("%q is no time zone: want UTC, a name of the IANA database such as Europe/Berlin%s%s", name, or, nearestZone(name, names))
	} else if err != nil {
		v.problem("%v", err)
	}
	return z, err == nil
}

// nearestZone is DidYouMean of zones. Of one whose area is right, the city must be near by
// itself: half of another short one may be like it.
func nearestZone(written string, names []string) string {
	best := Nearest(written, names)
	area, city, isPart := strings.Cut(strings.ToLower(written), "/")
	if rest, same := strings.CutPrefix(strings.ToLower(best), area+"/"); isPart && same && distance(city, rest) > max(1, len(city)/3) {
		return ""
	}
	return DidYouMean(written, names)
}

// clockChange reads what is done about local times that clocks show twice or
// never. The first choice is what is done anyway, and stands for nothing being said.
func clockChange[C ~string](v value, et landing.EventTime, choices ...C) C {
	var names []string
	for _, c := range choices {
		names = append(names, string(c))
	}
	choice, _ := v.oneOf(names...)
	if et.Zone == "" || offsetPattern.MatchString(et.Zone) || et.Zone == "UTC" {
		v.problem("says what is done where clocks are changed, so it needs a zone such as Europe/Berlin")
	}
	if choice == names[0] {
		return ""
	}
	return C(choice)
}
