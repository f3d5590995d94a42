package landing

import (
	"encoding/json"
	"fmt"

	"strandline/internal/condemn"
	"strandline/internal/packed"
)

// stored is what checkpoints hold of a State as JSON: there is little of it, and it
// may get more fields. What there is much of follows, packed: see contents.
type stored struct {
	EventTime *EventTime    `json:"event_time,omitempty"`
	Condemned *condemn.Roll `json:"condemned,omitempty"`
	// Expired is the position below which rows have expired.
	Expired  Position  `json:"expired,omitempty"`
	Archives []Archive `json:"archives,omitempty"`
	// Sources are those of arrivals that have such, by their place among those in the state.
	// Older programs pass them over.
	Sources map[int]storedSources `json:"sources,omitempty"`
	// Layout is how what follows is packed.
	Layout int `json:"layout,omitempty"`
}

// How a state is packed.
const (
	layoutValues  = iota // one value after another, which older programs wrote
	layoutColumns        // buckets and steps as columns
)

// contents are what a state has many of.
type contents struct {
	segments []*Segment
	expired  Buckets // of the rows that have expired, moments from position 0
	rejected []Arrival
	arrivals []Arrival
}

// AppendBinary writes the state for a checkpoint.
func (s *State) AppendBinary(b []byte) ([]byte, error) {
	text, err := json.Marshal(stored{
		EventTime: s.eventTime, Condemned: &s.condemned, Expired: s.expired, Archives: s.archives,
		Sources: sourcesOf(s.arrivals), Layout: layoutColumns,
	})
	if err != nil {
		return nil, err
	}
	w := packed.Writer{Bytes: b}
	w.Text(string(text))
	if err := packSegments(&w, s.segments); err != nil {
		return nil, err
	}
	BucketsOf(s.hours.expired).packed(&w)
	packArrivals(&w, s.rejected)
	packArrivals(&w, s.arrivals)
	if s.claimed() || s.marks.any() {
		s.packClaims(&w)
	}
	if s.marks.any() {
		s.marks.pack(&w)
	}
	return w.Bytes, nil
}

// UnmarshalBinary reads the state of a checkpoint.
func (s *State) UnmarshalBinary(data []byte) error {
	if isJSONState(data) {
		return s.unmarshalJSON(data)
	}
	var in stored
	r := packed.NewReader(data)
	if err := json.Unmarshal([]byte(r.Text()), &in); err != nil {
		return err
	}
	if in.Layout < layoutValues || in.Layout > layoutColumns {
		return fmt.Errorf("a state of layout %d, this program reads up to %d", in.Layout, layoutColumns)
	}
	buckets, steps := readBuckets, readSteps
	if in.Layout == layoutValues {
		buckets, steps = unpackBuckets, unpackSteps
	}
	var much contents
	var err error
	if much.segments, err = unpackSegments(r, buckets); err != nil {
		return err
	}
	much.expired, much.rejected, much.arrivals = buckets(r), unpackArrivals(r), unpackArrivals(r)
	for i, of := range in.Sources {
		if i >= 0 && i < len(much.arrivals) {
			much.arrivals[i].Sources, much.arrivals[i].MoreSources = of.First, of.More
		}
	}
	read := newState()
	if r.More() {
		if err := read.unpackClaims(r, much.arrivals); err != nil {
			return err
		}
	}
	if r.More() {
		if err := read.marks.unpack(r, steps); err != nil {
			return err
		}
	}
	if err := r.Done(); err != nil {
		return err
	}
	return s.take(read, in, much)
}

// take makes the state of what was read: read, which has the claims and marks, and the rest.
func (s *State) take(read *State, in stored, much contents) error {
	if err := in.check(much); err != nil {
		return err
	}
	*s = *read
	s.eventTime, s.expired, s.archives = in.EventTime, in.Expired, in.Archives
	if in.Condemned != nil {
		s.condemned = *in.Condemned
	}
	s.segments, s.hours = much.segments, newHours(much.expired.List())
	for _, segment := range s.segments {
		s.know(segment)
	}
	s.rejected = much.rejected
	s.setArrivals(much.arrivals)
	if s.Next() == 0 {
		s.eventTime = nil // older programs kept that of rejects, too
	}
	return nil
}

