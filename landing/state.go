package landing

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"

	"strandline/internal/condemn"
	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/log"
)

// State is what a stream's landing log folds to. Rows and their positions only
// ever grow, so any question about the rows up to a position has one answer for
// ever. Which segments hold them changes: see Compaction.
type State struct {
	eventTime *EventTime // nil before the first row
	segments  []*Segment // ascending by Base; what they point to never changes
	archives  []Archive  // of the oldest arrivals, ascending
	rejected  []Arrival  // those of them that have files of rejects
	arrivals  []Arrival  // the others, in order of commit
	condemned condemn.Roll
	expired   Position // below it all rows have expired, and the first segment starts at it
	hours     hours    // but for what has expired derived from the segments

	progress map[string]int64 // of ordered sources: up to which offset they are read
	keys     keyring
	retried  map[string]spans // by file of rejects that did not expire: which landed again
	marks    marks

	// Derived from the above.
	byIdentity *arrivalIndex
	byName     *arrivalIndex
	bySize     *arrivalIndex
	versions   map[digest.Sum128]bool
	ids        map[string]bool
	columns    map[datafile.Column]int // how many segments have it
}

func newState() *State {
	s := &State{
		progress: map[string]int64{}, keys: newKeyring(), retried: map[string]spans{}, marks: newMarks(),
		hours: newHours(nil), ids: map[string]bool{}, columns: map[datafile.Column]int{},
	}
	s.setArrivals(nil)
	return s
}

// Next returns the position that the next row will get: the head of the stream.
func (s *State) Next() Position {
	if n := len(s.arrivals); n > 0 {
		return s.arrivals[n-1].To
	}
	_, to := s.archived()
	return to
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
	s.know(&segment)
	s.hours.add(&segment)
}

// know notes what a segment is named and made of.
func (s *State) know(segment *Segment) {
	s.ids[segment.ID] = true
	for _, c := range segment.Columns {
		s.columns[c]++
	}
}

// forget undoes know.
func (s *State) forget(segment *Segment) {
	delete(s.ids, segment.ID)
	for _, c := range segment.Columns {
		if s.columns[c]--; s.columns[c] == 0 {
			delete(s.columns, c)
		}
	}
}

// Hours is a half-open range [From, To) of bucket-hours, in hours since
// 1970-01-01T00Z.
type Hours struct{ From, To int64 }

// Input sums up the rows of a range of bucket-hours up to a position.
type Input struct {
	Rows   int64       `json:"rows"`
	Digest digest.Hash `json:"digest"` // the zero Hash where there are no rows
}

// EachHour yields, ascending, the bucket-hours of a range that have rows, or had, and tells
// how many there are.
func (s *State) EachHour(within Hours) (many int, hours iter.Seq[int64]) {
	all := s.sumsOf(within)
	return len(all), func(yield func(int64) bool) {
		for i := range all {
			if !yield(all[i].Hour) {
				return
			}
		}
	}
}

// SegmentsOf lists the segments with rows in hours at positions below upTo, by
// ascending Base. Of one that straddles upTo only the rows below it count;
// whoever reads rows has to look at their positions. ErrExpired where a row in
// hours has expired, so that nobody takes what is left for all there was.
func (s *State) SegmentsOf(hours Hours, upTo Position) ([]Segment, error) {
	if n := s.Expired(hours); n > 0 && upTo > 0 {
		return nil, fmt.Errorf("%w: %d of the rows below position %d of the stream, by its retain", ErrExpired, n, s.expired)
	}
	found := map[*Segment]bool{}
	for _, b := range s.sumsOf(hours) {
		for _, segment := range between(s.holding(b.Hour), 0, upTo) {
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
