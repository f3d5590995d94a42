package landing

import (
	"slices"
	"sync"
)

// holders tells which segments hold rows of each bucket-hour of a range, ascending by Base.
// All that has landed is summed up without it, so it is made of the segments only when
// somebody asks for less, of more than a few hours, and from then on kept.
type holders struct {
	mu    sync.Mutex // several may ask while they view one state
	asked int        // of how many hours, that it did not tell of
	in    Hours
	of    map[int64][]*Segment // nil before it is made
}

// fewHours are looked for in the segments one by one: who asks for one partition of very
// many need not wait for the rest.
const fewHours = 8

// holding returns the segments that hold rows of an hour.
func (s *State) holding(hour int64) []*Segment {
	h, one := s.hours.held, Hours{hour, hour + 1}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of != nil && h.in.has(one) {
		return h.of[hour]
	}
	if h.asked++; h.asked <= fewHours {
		return s.search(hour)
	}
	part := s.part(one) // about which one asks first
	if h.of != nil {
		part = s.part(everyHour)
	}
	h.in, h.of = part.in, make(map[int64][]*Segment, len(part.sums))
	for _, segment := range s.segments {
		h.add(segment)
	}
	return h.of[hour]
}

// search looks in all segments for rows of an hour.
func (s *State) search(hour int64) (held []*Segment) {
	for _, segment := range s.segments {
		if segment.Buckets.has(hour) {
			held = append(held, segment)
		}
	}
	return held
}

// add adds a segment that lies above all others.
func (h *holders) add(segment *Segment) {
	h.each(segment, func(held []*Segment) []*Segment { return append(held, segment) })
}

// replace puts a segment in the place of those that held its positions.
func (h *holders) replace(by *Segment) {
	h.each(by, func(held []*Segment) []*Segment { return replace(held, by) })
}

// expire takes away the oldest segment.
func (h *holders) expire(segment *Segment) {
	h.each(segment, func(held []*Segment) []*Segment { return slices.Delete(held, 0, 1) })
}

// each changes what holds the hours of a segment, if that is known already.
func (h *holders) each(segment *Segment, change func([]*Segment) []*Segment) {
	if h.of == nil {
		return
	}
	for b := range segment.Buckets.within(h.in) {
		if h.of[b.Hour] = change(h.of[b.Hour]); len(h.of[b.Hour]) == 0 {
			delete(h.of, b.Hour)
		}
	}
}
