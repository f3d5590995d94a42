package landing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"
)

// Mark is how far an arrival brings its stream by one of the ways that its rows come in.
type Mark struct {
	// Way is the way in, of which a stream has few: a folder, posts, a partition of a
	// topic. It is not a file.
	Way string `json:"way"`
	// Latest is the latest event time of its rows that is not too far ahead; zero if there
	// is none such.
	Latest time.Time `json:"latest,omitzero"`
	Ahead  int64     `json:"ahead,omitempty"` // rows whose event time is too far ahead
}

// never is the watermark, in µs, before there is one.
const never = math.MinInt64

// marks are what a state knows of its stream's ways in, and where its watermark is. They
// depend on the log alone: on the times in it, and on the rule that was recorded.
type marks struct {
	rule  Watermark // zero: none was recorded
	ways  []way     // by name
	clock int64     // the newest time of the log, in µs
	high  int64     // where the watermark was then, in µs
	steps steps

	late      []landedLate // in order of position, then of time
	forgotten Position     // what landed late below it is not known any more
}

// way is a WayIn as the state holds it.
type way struct {
	name   string
	latest int64 // in µs; never if it is not known
	landed int64 // in µs, by the clock of marks
	ahead  int64
}

func newMarks() marks { return marks{clock: never, high: never} }

// clockAt is the time, or that of the log where a process's clock is behind it.
func (m *marks) clockAt(now int64) int64 { return max(m.clock, now) }

func (m *marks) silent(w way, now int64) bool {
	return now-w.landed >= m.rule.orDefault().Idle.Microseconds()
}

// at returns the watermark at a time, in µs: what the ways in say, and never further back than it was.
func (m *marks) at(now int64) int64 {
	if len(m.ways) == 0 {
		return never
	}
	return max(m.high, m.said(now))
}

// said is what the ways in say at a time, in µs: the least of what the ways in are at that are
// not silent, less the delay. Where all are silent, it goes on from where the last of them
// were, and follows the clock once that is further. Between two entries it never goes back,
// since ways only fall silent.
func (m *marks) said(now int64) int64 {
	if len(m.ways) == 0 {
		return never
	}
	now = m.clockAt(now)
	last := slices.MaxFunc(m.ways, func(a, b way) int { return cmp.Compare(a.landed, b.landed) })
	rule, allSilent := m.rule.orDefault(), m.silent(last, now)
	least := int64(math.MaxInt64)
	for _, w := range m.ways {
		if !m.silent(w, now) || allSilent && w.landed == last.landed {
			least = min(least, w.latest)
		}
	}
	at := int64(never)
	if least != never {
		at = least - rule.Delay.Microseconds()
	}
	if allSilent {
		at = max(at, now-(rule.Idle+rule.Delay).Microseconds())
	}
	return at
}

// pass lets time go on up to that of an entry, which lands rows from a position on.
func (m *marks) pass(at time.Time, next Position) {
	m.clock = m.clockAt(at.UnixMicro())
	m.raise(next)
}

// raise notes where the watermark is for the rows from a position on.
func (m *marks) raise(next Position) {
	if at := m.at(m.clock); at > m.high {
		m.high = at
		m.steps.add(step{next, at})
	}
}

// fold adds what an arrival brings, which ends before a position.
func (m *marks) fold(brought []Mark, next Position) {
	for _, b := range brought {
		i, known := slices.BinarySearchFunc(m.ways, b.Way, func(w way, name string) int { return cmp.Compare(w.name, name) })
		if !known {
			m.ways = slices.Insert(m.ways, i, way{name: b.Way, latest: never})
		}
		w := &m.ways[i]
		w.landed, w.ahead = m.clock, w.ahead+b.Ahead
		if !b.Latest.IsZero() {
			w.latest = max(w.latest, b.Latest.UnixMicro())
		}
	}
	m.raise(next)
}

// checkMarks tells whether marks are each of another way, in order, and of times that
// partitions have.
func checkMarks(list []Mark, at time.Time) error {
	if (len(list) > 0 || !at.IsZero()) && !nameable(at) {
		return fmt.Errorf("an arrival brings %d marks at %v", len(list), at)
	}
	for i, m := range list {
		switch {
		case i > 0 && list[i-1].Way >= m.Way:
			return fmt.Errorf("the marks of %q and %q are not in order", list[i-1].Way, m.Way)
		case m.Way == "" || !utf8.ValidString(m.Way):
			return fmt.Errorf("the way in %q has no name in UTF-8", m.Way)
		case m.Ahead < 0 || !m.Latest.IsZero() && !nameable(m.Latest):
			return fmt.Errorf("by %q came event times up to %v, and %d rows ahead of them", m.Way, m.Latest, m.Ahead)
		}
	}
	return nil
}

// nameable tells whether a time is of the years that event times are of.
func nameable(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 && !t.IsZero() }
