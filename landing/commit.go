package landing

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/digest"
)

// Commit is the body of a landing log entry that lands an arrival: its segments and, in
// the same entry, the identity of the source they came from, so that the rows
// and the fact that they have landed can't come apart.
type Commit struct {
	// EventTime is the meaning of the stream's event time. Every commit repeats it:
	// from the first that lands rows on all must agree with that.
	EventTime EventTime `json:"event_time"`
	Segments  []Segment `json:"segments"`
	Arrival   Arrival   `json:"arrival"`
	// With are those that land together with it, each with the positions after the one
	// before it. Such arrivals claim nothing but their contents and versions.
	With []Arrival `json:"with,omitempty"`
	// What else it claims: see Claim. Keys have positions.
	Progress []Progress `json:"progress,omitempty"`
	Keys     []Key      `json:"keys,omitempty"`
	Retried  []Retried  `json:"retried,omitempty"`
	// KeysAt is when the keys landed, by the store's clock; zero where there are none.
	KeysAt time.Time `json:"keys_at,omitzero"`
	// Marks are how far it brings the stream by each way in, by name, and MarkedAt is when
	// it does, by the clock of who lands it; zero where no row lands.
	Marks    []Mark    `json:"marks,omitempty"`
	MarkedAt time.Time `json:"marked_at,omitzero"`
	// Late are those of its rows that are behind the watermark, in order of time.
	Late []LateRows `json:"late,omitempty"`
}

// record is the body of the commit's entry.
func (c *Commit) record() *record {
	if len(c.With) > 0 {
		return &record{Grouped: c}
	}
	if !c.MarkedAt.IsZero() {
		return &record{Marked: c}
	}
	if c.Arrival.Version == "" && len(c.Progress)+len(c.Keys)+len(c.Retried) == 0 {
		return &record{Commit: c}
	}
	return &record{Claimed: c}
}

// Arrival is one landed file, or what else landed at once: what it was, and what became
// of it. The size of its identity is -1 where that is not of a content.
type Arrival struct {
	Identity
	Name     string    `json:"name"`
	LandedAt time.Time `json:"landed_at"`
	From     Position  `json:"from"` // first position, inclusive
	To       Position  `json:"to"`   // end of the positions, exclusive
	Rejects  int64     `json:"rejects"`
	// RejectFiles are the ids of the files that hold the rejects.
	RejectFiles []string `json:"reject_files,omitempty"`
	// Version is what its source calls its content; "" where it has no such.
	Version string `json:"version,omitempty"`
	// Gaps are those of its Progress in which something was lost. They come of the
	// fold, whatever an entry says.
	Gaps []Progress `json:"gaps,omitempty"`
	// Sources are the first few of what its rows and rejects have as their source, and
	// MoreSources counts the others, where that is another thing than Name: of a log that
	// is tailed, of posts, of topics. Older programs did not say it.
	Sources     []string `json:"sources,omitempty"`
	MoreSources int64    `json:"more_sources,omitempty"`
}

// Rows returns how many rows landed.
func (a Arrival) Rows() int64 { return int64(a.To - a.From) }

// Segment is one immutable Parquet file of landed rows. It holds the positions
// [Base, Base+Rows); the file itself holds offsets from Base, so that a commit
// which lost a race gets a new Base without being written again.
type Segment struct {
	ID      string            `json:"id"`
	Base    Position          `json:"base"`
	Rows    int64             `json:"rows"`
	Bytes   int64             `json:"bytes"`
	Digest  digest.Hash       `json:"digest"`  // SHA-256 of the file's bytes
	Columns []datafile.Column `json:"columns"` // the declared ones at that time
	// Fields are what the columns were read from, as Spec.Fields says it.
	Fields  map[string][]Path `json:"fields,omitempty"`
	Buckets Buckets           `json:"buckets"` // ascending by Hour
	// LandedAt is when the newest of the rows landed. It comes of the fold, whatever
	// an entry says.
	LandedAt time.Time `json:"landed_at,omitzero"`
	// Merged tells that a compaction made it, of what several arrivals brought. It
	// comes of the fold too.
	Merged bool `json:"merged,omitempty"`
}

// End returns the position after the segment's last row.
func (s Segment) End() Position { return s.Base + Position(s.Rows) }

// rebase gives the commit's segments, and the rows of its keys, the positions from
// next on. It had those from Arrival.From on.
func (c *Commit) rebase(next Position) {
	for i := range c.Keys {
		c.Keys[i].From += int64(next - c.Arrival.From)
		c.Keys[i].To += int64(next - c.Arrival.From)
	}
	for i := range c.With {
		c.With[i].From += next - c.Arrival.From
		c.With[i].To += next - c.Arrival.From
	}
	c.Arrival.To += next - c.Arrival.From
	c.Arrival.From = next
	for i := range c.Segments {
		c.Segments[i].Base = next
		next = c.Segments[i].End()
	}
	if len(c.With) == 0 {
		c.Arrival.To = next
	}
}

