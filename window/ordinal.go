package window

import (
	"math/bits"
	"time"
)

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

// golden is the golden ratio's fraction of 2^64. Multiples of that fraction, modulo 1, fill the
// circle evenly, one after the other and in almost any steps: Knuth, The Art of Computer
// Programming, volume 3, section 6.4.
const golden = 0x9E3779B97F4A7C15

// Has tells whether a partition belongs to the shard. That is decided by its ordinal
// alone, so that each belongs to just one shard, whatever is published or asked for. Any
// range is shared about evenly, and so is what has rows only now and then, as each night
// or on Mondays.
func (s Shard) Has(p Partition) bool {
	if s.Of == 0 {
		return true
	}
	// The shards are arcs of the circle, each an Of-th of it.
	index, _ := bits.Mul64(uint64(p.Ordinal())*golden, uint64(s.Of))
	return index == uint64(s.Index)
}

// Choose returns those of a plan's partitions that belong to the shard, in their order.
func (s Shard) Choose(all []Status) []Status {
	if s.Of == 0 {
		return all
	}
	return choose(all, func(status Status) bool { return s.Has(status.Partition) })
}
