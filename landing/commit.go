package landing

import (
	"fmt"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/digest"
)

// Commit is the body of one landing log entry: an arrival's segments and, in
// the same entry, the identity of the source they came from, so that the rows
// and the fact that they have landed can't come apart.
type Commit struct {
	// EventTime is the meaning of the stream's event time; every commit
	// repeats it and must agree with the first.
	EventTime EventTime `json:"event_time"`
	Segments  []Segment `json:"segments"`
	Arrival   Arrival   `json:"arrival"`
}

// Arrival is one landed file: what it was, and what became of it.
type Arrival struct {
	Identity
	Name     string    `json:"name"`
	LandedAt time.Time `json:"landed_at"`
	From     Position  `json:"from"` // first position, inclusive
	To       Position  `json:"to"`   // end of the positions, exclusive
	Rejects  int64     `json:"rejects"`
	// RejectFiles are the ids of the files that hold the rejects.
	RejectFiles []string `json:"reject_files,omitempty"`
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
	Buckets []Bucket          `json:"buckets"` // ascending by Hour
}

// End returns the position after the segment's last row.
func (s Segment) End() Position { return s.Base + Position(s.Rows) }

// Bucket sums up a segment's rows of one bucket-hour, the UTC hour
// [Hour, Hour+1) in hours since 1970-01-01T00Z.
//
// With d the digest of a row and o its offset in the segment, Sum is Σ d and
// Moment is Σ d·o modulo 2^128. The moment ties rows to their positions and
// still moves to another base for nothing: Σ d·(base+o) = base·Sum + Moment.
type Bucket struct {
	Hour   int64         `json:"hour"`
	Rows   int64         `json:"rows"`
	Sum    digest.Sum128 `json:"sum"`
	Moment digest.Sum128 `json:"moment"`
}

// add counts one more row in.
func (b *Bucket) add(row digest.Sum128, offset int64) {
	b.Rows++
	b.Sum = b.Sum.Add(row)
	b.Moment = b.Moment.Add(row.Mul(uint64(offset)))
}

// at returns the bucket with its moment taken from position 0 instead of base.
func (b Bucket) at(base Position) Bucket {
	b.Moment = b.Moment.Add(b.Sum.Mul(uint64(base)))
	return b
}

// rebase gives the commit's segments the positions from next on.
func (c *Commit) rebase(next Position) {
	c.Arrival.From = next
	for i := range c.Segments {
		c.Segments[i].Base = next
		next = c.Segments[i].End()
	}
	c.Arrival.To = next
}

// check tells whether the commit is one that may follow a log which ends at
// position next. It looks at the commit alone; what depends on the rest of the
// log is looked at by State.
func (c *Commit) check(next Position) error {
	if c.Arrival.From != next {
		return fmt.Errorf("positions start at %d, want %d", c.Arrival.From, next)
	}
	for _, s := range c.Segments {
		if err := s.check(next); err != nil {
			return err
		}
		next = s.End()
	}
	if c.Arrival.To != next {
		return fmt.Errorf("positions end at %d, want %d", c.Arrival.To, next)
	}
	return nil
}

// check tells whether the segment may follow one that ends at position next.
func (s Segment) check(next Position) error {
	if s.Base != next || s.Rows <= 0 || s.End() < next {
		return fmt.Errorf("segment %s holds positions [%d, %d), want them to start at %d", s.ID, s.Base, s.End(), next)
	}
	left := s.Rows
	for i, b := range s.Buckets {
		if b.Rows <= 0 || i > 0 && b.Hour <= s.Buckets[i-1].Hour {
			return fmt.Errorf("segment %s: bucket-hours out of order", s.ID)
		}
		if left -= b.Rows; left < 0 {
			break
		}
	}
	if left != 0 {
		return fmt.Errorf("segment %s: bucket-hours don't count its %d rows", s.ID, s.Rows)
	}
	return nil
}