// arrivals are all that the commit lands, in order.
func (c *Commit) arrivals() []Arrival {
	return append([]Arrival{c.Arrival}, c.With...)
}

// end is the position after all its rows.
func (c *Commit) end() Position {
	if n := len(c.With); n > 0 {
		return c.With[n-1].To
	}
	return c.Arrival.To
}

// follows tells whether the commit may be the next entry of the log.
func (c *Commit) follows(s *State) error {
	if err := c.check(s.Next()); err != nil {
		return err
	}
	if s.eventTime != nil && *s.eventTime != c.EventTime {
		return fmt.Errorf("event time changes from %v to %v", *s.eventTime, c.EventTime)
	}
	here := map[Identity]string{}
	for _, a := range c.arrivals() {
		if before, twice := s.landedAs(a.Identity); twice {
			return fmt.Errorf("%q lands what %q landed already", a.Name, before.Name)
		}
		if before, twice := here[a.Identity]; twice {
			return fmt.Errorf("%q lands what %q lands beside it", a.Name, before)
		}
		here[a.Identity] = a.Name
	}
	for _, segment := range c.Segments {
		if s.ids[segment.ID] {
			return fmt.Errorf("segment %s is named twice", segment.ID)
		}
	}
	return s.followsClaim(c.claim())
}

// claim is what the commit claims, with positions.
func (c *Commit) claim() Claim {
	return Claim{Identity: c.Arrival.Identity, Version: c.Arrival.Version, Progress: c.Progress, Keys: c.Keys, Retried: c.Retried}
}

// followsClaim tells whether a claim, but for its identity, fits what has landed: why
// not is a MovedError, a KeysLandedError or ErrRetried.
func (s *State) followsClaim(c Claim) error {
	return cmp.Or(s.followsProgress(c.Progress), s.keys.follow(c.Keys), s.followsRetried(c.Retried))
}

func (c *Commit) fold(s *State) {
	if len(c.Segments) > 0 {
		s.eventTime = &c.EventTime
	}
	if !c.MarkedAt.IsZero() {
		s.marks.pass(c.MarkedAt, c.Arrival.From)
		s.marks.remember(c.Late, c.Arrival.From)
		s.marks.fold(c.Marks, c.end())
	}
	c.Arrival.Gaps = gapsOf(c.Progress)
	for _, a := range c.arrivals() {
		s.addArrival(a)
	}
	s.foldProgress(c.Progress)
	s.keys.fold(c.Keys, c.KeysAt)
	s.foldRetried(c.Retried)
	for _, segment := range c.Segments {
		segment.LandedAt, segment.Merged = c.Arrival.LandedAt, false
		s.addSegment(segment)
	}
}

func (c *Commit) named() []string {
	var ids []string
	for _, a := range c.arrivals() {
		ids = append(ids, a.RejectFiles...)
	}
	for _, segment := range c.Segments {
		ids = append(ids, segment.ID)
	}
	return ids
}

// check tells whether the commit is one that may follow a log which ends at
// position next. It looks at the commit alone.
func (c *Commit) check(next Position) error {
	first := next
	for _, s := range c.Segments {
		if err := s.check(next); err != nil {
			return err
		}
		next = s.End()
	}
	if err := checkRun(c.arrivals(), first, next); err != nil {
		return err
	}
	if len(c.With) > 0 && len(c.Progress)+len(c.Keys)+len(c.Retried) > 0 {
		return errors.New("several arrivals claim more than contents and versions")
	}
	return cmp.Or(c.checkClaim(), checkMarks(c.Marks, c.MarkedAt), checkLate(c.Late))
}

// checkRun tells whether arrivals have the positions [from, to), one after another.
func checkRun(arrivals []Arrival, from, to Position) error {
	for _, a := range arrivals {
		if a.From != from || a.To < from {
			return fmt.Errorf("%q has positions [%d, %d), want them to start at %d", a.Name, a.From, a.To, from)
		}
		from = a.To
	}
	if from != to {
		return fmt.Errorf("positions end at %d, want %d", from, to)
	}
	return nil
}

func (c *Commit) checkClaim() error {
	for _, k := range c.Keys {
		if Position(k.From) < c.Arrival.From || Position(k.To) > c.Arrival.To {
			return fmt.Errorf("key %s has positions [%d, %d) of [%d, %d)", k.Digest.Short(), k.From, k.To, c.Arrival.From, c.Arrival.To)
		}
	}
	return c.claim().check()
}

// check tells whether the segment may follow one that ends at position next.
func (s Segment) check(next Position) error {
	if s.Base != next || s.Rows <= 0 || s.End() < next {
		return fmt.Errorf("segment %s holds positions [%d, %d), want them to start at %d", s.ID, s.Base, s.End(), next)
	}
	if err := s.Buckets.check(s.Rows); err != nil {
		return fmt.Errorf("segment %s: %w", s.ID, err)
	}
	return nil
}
