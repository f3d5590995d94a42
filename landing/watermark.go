package landing

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Watermark says how a stream's watermark follows what lands: the event time up to
// which rows are expected to be there. It closes partitions, and drops no row.
type Watermark struct {
	// Delay is how much later than others of its way in a row may come.
	Delay time.Duration `json:"delay_ns"`
	// Idle is how long nothing may land by a way in before it is silent: then it holds the
	// watermark back no longer.
	Idle time.Duration `json:"idle_ns"`
	// Skew is how far ahead of its landing an event time may be. One further ahead is a
	// wrong clock's, and does not move the watermark.
	Skew time.Duration `json:"skew_ns"`
}

// DefaultWatermark is that of a stream which declares none.
var DefaultWatermark = Watermark{Delay: 10 * time.Minute, Idle: 15 * time.Minute, Skew: time.Hour}

// orDefault returns the watermark, or the default one in place of none.
func (w Watermark) orDefault() Watermark { return cmp.Or(w, DefaultWatermark) }

// String says it as it is declared.
func (w Watermark) String() string {
	return fmt.Sprintf("{delay: %v, idle: %v, skew: %v}", w.Delay, w.Idle, w.Skew)
}

// mostWait is the longest that a watermark may wait for anything.
const mostWait = 10 * 366 * 24 * time.Hour

// Validate tells what is wrong with the watermark. All zero is the default one.
func (w Watermark) Validate() error {
	switch {
	case w.Idle <= 0:
		return errors.New("idle: a way in is silent only after a while, so it must be greater than 0")
	case w.Delay < 0 || w.Skew < 0:
		return errors.New("delay and skew must be 0 or more")
	case max(w.Delay, w.Idle, w.Skew) > mostWait:
		return errors.New("delay, idle and skew must be less than ten years")
	}
	return nil
}

// Watermark returns where the stream's watermark is at a time. It depends on the log and
// on that time alone, and goes back with neither. known is false before the first row
// whose way in is known.
func (s *State) Watermark(now time.Time) (at time.Time, known bool) {
	return instant(s.marks.at(now.UnixMicro()))
}

// Stays tells whether the watermark at a time is further than the ways in say by now, so that it
// stays where they have brought it before.
func (s *State) Stays(now time.Time) bool {
	micros := now.UnixMicro()
	return s.marks.at(micros) > s.marks.said(micros)
}

// ClosedFrom returns the first position whose row landed when the watermark had passed
// the end of some interval of event time: rows of the interval at or above it are late.
// It is the stream's head if it did not pass it before the newest row landed.
func (s *State) ClosedFrom(end time.Time) Position {
	return s.marks.steps.passed(end.UnixMicro(), s.Next())
}

// instant is a time in µs, which is not known where it is never.
func instant(micros int64) (at time.Time, known bool) {
	if micros == never {
		return time.Time{}, false
	}
	return time.UnixMicro(micros).UTC(), true
}

// WayIn is how far a stream has come by one of the ways that its rows come in.
type WayIn struct {
	Name   string    // such as dir, http or a partition of a topic
	Latest time.Time // its latest event time; zero if that is not known
	Landed time.Time // when a row last landed by it
	Ahead  int64     // rows whose event time was further ahead than the skew
	Silent bool      // nothing has landed for so long that it holds nothing back
}

// WaysIn lists, by name, the ways that rows are known to have come in, as they are at a
// time.
func (s *State) WaysIn(now time.Time) []WayIn {
	var ways []WayIn
	for _, w := range s.marks.ways {
		way := WayIn{Name: w.name, Landed: time.UnixMicro(w.landed).UTC(), Ahead: w.ahead, Silent: s.marks.silent(w, s.marks.clockAt(now.UnixMicro()))}
		way.Latest, _ = instant(w.latest)
		ways = append(ways, way)
	}
	return ways
}

// WatermarkRule returns by which rule the watermark goes: the one that was recorded last.
func (s *State) WatermarkRule() Watermark { return s.marks.rule.orDefault() }
