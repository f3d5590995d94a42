package landing

import (
	"encoding/json"
	"fmt"
	"slices"

	"strandline/internal/digest"
	"strandline/internal/log"
)

// State is what a stream's landing log folds to. It only ever grows, so any
// question asked "up to a position" has one answer for ever.
type State struct {
	eventTime *EventTime // nil before the first commit
	segments  []Segment  // ascending by Base
	arrivals  []Arrival  // in order of commit

	// Derived from the above.
	byHour     map[int64][]int // indexes of the segments that hold rows of the hour
	byIdentity map[Identity]int
	byName     map[string]int // the newest arrival of a name
	ids        map[string]bool
}

func newState() *State {
	return &State{
		byHour: map[int64][]int{}, byIdentity: map[Identity]int{},
		byName: map[string]int{}, ids: map[string]bool{},
	}
}

// Next returns the position that the next row will get: the head of the stream.
func (s *State) Next() Position {
	if len(s.arrivals) == 0 {
		return 0
	}
	return s.arrivals[len(s.arrivals)-1].To
}

// Apply adds one commit. A commit that contradicts the log is log.ErrCorrupt.
func (s *State) Apply(e log.Entry) error {
	var c Commit
	if err := json.Unmarshal(e.Body, &c); err != nil {
		return fmt.Errorf("%w: %v", log.ErrCorrupt, err)
	}
	if err := s.check(&c); err != nil {
		return fmt.Errorf("%w: %v", log.ErrCorrupt, err)
	}
	s.add(&c)
	return nil
}

func (s *State) check(c *Commit) error {
	if err := c.check(s.Next()); err != nil {
		return err
	}
	if s.eventTime != nil && *s.eventTime != c.EventTime {
		return fmt.Errorf("event time changes from %v to %v", *s.eventTime, c.EventTime)
	}
	if i, twice := s.byIdentity[c.Arrival.Identity]; twice {
		return fmt.Errorf("%q lands what %q landed already", c.Arrival.Name, s.arrivals[i].Name)
	}
	for _, segment := range c.Segments {
		if s.ids[segment.ID] {
			return fmt.Errorf("segment %s is named twice", segment.ID)
		}
	}
	return nil
}

func (s *State) add(c *Commit) {
	s.eventTime = &c.EventTime
	s.arrivals = append(s.arrivals, c.Arrival)
	s.byIdentity[c.Arrival.Identity] = len(s.arrivals) - 1
	s.byName[c.Arrival.Name] = len(s.arrivals) - 1
	for _, segment := range c.Segments {
		s.addSegment(segment)
	}
}

func (s *State) addSegment(segment Segment) {
	s.segments = append(s.segments, segment)
	s.ids[segment.ID] = true
	for _, b := range segment.Buckets {
		s.byHour[b.Hour] = append(s.byHour[b.Hour], len(s.segments)-1)
	}
}

// stored is State as checkpoints hold it.
type stored struct {
	EventTime *EventTime `json:"event_time,omitempty"`
	Segments  []Segment  `json:"segments"`
	Arrivals  []Arrival  `json:"arrivals"`
}

// AppendBinary writes the state for a checkpoint.
func (s *State) AppendBinary(b []byte) ([]byte, error) {
	text, err := json.Marshal(s)
	return append(b, text...), err
}

// UnmarshalBinary reads the state of a checkpoint.
func (s *State) UnmarshalBinary(data []byte) error { return json.Unmarshal(data, s) }

// MarshalJSON writes the state for a checkpoint.
func (s *State) MarshalJSON() ([]byte, error) {
	return json.Marshal(stored{EventTime: s.eventTime, Segments: s.segments, Arrivals: s.arrivals})
}

// UnmarshalJSON reads the state of a checkpoint.
func (s *State) UnmarshalJSON(data []byte) error {
	var in stored
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	*s = *newState()
	s.eventTime, s.arrivals = in.EventTime, in.Arrivals
	for i, a := range in.Arrivals {
		s.byIdentity[a.Identity], s.byName[a.Name] = i, i
	}
	for _, segment := range in.Segments {
		s.addSegment(segment)
	}
	return nil
}

// check tells whether arrivals and segments each hold all positions from 0 on
// once, and up to the same one.
func (in *stored) check() error {
	var next, landed Position
	for _, segment := range in.Segments {
		if err := segment.check(next); err != nil {
			return err
		}
		next = segment.End()
	}
	for _, a := range in.Arrivals {
		if a.From != landed || a.To < a.From {
			return fmt.Errorf("%q has positions [%d, %d), want them to start at %d", a.Name, a.From, a.To, landed)
		}
		landed = a.To
	}
	if next != landed {
		return fmt.Errorf("segments end at position %d, arrivals at %d", next, landed)
	}
	return nil
}

// Hours is a half-open range [From, To) of bucket-hours, in hours since
// 1970-01-01T00Z.
type Hours struct{ From, To int64 }

// Input sums up the rows of a range of bucket-hours up to a position.
type Input struct {
	Rows   int64       `json:"rows"`
	Digest digest.Hash `json:"digest"` // the zero Hash where there are no rows
}

// HourIndex lists, ascending, the bucket-hours that hold rows at positions
// below upTo and, for from > 0, at or above from. A segment that straddles
// from counts whole.
func (s *State) HourIndex(from, upTo Position) []int64 {
	var hours []int64
	for hour, segments := range s.byHour {
		if slices.ContainsFunc(segments, func(i int) bool {
			return s.segments[i].End() <= upTo && s.segments[i].End() > from
		}) {
			hours = append(hours, hour)
		}
	}
	slices.Sort(hours)
	return hours
}

// SegmentsOf lists the segments with rows in hours at positions below upTo, by
// ascending Base.
func (s *State) SegmentsOf(hours Hours, upTo Position) []Segment {
	var found []int
	for hour := range s.within(hours) {
		for _, i := range s.byHour[hour] {
			if s.segments[i].End() <= upTo {
				found = append(found, i)
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	out := make([]Segment, len(found))
	for n, i := range found {
		out[n] = s.segments[i]
	}
	return out
}
