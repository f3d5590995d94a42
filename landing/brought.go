package landing

import (
	"maps"
	"slices"
	"sort"
)

// Brought tells where some rows of a range of bucket-hours are, and what they came by.
type Brought struct {
	// From and To are the positions [From, To) that hold them; other rows too. They are
	// the same where there are none.
	From Position `json:"from"`
	To   Position `json:"to"`
	// Names are those of the first arrivals that brought them, and More counts the
	// others. Of a segment that a compaction made all arrivals are told that it holds
	// rows of. Arrivals that are archived are not told.
	Names []string `json:"arrivals,omitempty"`
	More  int      `json:"more_arrivals,omitempty"`
}

// mostNamed is how many arrivals are told by name.
const mostNamed = 3

// Brought tells of the rows in hours at positions of [from, upTo).
func (s *State) Brought(hours Hours, from, upTo Position) Brought {
	held := map[*Segment]bool{}
	for _, hour := range s.sumsOf(hours) {
		for _, segment := range between(s.holding(hour.Hour), from, upTo) {
			held[segment] = true
		}
	}
	b := Brought{From: from, To: from}
	end := from // of the arrivals that were told
	for i, segment := range slices.SortedFunc(maps.Keys(held), byBase) {
		first, last := max(segment.Base, from), min(segment.End(), upTo)
		if i == 0 {
			b.From = first
		}
		b.To = last
		end = b.tell(s.arrivals, max(first, end), last)
	}
	return b
}

// tell tells of the arrivals, which ascend, that have rows at positions of [from, to),
// and returns where the last of them ends.
func (b *Brought) tell(arrivals []Arrival, from, to Position) (end Position) {
	at := sort.Search(len(arrivals), func(i int) bool { return arrivals[i].To > from })
	for ; at < len(arrivals) && arrivals[at].From < to; at++ {
		switch a := arrivals[at]; {
		case a.Rows() == 0:
		case len(b.Names) < mostNamed:
			b.Names = append(b.Names, a.CalledBy())
		default:
			b.More++
		}
		from = max(from, arrivals[at].To)
	}
	return from
}
