package window

import (
	"math"
	"time"

	"strandline/landing"
)

// span is an Interval in microseconds since 1970, [from, to).
type span struct{ from, to int64 }

func (i Interval) span() span { return span{i.Start.UnixMicro(), i.End.UnixMicro()} }

func (s span) interval() Interval {
	return Interval{Start: time.UnixMicro(s.from).UTC(), End: time.UnixMicro(s.to).UTC()}
}

// widened is the span with as much more on both sides, unless it is empty.
func (s span) widened(by time.Duration) span {
	if s.from >= s.to {
		return s
	}
	return span{s.from - by.Microseconds(), s.to + by.Microseconds()}
}

// hours are the bucket-hours that have a part in the span.
func (s span) hours() landing.Hours {
	if s.from >= s.to {
		hour := floorTo(s.from, hourMicros) / hourMicros
		return landing.Hours{From: hour, To: hour}
	}
	return landing.Hours{From: floorTo(s.from, hourMicros) / hourMicros, To: ceilTo(s.to, hourMicros) / hourMicros}
}

// Reads returns the event times that partition p is computed from: those of the
// windows that start in it, and what it takes to know of them.
func (j Job) Reads(p Partition) Interval { return j.reads(p.span()).interval() }

// Hours returns the bucket-hours that hold what partition p is computed from.
func (j Job) Hours(p Partition) landing.Hours { return j.reads(p.span()).hours() }

// hoursFrom is Hours for the partition that starts at that many microseconds since
// 1970. A survey asks for very many.
func (j Job) hoursFrom(start int64) landing.Hours {
	return j.reads(span{start, j.Grain.endOf(start)}).hours()
}

func (j Job) reads(p span) span { return j.counts(p).widened(j.Dedup.within()) }

// counts returns the event times of the rows that tell about the windows which
// start in a partition: all that Reads does but for dedup.
func (j Job) counts(p span) span {
	if j.Window.Kind == Session {
		// Whether a row's run is longer than Max, and so is cut, shows within Max and
		// a Gap of it.
		return p.widened(j.Window.Max + j.Window.Gap)
	}
	return j.peoples(p)
}

// peoples returns the event times of rows without which nothing starts in a
// partition.
func (j Job) peoples(p span) span {
	if j.Window.Kind == Session || j.Window.Kind == None {
		return p
	}
	return j.Window.starting(p)
}

// starting returns the event times of the tumbling or hopping windows that start in a
// partition.
func (w Window) starting(p span) span {
	first := w.ceil(p.from)
	if first >= p.to {
		return span{first, first} // no window starts in the partition
	}
	return span{first, w.end(w.floor(p.to - 1))}
}

// reach is how far outside a partition the event times may lie, at most, that it is
// computed from.
func (j Job) reach() time.Duration {
	return j.Window.longest() + j.Window.Max + j.Window.Gap + j.Dedup.within()
}

// The most that a job may ask for: windows that a row lies in, partitions that windows
// and dedup reach over, and the length of each duration that does.
const (
	MostWindows    = 10_000
	MostPartitions = 10_000
	Longest        = 366 * 24 * time.Hour
)

// Reaches returns how many partitions an instant's windows and dedup can reach over.
func (j Job) Reaches() int64 { return int64(2 * j.reach() / j.Grain.Unit.Least()) }

// Touched returns the partitions that rows of the bucket-hours, which ascend, can
// change, in order of time.
func (j Job) Touched(hours []int64) (partitions []Partition) {
	for _, start := range j.touched(hours, j.reads) {
		partitions = append(partitions, j.Grain.at(start))
	}
	return partitions
}

// touched returns where the partitions start for which of tells an hour's event
// times, in microseconds since 1970. What of tells moves on with the partitions.
func (j Job) touched(hours []int64, of func(span) span) []int64 {
	starts := make([]int64, 0, len(hours))
	reach := j.reach().Microseconds()
	next := int64(math.MinInt64)
	for _, hour := range hours {
		start := max(j.Grain.startOf(hour*hourMicros-reach), next)
		for start < (hour+1)*hourMicros+reach {
			end := j.Grain.endOf(start)
			h := of(span{start, end}).hours()
			if h.From > hour {
				break
			}
			if hour < h.To {
				starts, next = append(starts, start), end
			}
			start = end
		}
	}
	return starts
}
