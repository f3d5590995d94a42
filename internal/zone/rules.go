package zone

import (
	"fmt"
	"math"
	"sort"
	"time"

	"strandline/internal/digest"
)

// rules are the offsets from UTC of one zone, in microseconds east.
type rules struct {
	name    string
	first   int64 // before any change
	changes []change
	digest  digest.Hash
}

// change is the instant from which on another offset holds.
type change struct{ at, offset int64 }

// rulesOf lists the changes of a location's offset in the years that are covered.
// A change of its name alone, or of what it calls summer, is none.
func rulesOf(location *time.Location) *rules {
	at := time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC).In(location) // before there were zones
	r := &rules{name: location.String(), first: offsetAt(at)}
	for last := r.first; ; {
		_, next := at.ZoneBounds()
		if next.IsZero() || next.UnixMicro() >= covered {
			break
		}
		if !next.After(at) { // on the 366th day of a year, where bounds end after the 365th
			next = time.Date(at.UTC().Year()+1, 1, 1, 0, 0, 0, 0, time.UTC).In(location)
		}
		at = next
		if offset := offsetAt(at); offset != last {
			last = offset
			r.changes = append(r.changes, change{at.UnixMicro(), offset})
		}
	}
	r.digest = r.digestBetween(earliest, latest)
	return r
}

func offsetAt(t time.Time) int64 {
	_, seconds := t.Zone()
	return int64(seconds) * second
}

// digestBetween is of the offsets that hold in a half-open time, and from when on.
func (r *rules) digestBetween(from, to int64) digest.Hash {
	i := r.holding(from)
	text := fmt.Appendf(nil, "%d\n", r.offset(i))
	for _, c := range r.changes[i+1:] {
		if c.at < to {
			text = fmt.Appendf(text, "%d %d\n", c.at, c.offset)
		}
	}
	return digest.OfBytes(text)
}

const (
	second = int64(time.Second / time.Microsecond)
	// farthest is more than any offset, so the instant of a local time is nearer to
	// it than that.
	farthest = 86_400 * second
	// era is the time after which the calendar, and the rules that hold in times
	// to come, begin anew: 400 years, which are whole weeks.
	era = 146_097 * farthest
)

// The event times that landing takes lie in [earliest, latest).
var (
	earliest = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	latest   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
)

// covered is the end of the years for which changes are listed. The last rules hold from
// before 2101 on in every zone, so what comes later is as an era before.
var covered = time.Date(2501, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// cover returns a time as far into an era that has changes listed, and how far
// beyond it the time is.
func cover(t int64) (within, beyond int64) {
	if t < covered {
		return t, 0
	}
	beyond = (t - covered + era) / era * era
	return t - beyond, beyond
}

// holding returns which stretch an instant lies in: the number of its change, or
// -1 before the first.
func (r *rules) holding(instant int64) int {
	return sort.Search(len(r.changes), func(i int) bool { return r.changes[i].at > instant }) - 1
}

// offset returns the offset that holds in stretch i.
func (r *rules) offset(i int) int64 {
	if i < 0 {
		return r.first
	}
	return r.changes[i].offset
}

// stretch returns the half-open time in which the offset i holds.
func (r *rules) stretch(i int) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if i >= 0 {
		from = r.changes[i].at
	}
	if i+1 < len(r.changes) {
		to = r.changes[i+1].at
	}
	return from, to
}

func (r *rules) since(local int64) int64 {
	for i := r.holding(local - farthest); ; i++ {
		from, to := r.stretch(i)
		if at := max(from, local-r.offset(i)); at < to {
			return at
		}
	}
}

func (r *rules) instants(local int64) (earlier, later int64, shown Shown) {
	times := 0
	last := r.holding(local + farthest)
	for i := r.holding(local - farthest); i <= last; i++ {
		from, to := r.stretch(i)
		at := local - r.offset(i)
		if at < from || at >= to {
			continue
		}
		if times == 0 {
			earlier = at
		}
		later = at
		times++
	}
	switch times {
	case 0:
		forward := r.holding(r.since(local))
		moved := local - r.offset(forward-1)
		return moved, moved, Missing
	case 1:
		return earlier, later, Once
	}
	return earlier, later, Twice
}
