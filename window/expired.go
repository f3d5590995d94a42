package window

import (
	"fmt"
	"slices"
	"time"

	"strandline/landing"
)

// Recomputable tells whether all rows that the partition is computed from are
// still there. Where they are not, by the stream's retain, what is published
// stands for good: computed again it would have fewer rows.
func (s Status) Recomputable() bool { return s.Expired == 0 }

// Outlived tells whether the partition is held because what it is computed from
// has changed and can't be read whole any more.
func (s Status) Outlived() bool { return s.State == Held && s.Candidate == nil && !s.Recomputable() }

// outlive says what becomes of a partition that can't be computed any more. Where
// data has changed, a person is told: it is held. Where only code has, it is of
// old code for good. A try that failed can't be made again, so it does not count.
func (s *Status) outlive() {
	if s.Recomputable() {
		return
	}
	if s.State == Failed && (s.Receipt == nil || s.StaleData || s.StaleCode) {
		s.State = s.published()
	}
	if s.State == Stale && s.StaleData {
		s.State = Held
	}
}

// Gone says in words how many rows of a partition have expired, and what has come
// since it was published.
func (s Status) Gone() string {
	switch {
	case !s.Outlived():
		return s.gone()
	case s.StaleCode:
		return "data and code changed, " + s.gone()
	}
	return counted(s.Input.Rows-s.Receipt.InputRows) + " arrived since, " + s.gone()
}

func (s Status) gone() string {
	switch {
	case s.Input.Rows == 1:
		return "its only row is gone"
	case s.Expired == s.Input.Rows:
		return fmt.Sprintf("all its %d rows are gone", s.Input.Rows)
	case s.Expired == 1:
		return fmt.Sprintf("1 of its %d rows is gone", s.Input.Rows)
	}
	return fmt.Sprintf("%d of its %d rows are gone", s.Expired, s.Input.Rows)
}

// Restoring says how a lost published file of a table is mended, where its
// partition can't be computed any more.
func Restoring(table string) string {
	return fmt.Sprintf("restore the file from a copy of the lake, or strandline rollback %s --to V to a version whose file is still there", table)
}

// Lasting are the partitions of a survey that stay as they are, since they can't be
// computed any more.
func Lasting(survey []Status) []Status {
	return choose(survey, func(s Status) bool { return !s.Recomputable() })
}

// LeaveOut moves the tasks that can't be computed from Tasks to Left.
func (p *Plan) LeaveOut() {
	chosen := p.Tasks
	p.Tasks, p.Left = choose(chosen, Status.Recomputable), Lasting(chosen)
}

// Needed is the first position of a stream that a job still needs, and for what.
// Where it needs none, For is nil.
type Needed struct {
	From landing.Position
	For  *Status
}

// Reason says in words what is with the partition that needs the rows.
func (n Needed) Reason() string {
	if n.For.unsettled() {
		return "is " + string(n.For.State)
	}
	return "may still get rows"
}

// Needs returns from which position of a stream on rows may not expire yet at the time now,
// with an age of keep: because a partition is to be computed from them and is
// not yet as they say, or because it is not over for that long, so that more
// rows have to be expected for it. Partitions that lie in the future, where
// nothing but a wrong clock puts rows, keep nothing.
//
// The survey has seen the stream's rows below seen. What came after them makes the
// partitions that it touches new or stale, whatever the survey says of them.
func (j Job) Needs(survey []Status, seen landing.Position, in Input, stream *landing.State, keep landing.Retain, now time.Time) Needed {
	var needed Needed
	for i, s := range survey {
		if s.Recomputable() && (s.unsettled() || j.open(in, s.Interval, keep, now)) {
			needed.join(j, in, stream, &survey[i])
		}
	}
	for _, p := range j.Touched(in, hoursFrom(stream, seen)) {
		needed.join(j, in, stream, &Status{Partition: p, State: Stale, StaleData: true})
	}
	return needed
}

// join adds a partition that needs what it is computed from, unless rows of that are gone.
func (n *Needed) join(j Job, in Input, stream *landing.State, s *Status) {
	segments, err := stream.SegmentsOf(j.Hours(in, s.Partition), stream.Next())
	if err != nil || len(segments) == 0 {
		return
	}
	if first := segments[0].Base; n.For == nil || first < n.From {
		*n = Needed{From: first, For: s}
	}
}

// hoursFrom lists, ascending, the bucket-hours of all rows at and above a position, with those of
// rows below it that lie in a segment with some.
func hoursFrom(stream *landing.State, from landing.Position) []int64 {
	hours, cut := stream.Hours(landing.Rows{At: []landing.Range{{From: from, To: stream.Next()}}})
	for _, segment := range cut {
		for b := range segment.Buckets.All() {
			hours = append(hours, b.Hour)
		}
	}
	slices.Sort(hours)
	return slices.Compact(hours)
}

// unsettled tells whether the partition is still to be computed. What a person
// holds or has set aside was computed; a result that only old code made stands.
func (s Status) unsettled() bool {
	return s.State == Missing || s.State == Open || s.State == Failed || s.State == Stale && s.StaleData || s.LateHeld()
}

// open tells whether rows have to be expected for a partition, or for one that begins
// after it and reads of its rows.
func (j Job) open(in Input, p Interval, keep landing.Retain, now time.Time) bool {
	over := p.End
	if back := j.readsBack() + in.Before; back > 0 {
		over = over.Add(back + p.End.Sub(p.Start))
	}
	return !now.Before(p.Start) && now.Before(over.Add(keep.Age))
}
