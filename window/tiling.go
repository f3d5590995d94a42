package window

import (
	"time"

	"strandline/internal/zone"
)

const (
	hourMicros = int64(time.Hour / time.Microsecond)
	dayMicros  = 24 * hourMicros
)

// tiling cuts event time into half-open tiles without gap or overlap. Instants are in
// microseconds since 1970. Partitions are tiles, and so are tumbling windows.
//
// In a zone the days of its calendar are cut, and shorter tiles are counted from
// the start of the day, whose last tile is what is left of it. In UTC, where all days
// are alike, tiles of a size are counted from 1970.
type tiling struct {
	zone   zone.Zone
	unit   Unit  // a week, month or year, or "" for tiles of a size
	size   int64 // in a zone it is whole days, or less than a day and a whole part of it
	offset int64 // how long after midnight a day is taken to begin
}

// uniform tells whether all tiles are of one size, one after another for ever.
func (t tiling) uniform() bool { return t.unit == "" && t.zone.IsUTC() }

// within tells whether tiles are parts of a day.
func (t tiling) within() bool { return t.unit == "" && t.size < dayMicros }

// floor returns the start of the tile that an instant lies in.
func (t tiling) floor(at int64) int64 {
	if t.uniform() {
		return floorTo(at-t.offset, t.size) + t.offset
	}
	start, _ := t.days(at)
	if t.within() {
		return start + floorTo(at-start, t.size)
	}
	return start
}

// tile returns the tile that an instant lies in.
func (t tiling) tile(at int64) span {
	if t.uniform() {
		start := floorTo(at-t.offset, t.size) + t.offset
		return span{start, start + t.size}
	}
	return span{t.floor(at), t.end(at)}
}

// end returns the end of the tile that an instant lies in.
func (t tiling) end(at int64) int64 {
	if t.uniform() {
		return t.floor(at) + t.size
	}
	start, end := t.days(at)
	if t.within() {
		return min(start+floorTo(at-start, t.size)+t.size, end)
	}
	return end
}

// ceil returns the first start of a tile at or after an instant.
func (t tiling) ceil(at int64) int64 {
	if t.floor(at) == at {
		return at
	}
	return t.end(at)
}

// days returns the tile of whole days that an instant lies in.
func (t tiling) days(at int64) (start, end int64) {
	first := t.day(at)
	return t.since(first), t.since(t.nextDay(first))
}

// day returns the first day of that tile.
func (t tiling) day(at int64) int64 {
	day := t.firstDay(floorTo(t.zone.Local(at)-t.offset, dayMicros) / dayMicros)
	for {
		// Where clocks are put back, the day that has begun stays. A day that they
		// are put forward past begins where it ends, and nothing lies in it.
		next := t.nextDay(day)
		if t.since(next) > at {
			return day
		}
		day = next
	}
}

// since returns when a day of the local calendar, counted from 1970-01-01, begins.
func (t tiling) since(day int64) int64 { return t.zone.Since(day*dayMicros + t.offset) }

// firstDay returns the first day of the tile that a day lies in.
func (t tiling) firstDay(day int64) int64 {
	switch t.unit {
	case UnitWeek:
		return floorTo(day+3, 7) - 3 // 1970-01-01 was a Thursday
	case UnitMonth:
		date := dateOf(day)
		return day + 1 - int64(date.Day())
	case UnitYear:
		date := dateOf(day)
		return day + 1 - int64(date.YearDay())
	}
	return floorTo(day, t.daysOfSize())
}

// nextDay returns the first day of the tile after that of a first day.
func (t tiling) nextDay(first int64) int64 {
	switch t.unit {
	case UnitWeek:
		return first + 7
	case UnitMonth:
		return dayOf(dateOf(first).AddDate(0, 1, 0))
	case UnitYear:
		return dayOf(dateOf(first).AddDate(1, 0, 0))
	}
	return first + t.daysOfSize()
}

// daysOfSize is how many days a tile of a size has, or 1 where days are cut.
func (t tiling) daysOfSize() int64 { return max(1, t.size/dayMicros) }

// dateOf returns the midnight, in UTC, of a day counted from 1970-01-01.
func dateOf(day int64) time.Time { return time.UnixMicro(day * dayMicros).UTC() }

// dayOf returns the day of a midnight in UTC.
func dayOf(midnight time.Time) int64 { return floorTo(midnight.UnixMicro(), dayMicros) / dayMicros }

// floorTo returns the last whole multiple of a size at or before a number, also
// before 0.
func floorTo(n, size int64) int64 {
	into := n % size
	if into < 0 {
		into += size
	}
	return n - into
}

// ceilTo returns the first whole multiple of a size at or after a number.
func ceilTo(n, size int64) int64 { return -floorTo(-n, size) }
