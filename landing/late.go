package landing

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"
)

// LateRows are rows that landed when the watermark had passed their event time, of one
// arrival and of the half-open stretch [From, To) of event time. A stretch is a quarter of
// an hour, or a longer one where an arrival has late rows of very many.
type LateRows struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Rows   int64     `json:"rows"`   // of the stretch; where the watermark lies in it, of all of it
	Oldest time.Time `json:"oldest"` // their earliest event time
}

const (
	quarter = int64(15 * time.Minute / time.Microsecond)
	// mostLate is how many stretches an entry has at most.
	mostLate = 1024
	// keptLate is how many a state keeps at least, of the newest arrivals.
	keptLate = 1 << 16
)

// landedLate are LateRows as the state holds them, in µs.
type landedLate struct {
	at               Position // of the first row of their arrival
	from, to, oldest int64
	rows             int64
	watermark        int64 // when they landed
}

// Late sums up the rows of a stretch of event time that landed late.
type Late struct {
	Rows int64
	// Sure is how many of Rows surely did. The others are of longer stretches than a
	// quarter of an hour that reach out of what is asked for, and may lie there.
	Sure int64
	By   time.Duration // of the latest of them: how far the watermark had passed its event time
	// Forgotten says that some landed so long ago that it is not known whether they did
	// so late.
	Forgotten bool
}

// Add adds what landed late elsewhere.
func (l *Late) Add(other Late) {
	l.Rows, l.Sure = l.Rows+other.Rows, l.Sure+other.Sure
	l.By, l.Forgotten = max(l.By, other.By), l.Forgotten || other.Forgotten
}

// LateStretches yields the stretches that rows landed late of, in the order in which they
// did. One may come again and again.
func (s *State) LateStretches() iter.Seq[LateRows] {
	return func(yield func(LateRows) bool) {
		for _, l := range s.marks.late {
			if !yield(LateRows{time.UnixMicro(l.from).UTC(), time.UnixMicro(l.to).UTC(), l.rows, time.UnixMicro(l.oldest).UTC()}) {
				return
			}
		}
	}
}

// Late sums up what has landed late of [from, to), at positions from since on, after the
// watermark had passed to. It is of whole stretches of LateRows.
func (s *State) Late(from, to time.Time, since Position) (late Late) {
	late.Forgotten = since < s.marks.forgotten
	start, end := from.UnixMicro(), to.UnixMicro()
	for i := len(s.marks.late) - 1; i >= 0 && s.marks.late[i].at >= since; i-- {
		l := s.marks.late[i]
		if l.from < end && start < l.to && l.oldest < end && l.watermark >= end {
			late.Rows += l.rows
			if l.to-l.from <= quarter || start <= l.from && l.to <= end {
				late.Sure += l.rows
			}
			late.By = max(late.By, time.Duration(l.watermark-max(l.oldest, start))*time.Microsecond)
		}
	}
	return late
}

// remember adds what landed late from a position on.
func (m *marks) remember(late []LateRows, at Position) {
	for _, l := range late {
		m.late = append(m.late, landedLate{at, l.From.UnixMicro(), l.To.UnixMicro(), l.Oldest.UnixMicro(), l.Rows, m.high})
	}
	if n := len(m.late) - keptLate; n > keptLate { // seldom, so that it costs little
		for n < len(m.late) && m.late[n].at == m.late[n-1].at {
			n++ // an arrival is forgotten as a whole
		}
		m.forgotten = m.late[n-1].at + 1
		m.late = slices.Clone(m.late[n:])
	}
}

func checkLate(late []LateRows) error {
	for _, l := range late {
		if !l.From.Before(l.To) || l.Rows <= 0 || !nameable(l.From) || !nameable(l.To) || l.Oldest.Before(l.From) || !l.Oldest.Before(l.To) {
			return fmt.Errorf("%d rows of [%v, %v) landed late, the earliest of %v", l.Rows, l.From, l.To, l.Oldest)
		}
	}
	return nil
}

// stretches are the rows of an intake by quarters of an hour of event time.
type stretches struct {
	by   map[int64]*stretch // by their beginning, in µs
	near [64]*stretch       // where those of the next rows most likely are, by the last bits of their number
}

type stretch struct{ from, to, rows, oldest int64 }

// see takes in the event time of a row, in µs.
func (t *stretches) see(eventTime int64) {
	from := floorTo(eventTime, quarter)
	at := &t.near[uint64(from/quarter)%uint64(len(t.near))]
	if *at == nil || (*at).from != from {
		*at = t.of(from)
	}
	(*at).rows++
	(*at).oldest = min((*at).oldest, eventTime)
}

func (t *stretches) of(from int64) *stretch {
	if t.by == nil {
		t.by = map[int64]*stretch{}
	}
	found := t.by[from]
	if found == nil {
		found = &stretch{from: from, to: from + quarter, oldest: from + quarter}
		t.by[from] = found
	}
	return found
}

// late are those that have rows behind a watermark, in order of time.
func (t *stretches) late(watermark int64) (late []LateRows) {
	var behind []stretch
	for _, s := range t.by {
		if s.oldest < watermark {
			behind = append(behind, *s)
		}
	}
	slices.SortFunc(behind, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	for size := microsPerHour; len(behind) > mostLate; size *= 24 {
		behind = joined(behind, size)
	}
	for _, s := range behind {
		late = append(late, LateRows{time.UnixMicro(s.from).UTC(), time.UnixMicro(s.to).UTC(), s.rows, time.UnixMicro(s.oldest).UTC()})
	}
	return late
}

// joined are the stretches, ascending, by longer ones.
func joined(list []stretch, size int64) (longer []stretch) {
	for _, s := range list {
		from := floorTo(s.from, size)
		if n := len(longer); n == 0 || longer[n-1].from != from {
			longer = append(longer, stretch{from, from + size, 0, from + size})
		}
		l := &longer[len(longer)-1]
		l.rows, l.oldest = l.rows+s.rows, min(l.oldest, s.oldest)
	}
	return longer
}