// check tells whether archives and arrivals hold all positions from 0 on once, and
// segments all from where rows expired, up to the same one.
func (in *stored) check(much contents) error {
	if in.Expired < 0 {
		return fmt.Errorf("rows have expired up to position %d", in.Expired)
	}
	if err := much.expired.check(int64(in.Expired)); err != nil {
		return fmt.Errorf("rows that have expired up to position %d: %w", in.Expired, err)
	}
	next, landed := in.Expired, Position(0)
	for _, segment := range much.segments {
		if err := segment.check(next); err != nil {
			return err
		}
		next = segment.End()
	}
	first := int64(0)
	for _, a := range in.Archives {
		if err := a.check(first, landed); err != nil {
			return err
		}
		first, landed = a.First+a.Arrivals, a.To
	}
	return checkRun(much.arrivals, landed, next)
}

// The least bytes that packed things take.
const (
	leastSegment = 1 + 1 + 3 + 32 + 1 + 2 + 1 + 1
	leastArrival = 32 + 1 + 1 + 2 + 2 + 1 + 1
)

// room reads how many things follow, and makes room for them; nil if there are none.
func room[T any](r *packed.Reader, least int) []T {
	n := r.Count(least)
	if n == 0 {
		return nil
	}
	return make([]T, n)
}

// packSegments writes segments, and before them the columns that they have, each
// once.
func packSegments(w *packed.Writer, segments []*Segment) error {
	var list packed.Writer
	columns := packed.Numbered[declaration]{Same: declaration.same, Word: declaration.word}
	for _, s := range segments {
		list.ID(s.ID)
		list.Int(int64(s.Base))
		list.Int(s.Rows)
		list.Int(s.Bytes)
		list.Hash(s.Digest)
		columns.Write(&list, s.declaration())
		list.Time(s.LandedAt)
		list.Bool(s.Merged)
		s.Buckets.packed(&list)
	}
	words, err := columns.Words()
	if err != nil {
		return fmt.Errorf("columns of segments: %w", err)
	}
	w.Words(words)
	w.Uint(uint64(len(segments)))
	w.Append(list.Bytes)
	return nil
}

func unpackSegments(r *packed.Reader, buckets func(*packed.Reader) Buckets) ([]*Segment, error) {
	columns, err := packed.Values(r, declarationOf)
	if err != nil {
		return nil, fmt.Errorf("columns of segments: %w", err)
	}
	segments := room[*Segment](r, leastSegment)
	for i := range segments {
		s := &Segment{ID: r.ID(), Base: Position(r.Int()), Rows: r.Int(), Bytes: r.Int(), Digest: r.Hash()}
		d := packed.Chosen(r, columns)
		s.Columns, s.Fields = d.columns, d.fields
		s.LandedAt, s.Merged, s.Buckets = r.Time(), r.Bool(), buckets(r)
		segments[i] = s
	}
	return segments, r.Err()
}

func packArrivals(w *packed.Writer, arrivals []Arrival) {
	w.Uint(uint64(len(arrivals)))
	for _, a := range arrivals {
		w.Hash(a.Digest)
		w.Int(a.Size)
		w.Text(a.Name)
		w.Time(a.LandedAt)
		w.Int(int64(a.From))
		w.Int(int64(a.To))
		w.Int(a.Rejects)
		w.Uint(uint64(len(a.RejectFiles)))
		for _, id := range a.RejectFiles {
			w.ID(id)
		}
	}
}

func unpackArrivals(r *packed.Reader) []Arrival {
	arrivals := room[Arrival](r, leastArrival)
	for i := range arrivals {
		arrivals[i] = Arrival{
			Identity: Identity{Digest: r.Hash(), Size: r.Int()}, Name: r.Text(), LandedAt: r.Time(),
			From: Position(r.Int()), To: Position(r.Int()), Rejects: r.Int(),
		}
		for range r.Count(1) {
			arrivals[i].RejectFiles = append(arrivals[i].RejectFiles, r.ID())
		}
	}
	return arrivals
}
