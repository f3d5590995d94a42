package landing

import (
	"fmt"
	"slices"
	"time"
)

// Compaction is the body of a landing log entry that changes no row and no
// position: it puts one segment in the place of several that lie next to each
// other.
type Compaction struct {
	// Replaced are the ids of the segments that are named no more, ascending by
	// position.
	Replaced []string `json:"replaced"`
	// Segment holds their positions, their rows, and their declared columns.
	Segment Segment `json:"segment"`
}

// follows also holds the sums of the segment against those that it replaces:
// an input digest can't change by a compaction.
func (c *Compaction) follows(s *State) error {
	g := c.Segment
	if err := g.check(g.Base); err != nil {
		return err
	}
	if s.ids[g.ID] {
		return fmt.Errorf("segment %s is named twice", g.ID)
	}
	replaced := between(s.segments, g.Base, g.End())
	if !slices.EqualFunc(replaced, c.Replaced, func(r *Segment, id string) bool { return r.ID == id }) {
		return fmt.Errorf("segment %s replaces %v, which are not the segments of positions [%d, %d)", g.ID, c.Replaced, g.Base, g.End())
	}
	if len(replaced) < 2 || replaced[0].Base != g.Base || replaced[len(replaced)-1].End() != g.End() {
		return fmt.Errorf("segment %s holds positions [%d, %d), which are not those of several whole segments", g.ID, g.Base, g.End())
	}
	for _, r := range replaced {
		if !r.DeclaredAs(g) {
			return fmt.Errorf("segment %s has the columns %v of the fields %v, where %s has %v of %v", g.ID, g.Columns, g.Fields, r.ID, r.Columns, r.Fields)
		}
	}
	if !mergedBuckets(values(replaced)).Equal(g.Buckets) {
		return fmt.Errorf("segment %s holds other rows than those that it replaces", g.ID)
	}
	return nil
}

func (c *Compaction) named() []string { return []string{c.Segment.ID} }

func (c *Compaction) fold(s *State) {
	g := &c.Segment
	g.LandedAt, g.Merged = lastLanded(values(between(s.segments, g.Base, g.End()))), true
	for _, r := range between(s.segments, g.Base, g.End()) {
		s.forget(r)
	}
	s.know(g)
	s.segments = replace(s.segments, g)
	s.hours.held.replace(g)
}

// lastLanded returns when the newest row of segments landed.
func lastLanded(segments []Segment) (last time.Time) {
	for _, segment := range segments {
		if segment.LandedAt.After(last) {
			last = segment.LandedAt
		}
	}
	return last
}

// replace puts g in the place of those of segments that hold its positions.
func replace(segments []*Segment, g *Segment) []*Segment {
	replaced := between(segments, g.Base, g.End())
	at, _ := slices.BinarySearchFunc(segments, replaced[0], byBase)
	return slices.Replace(segments, at, at+len(replaced), g)
}

// mergedBuckets sums up segments that follow one another, as one segment from
// the first one's Base on would.
func mergedBuckets(segments []Segment) Buckets {
	total := sums{}
	for _, segment := range segments {
		for b := range segment.Buckets.All() {
			total.of(b.Hour).join(b.at(segment.Base - segments[0].Base))
		}
	}
	return BucketsOf(total.sorted())
}
