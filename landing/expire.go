package landing

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

// ErrExpired says that rows are asked for whose files a stream's retain has let
// go. They are gone for good; nothing can be computed of what is left of them.
var ErrExpired = errors.New("raw rows have expired")

// Expiry is the body of a landing log entry by which the oldest rows of a stream
// expire. From then on nothing names their files. How many there were in each
// bucket-hour, and their sums, stays known for ever, so no input digest changes,
// and neither their positions nor the identity of what they came by is free.
type Expiry struct {
	From Position `json:"from"` // inclusive: where the expiry before ended
	To   Position `json:"to"`   // exclusive
	// Segments are the ids of the segments of these positions, all of them whole.
	Segments []string `json:"segments"`
}

// Rows returns how many rows expire.
func (e Expiry) Rows() int64 { return int64(e.To - e.From) }

// maxExpiry is how many segments expire by one entry, so that none grows large.
const maxExpiry = 10_000

// Expirable returns what keep lets go at the time now: whole segments, oldest
// positions first, that end at or below the position below, and never the newest
// one. A segment goes when its newest row landed longer than keep.Age ago, or
// when it and all after it have more than keep.Bytes. Nothing is let go where the
// Expiry has no rows.
func (s *State) Expirable(keep Retain, now time.Time, below Position) Expiry {
	left := int64(0)
	for _, segment := range s.segments {
		left += segment.Bytes
	}
	n := 0
	for n < min(len(s.segments)-1, maxExpiry) {
		segment := s.segments[n]
		aged := keep.Age > 0 && now.Sub(segment.LandedAt) > keep.Age
		if segment.End() > below || !aged && (keep.Bytes == 0 || left <= keep.Bytes) {
			break
		}
		left -= segment.Bytes
		n++
	}
	return s.expiry(n)
}

// expiry is that of the n oldest segments.
func (s *State) expiry(n int) Expiry {
	e := Expiry{From: s.expired, To: s.expired}
	for _, segment := range s.segments[:n] {
		e.Segments, e.To = append(e.Segments, segment.ID), segment.End()
	}
	return e
}

func (e *Expiry) follows(s *State) error {
	n := len(e.Segments)
	if n == 0 || n >= len(s.segments) {
		return fmt.Errorf("%d segments expire of %d: want one or more, and the newest to stay", n, len(s.segments))
	}
	want := s.expiry(n)
	if e.From != want.From || e.To != want.To || !slices.Equal(e.Segments, want.Segments) {
		return fmt.Errorf("positions [%d, %d) expire with %d segments that are not the oldest, which hold [%d, %d)", e.From, e.To, n, want.From, want.To)
	}
	return nil
}

func (e *Expiry) fold(s *State) {
	n := len(e.Segments)
	for _, segment := range s.segments[:n] {
		s.forget(segment)
		s.hours.expire(segment)
	}
	s.segments = slices.Delete(s.segments, 0, n)
	s.expired = e.To
	s.rejected = slices.DeleteFunc(s.rejected, func(a Arrival) bool { return len(s.RejectFiles(a)) == 0 })
	s.dropRetried()
}

func (e *Expiry) named() []string { return nil }

// ExpiredUpTo returns the position below which all rows have expired.
func (s *State) ExpiredUpTo() Position { return s.expired }

// Expired counts the rows in hours that have expired.
func (s *State) Expired(hours Hours) (rows int64) {
	if s.expired == 0 {
		return 0 // asked for every partition, and of most streams nothing has expired
	}
	for _, b := range s.hours.expired.within(hours) {
		rows += b.Rows
	}
	return rows
}

// RejectFiles lists the ids of the files that hold an arrival's rejects. They
// are let go with the arrival's rows; how many rejects there were stays known.
// Rejects of an arrival without rows go with the rows after it.
func (s *State) RejectFiles(a Arrival) []string {
	if a.From < s.expired && a.To <= s.expired {
		return nil
	}
	return a.RejectFiles
}

// Freed lists the ids of the files that nothing would name any more after an expiry:
// its segments, and the rejects that came with them.
func (s *State) Freed(e Expiry) []string {
	freed := slices.Clone(e.Segments)
	for a := range s.rejectsOf(e) {
		freed = append(freed, a.RejectFiles...)
	}
	return freed
}

// PendingOf counts the rejects that would go with an expiry and have not landed again.
func (s *State) PendingOf(e Expiry) (n int64) {
	for a := range s.rejectsOf(e) {
		n += a.Rejects
		for _, id := range a.RejectFiles {
			n -= s.retried[id].len()
		}
	}
	return n
}

// rejectsOf yields the arrivals whose rejects go with an expiry, with their files.
func (s *State) rejectsOf(e Expiry) iter.Seq[Arrival] {
	after := State{expired: e.To}
	return func(yield func(Arrival) bool) {
		for a := range s.withRejects() {
			if len(a.RejectFiles) > 0 && len(after.RejectFiles(a)) == 0 && !yield(a) {
				return
			}
		}
	}
}

// Expire lets the oldest rows of the stream go, as State.Expirable says of the
// newest state and the time now. below returns the position from which on rows are
// still needed; it is asked of the very state that the entry follows, as often as it
// takes, and its error ends it. Many segments take several calls: nothing is left to do
// when the Expiry has no rows. With log.ErrUnknown they may have expired.
func (s *Stream) Expire(ctx context.Context, keep Retain, now time.Time, below func(*State) (Position, error)) (Expiry, error) {
	var e Expiry
	err := s.commit(ctx, now, func(state *State) (*record, error) {
		needed, err := below(state)
		if err != nil {
			return nil, err
		}
		if e = state.Expirable(keep, now, needed); e.Rows() == 0 {
			return nil, nil
		}
		return &record{Expiry: &e}, nil
	})
	if err != nil {
		return Expiry{}, fmt.Errorf("let rows of stream %s expire: %w", s.spec.Stream, err)
	}
	return e, nil
}
