package ingest

import (
	"fmt"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/zone"
	"strandline/landing"
)

// localTime is what texts without an offset mean, or nil where they mean nothing.
func localTime(e landing.EventTime) (datafile.LocalTime, error) {
	if e.Zone == "" {
		return nil, nil
	}
	if t, err := time.Parse("-07:00", e.Zone); err == nil {
		_, seconds := t.Zone()
		return fixed(int64(seconds) * 1e6), nil
	}
	z, err := zone.Load(e.Zone)
	if err != nil {
		return nil, fmt.Errorf("event time zone: %w; it may also be a fixed offset such as +02:00", err)
	}
	if z.IsUTC() {
		return fixed(0), nil
	}
	return local{z, e.Twice, e.Missing}.instant, nil
}

// fixed is local time that is always as many microseconds ahead of UTC.
func fixed(east int64) datafile.LocalTime {
	return func(local int64) (int64, error) { return local - east, nil }
}

// local is what the clocks of a zone show.
type local struct {
	zone    zone.Zone
	twice   landing.Twice
	missing landing.Missing
}

func (l local) instant(local int64) (int64, error) {
	earlier, later, shown := l.zone.Instants(local)
	switch {
	case shown == zone.Twice && l.twice == landing.TwiceReject:
		return 0, fmt.Errorf("comes twice in %s, where clocks are put back", l.zone)
	case shown == zone.Missing && l.missing == landing.MissingReject:
		return 0, fmt.Errorf("does not exist in %s, where clocks are put forward past it", l.zone)
	case shown == zone.Twice && l.twice == landing.TwiceLater:
		return later, nil
	}
	return earlier, nil
}
