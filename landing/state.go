package landing

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"

	"strandline/internal/condemn"
	"strandline/internal/digest"
	"strandline/internal/log"
)

// State is what a stream's landing log folds to. Rows and their positions only
// ever grow, so any question about the rows up to a position has one answer for
// ever. Which segments hold them changes: see Compaction.
type State struct {
	eventTime *EventTime // nil before the first commit
	segments  []*Segment // ascending by Base; what they point to never changes
	arrivals  []Arrival  // in order of commit
	condemned condemn.Roll
	expired   expired // what was before the segments

	// Derived from the above.
	byHour     map[int64][]*Segment // those with rows of the hour, ascending by Base
	byIdentity map[Identity]int
	byName     map[string]int // the newest arrival of a name
	ids        map[string]bool
}

func newState() *State {
	return &State{
		expired: expired{byHour: sums{}},
		byHour:  map[int64][]*Segment{}, byIdentity: map[Identity]int{},
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

// Apply adds one entry. One that contradicts the log is log.ErrCorrupt.
func (s *State) Apply(e log.Entry) error {
	c, err := decodeChange(e.Body)
	if err == nil {
		err = errors.Join(c.follows(s), s.checkFiles(c))
	}
	if err != nil {
		return fmt.Errorf("%w: %v", log.ErrCorrupt, err)
	}
	c.fold(s)
	return nil
}

func (s *State) addSegment(segment Segment) {
	s.segments = append(s.segments, &segment)
	s.ids[segment.ID] = true
	for _, b := range segment.Buckets {
		s.byHour[b.Hour] = append(s.byHour[b.Hour], &segment)
	}
}

// stored is State as checkpoints hold it.
type stored struct {
	EventTime *EventTime `json:"event_time,omitempty"`
	Segments  []Segment  `json:"segments"`
	Arrivals  []Arrival  `json:"arrivals"`

	Condemned *condemn.Roll `json:"condemned,omitempty"`
	// Expired is the position below which rows have expired, and ExpiredHours
	// are their sums.
	Expired      Position `json:"expired,omitempty"`
	ExpiredHours []Bucket `json:"expired_hours,omitempty"`
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
	return json.Marshal(stored{
		EventTime: s.eventTime, Segments: s.Segments(), Arrivals: s.arrivals,
		Condemned: &s.condemned,
		Expired:   s.expired.upTo, ExpiredHours: s.expired.byHour.sorted(),
	})
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
	s.expired.upTo = in.Expired
	for _, b := range in.ExpiredHours {
		*s.expired.byHour.of(b.Hour) = b
		s.byHour[b.Hour] = []*Segment{}
	}
	if in.Condemned != nil {
		s.condemned = *in.Condemned
	}
	for i, a := range in.Arrivals {
		s.byIdentity[a.Identity], s.byName[a.Name] = i, i
	}
	for _, segment := range in.Segments {
		s.addSegment(segment)
	}
	return nil
}

// check tells whether arrivals hold all positions from 0 on once, and segments
// all from where rows expired, up to the same one.
func (in *stored) check() error {
	if in.Expired < 0 {
		return fmt.Errorf("rows have expired up to position %d", in.Expired)
	}
	if err := checkBuckets(in.ExpiredHours, int64(in.Expired)); err != nil {
		return fmt.Errorf("rows that have expired up to position %d: %w", in.Expired, err)
	}
	next, landed := in.Expired, Position(0)
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

// HourIndex lists, ascending, the bucket-hours of the segments that hold
// positions of [from, upTo). A segment that straddles an end counts whole, as do
// all rows that have expired, so hours may be listed whose rows all lie outside.
func (s *State) HourIndex(from, upTo Position) []int64 {
	var hours []int64
	for hour, segments := range s.byHour {
		if overlap := between(segments, from, upTo); len(overlap) > 0 {
			hours = append(hours, hour)
		}
	}
	if from < s.expired.upTo && upTo > 0 {
		hours = append(hours, slices.Collect(maps.Keys(s.expired.byHour))...)
	}
	slices.Sort(hours)
	return slices.Compact(hours)
}

// SegmentsOf lists the segments with rows in hours at positions below upTo, by
// ascending Base. Of one that straddles upTo only the rows below it count;
// whoever reads rows has to look at their positions. ErrExpired where a row in
// hours has expired, so that nobody takes what is left for all there was.
func (s *State) SegmentsOf(hours Hours, upTo Position) ([]Segment, error) {
	if n := s.Expired(hours); n > 0 && upTo > 0 {
		return nil, fmt.Errorf("%w: %d of the rows below position %d of the stream, by its retain", ErrExpired, n, s.expired.upTo)
	}
	found := map[*Segment]bool{}
	for hour := range s.within(hours) {
		for _, segment := range between(s.byHour[hour], 0, upTo) {
			found[segment] = true
		}
	}
	return values(slices.SortedFunc(maps.Keys(found), byBase)), nil
}

// Segments lists all segments, by ascending Base.
func (s *State) Segments() []Segment { return values(s.segments) }

func byBase(a, b *Segment) int { return cmp.Compare(a.Base, b.Base) }

func values(segments []*Segment) []Segment {
	out := make([]Segment, len(segments))
	for i, segment := range segments {
		out[i] = *segment
	}
	return out
}

// between returns those of segments, ascending by Base, that hold a position of
// [from, to).
func between(segments []*Segment, from, to Position) []*Segment {
	i := sort.Search(len(segments), func(i int) bool { return segments[i].End() > from })
	j := sort.Search(len(segments), func(j int) bool { return segments[j].Base >= to })
	return segments[i:max(i, j)]
}
