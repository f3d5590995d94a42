package window

import "time"

// Ordinal numbers partitions in order of time: a pure function of where one starts, the
// same whatever else there is, and mostly one more than that of the partition before.
func (p Partition) Ordinal() int64 {
	start := p.Start.UnixMicro()
	switch p.Grain.Unit {
	case UnitQuarter:
		return floorTo(start, hourMicros/4) / (hourMicros / 4)
	case UnitHour:
		return floorTo(start, hourMicros) / hourMicros
	}
	day := floorTo(p.Grain.Zone.Local(start), dayMicros) / dayMicros
	switch date := dateOf(day); p.Grain.Unit {
	case UnitWeek:
		return floorTo(day+3, 7) / 7 // 1970-01-01 was a Thursday
	case UnitMonth:
		return int64(date.Year())*12 + int64(date.Month()-time.January)
	case UnitYear:
		return int64(date.Year())
	}
	return day
}

// Shard is one of Of parts of all partitions, counted from 0. The zero Shard is all of
// them.
type Shard struct{ Index, Of int }

// Has tells whether a partition belongs to the shard. That is decided by its ordinal
// alone, so that each belongs to just one shard, whatever is published or asked for, and
// neighbours to different ones.
func (s Shard) Has(p Partition) bool {
	if s.Of == 0 {
		return true
	}
	n := int64(s.Of)
	return (p.Ordinal()%n+n)%n == int64(s.Index)
}

// Choose returns those of a plan's partitions that belong to the shard, in their order.
func (s Shard) Choose(all []Status) []Status {
	if s.Of == 0 {
		return all
	}
	return choose(all, func(status Status) bool { return s.Has(status.Partition) })
}
