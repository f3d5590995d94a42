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

// Has tells whether a partition belongs to the shard. That is decided by its ordinal
// alone, so that each belongs to just one shard, whatever is published or asked for.
//
// Of Of ordinals one after the other, a block, each shard has one: so any range is shared
// evenly. Which shard is first is drawn for each block by its number: so what has rows, or is
// heavy, only now and then, as each night or on Mondays, is shared about evenly too, whatever
// its period.
func (s Shard) Has(p Partition) bool {
	if s.Of == 0 {
		return true
	}
	ordinal, of := p.Ordinal(), int64(s.Of)
	place := (ordinal%of + of) % of
	first, _ := bits.Mul64(mixed(uint64((ordinal-place)/of)^shardSeed), uint64(of))
	return (place+int64(first))%of == int64(s.Index)
}

// shardSeed is one of those by which the periods of TestShardsOfWhatIsPeriodicAreEven are
// shared best. All processes of an array have to draw alike: with another one, or another mixed,
// a partition would be left to a task that has run already.
const shardSeed = 291

// mixed is a number of which each bit depends on all bits of n: the output function of
// SplitMix64, by Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
func mixed(n uint64) uint64 {
	n += 0x9E3779B97F4A7C15
	n = (n ^ n>>30) * 0xBF58476D1CE4E5B9
	n = (n ^ n>>27) * 0x94D049BB133111EB
	return n ^ n>>31
}

// Choose returns those of a plan's partitions that belong to the shard, in their order.
func (s Shard) Choose(all []Status) []Status {
	if s.Of == 0 {
		return all
	}
	return choose(all, func(status Status) bool { return s.Has(status.Partition) })
}
