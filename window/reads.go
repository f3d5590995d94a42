package window

import (
	"math"
	"time"

	"strandline/landing"
)

// span is an Interval in microseconds since 1970, [from, to).
type span struct{ from, to int64 }

// allTime is more than event times may lie in, and leaves room on both sides.
var allTime = span{math.MinInt64 / 4, math.MaxInt64 / 4}

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

// overlaps tells whether the spans share an instant.
func (s span) overlaps(other span) bool {
	return s.from < s.to && s.from < other.to && other.from < s.to
}

// hours are the bucket-hours that have a part in the span.
func (s span) hours() landing.Hours {
	if s.from >= s.to {
		hour := floorTo(s.from, hourMicros) / hourMicros
		return landing.Hours{From: hour, To: hour}
	}
	return landing.Hours{From: floorTo(s.from, hourMicros) / hourMicros, To: ceilTo(s.to, hourMicros) / hourMicros}
}

// Reads returns the event times that partition p is computed from, but for what is read
// beside: those of the windows that start in it, and what it takes to know of them.
func (j Job) Reads(p Partition) Interval { return j.readsOf(Input{}, p.span()).interval() }

// Hours returns the bucket-hours of an input that hold what partition p is computed
// from.
func (j Job) Hours(in Input, p Partition) landing.Hours { return j.readsOf(in, p.span()).hours() }

// readsOf are the event times of an input that a partition is computed from.
func (j Job) readsOf(in Input, p span) span { return j.countsOf(in, p).widened(j.Dedup.within()) }

// apart tells whether every partition is computed from the rows of one stream in its own
// event times, and of no others.
func (j Job) apart() bool {
	return j.sole() && !j.Inputs[0].beside() && j.fits() && j.Window.Kind != Session && j.Dedup.within() == 0
}

// countsOf returns the event times of an input's rows that tell about the windows which
// a partition sees: all that readsOf does but for dedup.
func (j Job) countsOf(in Input, p span) span {
	if in.beside() {
		return j.tells(j.showsOf(in, p))
	}
	return j.tells(j.peoples(p))
}

// tells returns the event times of the rows that tell which windows the rows of a span
// are in.
func (j Job) tells(of span) span {
	if j.Window.Kind == Session {
		// Whether a row's run is longer than Max, and so is cut, shows within Max and
		// a Gap of it.
		return of.widened(j.Window.Max + j.Window.Gap)
	}
	return of
}

// peoples returns the event times of rows without which nothing starts in a
// partition.
func (j Job) peoples(p span) span {
	if j.fits() {
		return p
	}
	return j.Window.starting(p)
}

// fits tells whether peoples are, of each partition, its own event times: its windows
// make it up whole, or a row alone tells what starts. Where there are very many
// partitions, that saves looking for the windows of each.
func (j Job) fits() bool {
	if j.Window.Kind != Tumbling {
		return j.Window.Kind != Hopping
	}
	windows, partitions := j.Window.tiling(), j.Grain.tiling()
	least := partitions.size
	if partitions.unit != "" {
		least = dayMicros // of which weeks, months and years are made up
	}
	return windows.uniform() && partitions.zone.IsUTC() && windows.offset == 0 && least%windows.size == 0
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
func (j Job) reach() time.Duration { return j.Window.longest() + j.readsBack() }

// readsBack is how far before a partition's start rows are read for it, at most.
func (j Job) readsBack() time.Duration { return j.Window.Max + j.Window.Gap + j.Dedup.within() }

// The most that a job may ask for: windows that a row lies in, partitions that windows,
// dedup and what is read beside reach over, and the length of each duration that does.
const (
	MostWindows    = 10_000
	MostPartitions = 10_000
	Longest        = 366 * 24 * time.Hour
)

// Reaches returns how many partitions an instant's windows and dedup can reach over, and
// what inputs are read beside.
func (j Job) Reaches() int64 {
	far := 2 * j.reach()
	for _, in := range j.Inputs {
		far = max(far, j.reach()+j.reachOf(in))
	}
	return int64(far / j.Grain.Unit.Least())
}

// Touched returns the partitions that rows of a stream's bucket-hours, which ascend,
// can change, in order of time.
func (j Job) Touched(in Input, hours []int64) (partitions []Partition) {
	spans := make([]span, len(hours))
	for i, hour := range hours {
		spans[i] = hourSpan(hour)
	}
	return j.touchedBy(in, spans, streamHead{}.whole)
}

// TouchedBy returns the partitions that other partitions of a table that the job reads,
// which ascend and are apart, can change, in order of time.
func (j Job) TouchedBy(in Input, others []Partition) []Partition {
	spans := make([]span, len(others))
	for i, p := range others {
		spans[i] = p.span()
	}
	return j.touchedBy(in, spans, tableHead{}.whole)
}

func (j Job) touchedBy(in Input, spans []span, whole func(span) span) (partitions []Partition) {
	reads := func(p span) span { return whole(j.readsOf(in, p)) }
	for _, start := range j.touched(spans, j.reachOf(in), reads) {
		partitions = append(partitions, j.Grain.at(start))
	}
	return partitions
}

// touched returns where the partitions start that have a part of spans, which ascend and
// are apart, in what of tells, in microseconds since 1970. That moves on with the
// partitions, and lies within reach of them. Where it is empty, it tells of an instant
// before which no window of the partitions that follow starts.
func (j Job) touched(spans []span, reach time.Duration, of func(span) span) []int64 {
	starts := make([]int64, 0, len(spans))
	far := reach.Microseconds()
	next := int64(math.MinInt64)
	for _, s := range spans {
		for at := max(s.from-far, next); at < s.to+far; {
			partition := j.Grain.spanOf(at)
			reads, end := of(partition), partition.to
			switch {
			case reads.overlaps(s):
				starts, next = append(starts, partition.from), end
			case reads.from >= reads.to:
				end = max(end, j.Grain.startOf(reads.from)) // there may be thousands without a window
			case reads.from >= s.to:
				end = math.MaxInt64 // and so do those that follow
			}
			at = end
		}
	}
	return starts
}
