package window

import (
	"fmt"
	"time"

	"strandline/landing"
)

// Emit says when the stream driver publishes a partition.
type Emit string

// The choices of Emit.
const (
	EmitOnUpdate Emit = "on_update" // the default: as soon as it has rows, and again with each that comes
	EmitOnClose  Emit = "on_close"  // first when it is closed, so that no reader ever sees part of it
)

// LatePolicy says what becomes of a closed, published partition that rows come for.
type LatePolicy string

// The choices of LatePolicy.
const (
	LateRecompute LatePolicy = "recompute" // the default
	LateHold      LatePolicy = "hold"      // it stays as it is until a person releases it
)

// Watermark is up to which event time the rows of something are expected to be there.
// It is not Known before the first of them is. Who follows more than one thing follows
// the one that is furthest behind.
type Watermark struct {
	At    time.Time
	Known bool
}

// Following is the watermark of who follows all of the inputs.
func Following(heads Heads, now time.Time) Watermark {
	w := heads[0].watermark(now)
	for _, head := range heads[1:] {
		w = w.Least(head.watermark(now))
	}
	return w
}

// Passed tells whether all rows before an instant are expected to be there.
func (w Watermark) Passed(t time.Time) bool { return w.Known && !w.At.Before(t) }

// Least is the watermark of who follows both.
func (w Watermark) Least(other Watermark) Watermark {
	if !w.Known || other.Known && other.At.Before(w.At) {
		return other.ifKnown(w.Known)
	}
	return w.ifKnown(other.Known)
}

func (w Watermark) ifKnown(other bool) Watermark {
	if !w.Known || !other {
		return Watermark{}
	}
	return w
}

// String says where it is.
func (w Watermark) String() string {
	if !w.Known {
		return "not known"
	}
	return w.At.Format(time.RFC3339)
}

// Close tells of each partition of a survey whether it is closed: whether the watermark
// of each input has passed all event times that it is computed from. From that follows what the stream
// driver waits for, and what is late and held. Closing drops no row: what comes after is
// in every result that is computed from then on.
func (j Job) Close(survey []Status, heads Heads, now time.Time) {
	for i := range survey {
		s := &survey[i]
		s.Closed = j.closed(s.Partition, heads, now)
		s.Early = j.Emit == EmitOnClose && !s.Closed
		if s.Closed && s.Receipt != nil && s.StaleData {
			s.Late, s.final = j.lateOf(s, heads)
		}
		s.wait(j)
	}
}

func (j Job) closed(p Partition, heads Heads, now time.Time) bool {
	for i, in := range j.Inputs {
		if !heads[i].watermark(now).Passed(j.readsOf(in, p.span()).interval().End) {
			return false
		}
	}
	return true
}

// lateOf tells what came for a closed, published partition after it was closed. final
// tells that what is published was computed from all that came before.
func (j Job) lateOf(s *Status, heads Heads) (late landing.Late, final bool) {
	final = true
	r := s.Receipt.Reading()
	for i, in := range j.Inputs {
		of := s.hadReads(j, i)
		came, atMost, _ := j.grown(s.was, i, heads[i], s.span(), r)
		one, closed := heads[i].late(of, r.Positions[in.At()])
		if one.Forgotten || came < one.Rows {
			one.Rows = max(0, came)
		}
		one.Sure = min(one.Sure, one.Rows)
		if closed && !atMost && heads[i].whole(of) == of {
			one.Sure = one.Rows // all that came did so late
		}
		late.Add(one)
		final = final && (closed || !atMost && came <= one.Sure)
	}
	return late, final
}

// wait says what the partition waits for, if it does: to be closed, or for a person.
func (s *Status) wait(j Job) {
	if !s.Recomputable() {
		return
	}
	changed := s.State == Stale && s.StaleData
	switch {
	case s.Early && (changed || s.State == Missing):
		s.State = Open
	case j.Late == LateHold && changed && s.final && s.Late.Rows > 0:
		s.State = Held
	}
}

// LateHeld tells whether the partition is held since rows came for it after it was
// closed and published. A person releases it, which computes it with them.
func (s Status) LateHeld() bool { return s.State == Held && s.Candidate == nil && s.Recomputable() }

// Settled is the watermark of who reads the job's table: that of the job itself, as far
// as all partitions are as they are to stay. A plan of a survey tells it.
func (p Plan) Settled() Watermark {
	w := p.Watermark
	for _, s := range p.Tasks {
		if s.unsettled() && !s.LateHeld() || s.State == Held && s.Candidate != nil {
			return w.Least(Watermark{s.Start, true}) // they are in order of time
		}
	}
	return w
}

// lateness says in words what came late.
func lateness(late landing.Late) string {
	text := counted(late.Rows)
	if late.Sure < late.Rows {
		text = "at most " + text
	}
	if late.Forgotten {
		return "late: " + text + ", some of which landed too long ago to tell by how much"
	}
	return fmt.Sprintf("late: %s, up to %s late", text, brief(late.By))
}

// brief writes a duration to the second where it is longer than one.
func brief(d time.Duration) string {
	if d >= time.Second {
		d = d.Round(time.Second)
	}
	return d.String()
}
