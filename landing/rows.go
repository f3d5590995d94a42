package landing

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
)

// Range is the half-open positions [From, To).
type Range struct{ From, To Position }

// JoinRanges puts ranges in order, with those in one that touch or overlap, and leaves
// out the empty ones.
func JoinRanges(ranges []Range) (joined []Range) {
	ranges = slices.DeleteFunc(slices.Clone(ranges), func(r Range) bool { return r.From >= r.To })
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Compare(a.From, b.From) })
	for _, r := range ranges {
		if last := len(joined) - 1; last >= 0 && r.From <= joined[last].To {
			joined[last].To = max(joined[last].To, r.To)
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// Rows are some rows of a stream, by where they are and by what they came.
type Rows struct {
	// At are their positions, in order and apart.
	At []Range
	// Source, if not nil, says that only rows of some source are meant.
	Source *RowSource
}

// RowSource chooses rows by what they came by.
type RowSource struct {
	// Name is that of the source; or Match, if not empty, is a regular expression (RE2)
	// that is of all of it.
	Name, Match string
	// Offsets, if not nil, are positions in the source.
	Offsets *Span
}

// Hours lists, ascending, the bucket-hours of rows as far as the log tells: those of
// segments that hold no other rows. What it can't tell is in the segments of read, which
// hold other rows too. Of rows that have expired it tells all hours of which any have.
func (s *State) Hours(of Rows) (hours []int64, read []Segment) {
	known, cut := map[int64]bool{}, map[*Segment]bool{}
	for _, r := range of.At {
		for _, segment := range between(s.segments, r.From, r.To) {
			if of.Source != nil || segment.Base < r.From || r.To < segment.End() {
				cut[segment] = true
				continue
			}
			for b := range segment.Buckets.All() {
				known[b.Hour] = true
			}
		}
		if of.Source == nil && r.From < s.expired {
			for _, b := range s.hours.expired {
				known[b.Hour] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(known)), values(slices.SortedFunc(maps.Keys(cut), byBase))
}

// WithHours calls fn with what State.Hours says, as WithSegments does.
func (s *Stream) WithHours(ctx context.Context, of Rows, fn func(hours []int64, read []Segment) error) error {
	var hours []int64
	err := s.withSegments(ctx, func(state *State) (read []Segment, err error) {
		hours, read = state.Hours(of)
		return read, nil
	}, func(read []Segment) error { return fn(hours, read) })
	if err != nil {
		return fmt.Errorf("look in stream %s for the hours of rows: %w", s.spec.Stream, err)
	}
	return nil
}

// Count is how many rows there are at the positions.
func (r Rows) Count() (n int64) {
	for _, at := range r.At {
		n += int64(at.To - at.From)
	}
	return n
}
